"""constraints/following: how many of a row's instructions a completion follows."""

from collections.abc import Iterator, Sequence
from typing import Any

from rewardlab import Completion, Context, Sample, Score
from rewardlab_answers import sections

import rewardlab_constraints.checks  # noqa: F401 (registers all of them)
from rewardlab_constraints.instruction_check import Instruction
from rewardlab_constraints.judged_text import JudgedText
from rewardlab_constraints.language_rules import LanguageRules
from rewardlab_constraints.options import FollowingOptions
from rewardlab_constraints.rows import instructions_of, language_in
from rewardlab_constraints.visible import says_something, visible

SHORTEST_PROMPT = 20
"""characters of a prompt that is taken out of a text which repeats it; a shorter one may be said by chance"""


class Following:
    """The reward for the share of a row's instructions that a completion follows, or for following all of them.

    info: `instructions`, in the row's order, each with its `id` and `followed`: true, false, or null with a `reason` if
    it has no meaning in the row's language. These count neither for nor against; a row of these alone gets no value.
    """

    def __init__(self, options: FollowingOptions, _context: Context | None = None) -> None:
        self._options = options

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item."""
        return [self._score(sample, completion.text) for sample, completion in items]

    def _score(self, sample: Sample, text: str) -> Score:
        if why_without_instructions(self._options, sample):
            return Score()
        try:
            instructions, language = instructions_of(self._options, sample), language_in(self._options, sample)
        except ValueError as error:
            return Score(error=str(error))
        text = judged(text, self._options.part)
        if not any(instruction.check.repeats for instruction in instructions):
            text = without_prompt(text, sample)
        answers = [JudgedText(variant, language) for variant in self._variants(text) if says_something(variant)]
        verdicts = [verdict(instruction, answers, language) for instruction in instructions]
        decided = [entry["followed"] for entry in verdicts if entry["followed"] is not None]
        info: dict[str, Any] = {"instructions": verdicts}
        if len(decided) < len(verdicts):
            info["undecided"] = len(verdicts) - len(decided)
        if not decided:
            return Score(info=info)
        value = float(all(decided)) if self._options.value == "all" else sum(decided) / len(decided)
        return Score(value=value, info=info)

    def _variants(self, text: str) -> Iterator[str]:
        yield text
        if self._options.mode == "loose":
            yield from loose_variants(text)


def judged(text: str, part: str) -> str:
    """Return what is seen of the part of a completion that is judged; nothing of thoughts that do not end."""
    response = sections.response(text)
    response = response.partition("<think>")[0]
    answer = sections.answer(response) if part == "answer" else None
    return visible(response if answer is None else answer)


def without_prompt(text: str, sample: Sample) -> str:
    """Return a text without the prompt, which says each instruction and so follows some of them."""
    for message in sample.prompt:
        asked = visible(str(message.get("content") or "")) if message.get("role") == "user" else ""
        if len(asked) >= SHORTEST_PROMPT and asked in text:
            text = text.replace(asked, "").strip()
    return text


def loose_variants(text: str) -> Iterator[str]:
    """Yield a text without its first line, its last line, both, and each of them without asterisks."""
    lines = text.split("\n")
    shorter = ("\n".join(kept).strip() for kept in (lines[1:], lines[:-1], lines[1:-1]))
    for variant in (text, *shorter):
        yield variant
        yield visible(variant.replace("*", ""))


def verdict(instruction: Instruction, answers: Sequence[JudgedText], language: LanguageRules) -> dict[str, Any]:
    """Return whether one of the texts follows an instruction, or why nobody can say."""
    entry: dict[str, Any] = {"id": instruction.check.name}
    if reason := instruction.meaningless(language):
        return entry | {"followed": None, "reason": reason}
    return entry | {"followed": any(map(instruction.followed_by, answers))}


def why_without_instructions(options: FollowingOptions, sample: Sample) -> str | None:
    """Return why a row gets no value: it has no instructions, or none that has a meaning in its language."""
    if sample.fields.get(options.instructions) is None:
        return f"no field {options.instructions!r}"
    return None


def why_meaningless(options: FollowingOptions, sample: Sample) -> str | None:
    """Return why no completion of a row can get a value, or None; a row that is refused has no reason here."""
    if reason := why_without_instructions(options, sample):
        return reason
    try:
        instructions, language = instructions_of(options, sample), language_in(options, sample)
    except ValueError:
        return None
    reasons = [instruction.meaningless(language) for instruction in instructions]
    return reasons[0] if all(reasons) else None


def refusal(options: FollowingOptions, sample: Sample) -> str | None:
    """Return what is wrong with a row's instructions or their arguments; None if nothing is, or if it has none."""
    if why_without_instructions(options, sample):
        return None
    try:
        instructions_of(options, sample)
        language_in(options, sample)
    except ValueError as error:
        return str(error)
    return None
