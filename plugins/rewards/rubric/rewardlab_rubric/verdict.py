"""rubric/verdict: whether the score that the policy itself gives, as a judge, is the row's gold score."""

from collections.abc import Sequence
from typing import Any

from rewardlab import Completion, Context, Sample, Score

from rewardlab_rubric.levels import as_json, canonical, with_plain_digits
from rewardlab_rubric.options import VerdictOptions
from rewardlab_rubric.replies.reading import read_text


def refusal(options: VerdictOptions, sample: Sample) -> str | None:
    """Return why a row's field holds no gold score; None if it does."""
    value = sample.fields.get(options.gold)
    return None if canonical(value) else f"field {options.gold!r} should hold a score, not {repr(value)[:60]}"


class Verdict:
    """The reward 1 if the policy's score is the gold one, else 0, also for a completion without a score.

    Numbers are compared as numbers (4, "4" and 4.0 are one), words without case. `strict` reads digits of any script,
    and ignores anything that its prompt shows. `info`: `raw`, `explanation`, `unread`. R3 and mR3 train with
    2 * verdict - 1: +1 for a right score and -1 for a wrong one.
    """

    def __init__(self, options: VerdictOptions, _context: Context | None = None) -> None:
        self._options = options

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item, or an error if the row has no gold score."""
        return [self._score(sample, completion) for sample, completion in items]

    def _score(self, sample: Sample, completion: Completion) -> Score:
        if reason := refusal(self._options, sample):
            return Score(error=reason)
        shown = [message["content"] for message in sample.prompt]
        reading = read_text(self._options.profile, completion.text, shown, completion.truncated)
        info = {"raw": as_json(reading.raw), "explanation": reading.explanation, "unread": reading.raw is None}
        same = self._compared(reading.raw) == self._compared(sample.fields.get(self._options.gold))
        return Score(value=float(same), info=info)

    def _compared(self, score: Any) -> str:
        plain = self._options.profile == "strict" and isinstance(score, str)
        return canonical(with_plain_digits(score) if plain else score)
