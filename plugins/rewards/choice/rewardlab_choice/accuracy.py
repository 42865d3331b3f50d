"""choice/accuracy: whether a completion picks the right choice."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rewardlab import Completion, Context, Sample, Score
from rewardlab_answers import official_box

from rewardlab_choice.answer_line import labels_named
from rewardlab_choice.answer_words import has_leads
from rewardlab_choice.choice_set import ChoiceSet
from rewardlab_choice.options import ChoiceOptions
from rewardlab_choice.reading import read

LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
WITHOUT_LEADS = (
    'rows in a language without leads ("the answer is"), of which last_label reads boxes, lines and labels in bold; '
    "a file leads/CODE.yaml of the plugin adds a language"
)
_TEXT = re.compile(r"\\text\{(.*?)\}")


class ChoiceAccuracy:
    """The reward 1.0 for the right choice, and 0.0 for another one, several, or none.

    A row without choices gets no value, and one whose right choice is not among them is a failure. info: `extracted`,
    the answer as written or None, and in the default profile `choice`, the label that it names (several in a list) or
    None;
    if it names no label, also why: `no_answer`, `unreadable` or `hedged`.
    """

    def __init__(self, options: ChoiceOptions, _context: Context | None = None) -> None:
        self._options = options

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item."""
        return [self._score(sample, completion.text) for sample, completion in items]

    def _score(self, sample: Sample, text: str) -> Score:
        if why_without_choices(self._options, sample):
            return Score()
        try:
            choices, gold = _choices_and_golds(self._options, sample)
        except ValueError as error:
            return Score(error=str(error))
        if self._options.profile == "sp3f_official":
            return _official_score(text, min(gold), choices)
        reading = read(text, self._options.extract, choices, several=len(gold) > 1)
        labels = sorted(reading.labels)
        info = {"extracted": reading.extracted, "choice": labels if len(labels) > 1 else next(iter(labels), None)}
        return Score(value=float(reading.labels == gold), info=info | ({reading.fault: True} if reading.fault else {}))


def _choices_and_golds(options: ChoiceOptions, sample: Sample) -> tuple[dict[str, str], frozenset[str]]:
    """Return a row's choices, and the labels of the right ones: several of a list or `A,B` if answer lines are read.

    Raises ValueError that says what is wrong with a field.
    """
    choices, value = choices_of(sample.fields[options.choices]), sample.fields.get(options.field)
    if options.extract == "answer_line":
        if isinstance(value, list | tuple) and value:
            return choices, frozenset(_gold(gold, choices) for gold in value)
        if isinstance(value, str) and len(labels := labels_named(value.strip(), choices, several=True)) > 1:
            return choices, labels
    return choices, frozenset({_gold(value, choices)})


def why_without_choices(options: ChoiceOptions, sample: Sample) -> str | None:
    """Return why a row gets no value, or None if it has choices."""
    return f"no field {options.choices!r}" if sample.fields.get(options.choices) is None else None


def refusal(options: ChoiceOptions, sample: Sample) -> str | None:
    """Return what is wrong with a row's choices or its right one; None if nothing is, or if it has no choices."""
    if why_without_choices(options, sample):
        return None
    try:
        _choices_and_golds(options, sample)
    except ValueError as error:
        return str(error)
    return None


def without_leads(options: ChoiceOptions, sample: Sample) -> tuple[str, str] | None:
    """Return a doubt about a row in a language whose leads are unknown, and the language; None about any other."""
    language = sample.fields.get("language")
    if options.extract != "last_label" or not isinstance(language, str) or has_leads(language):
        return None
    return WITHOUT_LEADS, repr(language)


def choices_of(value: Any) -> dict[str, str]:
    """Return the choices as label -> text. Raises ValueError that says what is wrong with the field."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        value = dict(zip(LABELS, value, strict=False)) if len(value) <= len(LABELS) else value
    if not isinstance(value, Mapping) or len(value) < 2 or not all(isinstance(text, str) for text in value.values()):
        raise ValueError(f"the choices are {str(value)[:80]!r}, and neither label -> text nor a list of texts")
    return dict(value)


def _official_score(text: str, gold: str, choices: Mapping[str, str]) -> Score:
    answer = official_box(text)
    right = official_right(answer, gold, choices[gold])
    return Score(value=float(right), info={"extracted": None if answer == "None" else answer})


def official_right(answer: str, gold: str, gold_text: str) -> bool:
    r"""Return whether SP3F's published evaluation takes an answer for right.

    It is right if it is, in lower case and without `\text{}`, the label, the choice's text, or anything that begins
    with the label: "because" is B there.
    """
    answer_text = "\n".join(map(_without_text, answer.split("\n"))).lower()
    return answer_text in (gold.lower(), gold_text.lower()) or answer_text[:1] == gold.lower()


def _without_text(line: str) -> str:
    r"""Return a line without `\text{}` about its texts; only up to the last brace, behind which nothing is closed."""
    closed, brace, rest = line.rpartition("}")
    return _TEXT.sub(r"\1", closed + brace) + rest


def _gold(value: Any, choices: Mapping[str, str]) -> str:
    """Return the label of the right choice, given by its label or its text."""
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if text in choices:
        return text
    named = ChoiceSet.of(choices).named(text).label if text else None
    if named is None:
        raise ValueError(f"the right choice is {value!r}, not one of {', '.join(choices)}")
    return named
