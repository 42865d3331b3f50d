"""language/consistency: whether trace and answer are in the row's language, by several detectors."""

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from rewardlab import Completion, Context, Sample, Score
from rewardlab_answers import sections

from rewardlab_language import parts
from rewardlab_language.density import ENGLISH, density_of
from rewardlab_language.detector_languages import BY_SCRIPT, NO_LANGUAGE, DetectorName, accepted, knowing, undetected
from rewardlab_language.detectors import LanguageGuess, check_installed, detector
from rewardlab_language.languages import SCRIPTS, UnknownLanguage
from rewardlab_language.mixing import at_most, mixing_of
from rewardlab_language.options import ConsistencyOptions
from rewardlab_language.prose import prose, visible
from rewardlab_language.words import MIXED, OTHER, Word, insertions, words

CACHED_TEXTS = 1 << 13
_DIGITS = re.compile(r"\d+")
_BEYOND_LATIN = re.compile("[^\x00-\u036f\u1e00-\u20cf\ua720-\ua7ff\ufb00-\ufb06]+")
_LONG = re.compile(r"(\S{256})(?=\S)")
EMPTY = {"trace": "no trace, as in <think>...</think>; `parts: answer` asks for none", "answer": "no answer"}
"""the reason for 0 if a part is not there"""
CONFIDENT = 0.9
"""calibrated confidence from which on a label speaks against a language that no detector knows, if most give it. On the
declaration of human rights no piece of Zhuang has such a label, nor one that all detectors agree on"""


class Guesses(NamedTuple):
    """The detectors' results for a text. A text that is too short is not given to them.

    Args:
        short: whether the text is too short for the detectors.
        information: how much its letters say, in hundredths of an English letter.
        hidden: the same of its sentences in code and formulas, by script.
        by: the guess of each detector that made one.
        script: the language of most of its letters, if the script alone identifies it, or none if they are lookalikes
            of two scripts.
        mixed: the language that its words say is mixed with English, if this is looked for.
    """

    short: bool = False
    information: int = 0
    hidden: Mapping[str, int] = {}
    by: Mapping[DetectorName, LanguageGuess] = {}  # never written to
    script: str | None = None
    mixed: str | None = None

    def is_mostly_hidden(self, wanted: frozenset[str]) -> bool:
        """Return whether more is said in code and formulas than outside; words of the wanted script may stand there."""
        own = frozenset().union(*(SCRIPTS.get(code, {OTHER}) for code in wanted)) - {"Latn"}
        return sum(information for script, information in self.hidden.items() if script not in own) > self.information

    def label(self, knowing: list[DetectorName] | None = None) -> tuple[str, float] | None:
        """Return the label of the surest guess and its calibrated confidence, of these detectors; None without any."""
        if self.script is not None:
            return self.script, 1.0
        asked = [guess for name, guess in self.by.items() if knowing is None or name in knowing]
        best = max(asked, key=lambda guess: guess.calibrated, default=None)
        return None if best is None else (best.label, round(best.calibrated, 4))

    def sure_label(self) -> tuple[str, float] | None:
        """Return the label that all detectors give, or most and confidently; None without one."""
        label = self.label()
        if label is None or self.script is not None:
            return label
        given = [guess.label for guess in self.by.values()]
        most, agreed = 2 * given.count(label[0]) > len(given), {*given} == {label[0]} and len(given) > 1
        return label if agreed or (most and label[1] >= CONFIDENT) else None


class Consistency:
    """The reward 1 if the trace and the answer are both in the row's language, else 0; see ConsistencyOptions.

    For a language that no detector knows, only a part in another language is detected, which gives 0. Abstains if
    nothing is detected or no part is long enough. info: `language`, `labels` and `confidence` by part, `short` with the
    parts that were too short, `reason` without a label.
    Source: AMRO ("Verifying the Subjective"), section 3.3.1.
    """

    def __init__(self, options: ConsistencyOptions, _context: Context | None = None) -> None:
        check_installed(options.detectors)
        self._options = options
        self._known: OrderedDict[bytes, Guesses] = OrderedDict()

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item, in order. A row without the field of its language is a failure."""
        return [self._score(sample, completion.text) for sample, completion in items]

    def _score(self, sample: Sample, text: str) -> Score:
        if self._options.language == "field" and "language" not in sample.fields:
            return Score(error="field 'language': missing")
        try:
            language, wanted = self._wanted(sample)
        except UnknownLanguage as error:
            return Score(info={"reason": str(error), "labels": {}})
        texts = {"answer": parts.answer(text)}
        if self._options.parts == "both":
            texts = {"trace": sections.reasoning(text) or "", **texts}
        for part, body in texts.items():
            if not visible(body).strip():
                return _labelled(0.0, language, {}, reason=EMPTY[part])
        return self._judge(language, wanted, {part: self._guesses(body) for part, body in texts.items()})

    def _judge(self, language: str, wanted: frozenset[str], guesses_by_part: Mapping[str, Guesses]) -> Score:
        for part, guesses in guesses_by_part.items():
            if guesses.is_mostly_hidden(wanted):
                return _labelled(0.0, language, {}, reason=f"most sentences of the {part} are inside code or formulas")
        long_enough = {part: guesses for part, guesses in guesses_by_part.items() if not guesses.short}
        short = [part for part in guesses_by_part if part not in long_enough]
        asked = [name for name in knowing(wanted) if name in self._options.detectors]
        labels = self._pooled(long_enough) if self._options.pooled and asked else self._apart(long_enough, asked)
        if not labels:
            why = "too short to tell" if not long_enough else f"no detector that is asked knows {language!r}"
            return _labelled(None, language, {}, reason=why, short=short)
        value: float | None = float(all(label in wanted for label, _ in labels.values()))
        more: dict[str, Any] = {"short": short} if short else {}
        mixed = {part: guesses.mixed for part, guesses in long_enough.items() if guesses.mixed is not None}
        if mixed and "en" in wanted:
            value, more["mixed"] = at_most(self._options.on_mixed, float(value or 0.0)), mixed
        return _labelled(value, language, labels, **more)

    def _apart(self, guesses_by_part: Mapping[str, Guesses], asked: list[DetectorName]) -> dict[str, tuple[str, float]]:
        labels = {
            part: guesses.label(asked) if asked else guesses.sure_label() for part, guesses in guesses_by_part.items()
        }
        return {part: label for part, label in labels.items() if label is not None}

    def _pooled(self, guesses_by_part: Mapping[str, Guesses]) -> dict[str, tuple[str, float]]:
        if script := next((guesses.script for guesses in guesses_by_part.values() if guesses.script is not None), None):
            return {"response": (script, 1.0)}
        guesses = [guess for part_guesses in guesses_by_part.values() for guess in part_guesses.by.values()]
        best = max(guesses, key=lambda guess: guess.confidence, default=None)
        return {} if best is None else {"response": (best.label, round(best.confidence, 4))}

    def _wanted(self, sample: Sample) -> tuple[str, frozenset[str]]:
        """Return the name of the language that is wanted and the labels that count as it."""
        if self._options.language == "field":
            tag = sample.fields["language"]
        else:
            question = next((m["content"] for m in reversed(sample.prompt) if m.get("role") == "user"), "")
            label = self._guesses(question).label()
            if label is None:
                raise UnknownLanguage("the question is too short to tell its language")
            return label[0], frozenset((label[0],)) | _accepted_label(label[0])
        return tag, undetected(tag)

    def _guesses(self, text: str) -> Guesses:
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if key not in self._known:
            self._known[key] = self._detect(text)
            if len(self._known) > CACHED_TEXTS:
                self._known.popitem(last=False)
        return self._known[key]

    def _detect(self, text: str) -> Guesses:
        read = prose(text)
        read_words = words(read.text)
        information = sum(word.letters * density_of(word.script) for word in read_words)
        letters = sum(word.letters for word in read_words)
        for language, script in BY_SCRIPT.items():
            if letters and 2 * len(script.findall(read.text)) > letters:
                return Guesses(information=information, hidden=read.hidden, script=language)
        if 2 * ENGLISH * sum(word.letters for word in read_words if word.script == MIXED) > information:
            return Guesses(information=information, hidden=read.hidden, script=NO_LANGUAGE)
        if information < self._options.least_letters * ENGLISH:
            return Guesses(information=information, hidden=read.hidden, short=True)
        line = one_line(_BEYOND_LATIN.sub(" ", read.text) if _is_mostly_latin(read_words) else read.text)
        guesses = {name: detector(name)(line) for name in self._options.detectors}
        mixing = None if self._options.on_mixed is None else mixing_of(read.text)
        return Guesses(
            information=information,
            hidden=read.hidden,
            by={name: guess for name, guess in guesses.items() if guess is not None},
            mixed=None if mixing is None else mixing.language,
        )


def one_line(text: str) -> str:
    """Return a text as detectors read it: one line, without digits, no word longer than 256 letters."""
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return _LONG.sub(r"\1 ", " ".join(_DIGITS.sub(" ", clean).split()))


def _is_mostly_latin(words: Sequence[Word]) -> bool:
    """Return whether Latin words say most of a text, but for insertions: some detectors see only the other letters."""
    inserted = insertions(words)
    latin = sum(ENGLISH * w.letters for at, w in enumerate(words) if w.script == "Latn" and at not in inserted)
    return latin > sum(density_of(w.script) * w.letters for w in words if w.script != "Latn")


def _accepted_label(label: str) -> frozenset[str]:
    try:
        return accepted(label)
    except UnknownLanguage:
        return frozenset()


def _labelled(value: float | None, language: str, labels: Mapping[str, tuple[str, float]], **more: Any) -> Score:
    info = {
        "language": language,
        "labels": {part: label for part, (label, _) in labels.items()},
        "confidence": {part: confidence for part, (_, confidence) in labels.items()},
        **more,
    }
    return Score(value=value, info=info)
