"""math/accuracy: whether the final answer of a completion is right."""

from collections.abc import Sequence
from typing import Any

from rewardlab import Completion, Sample, Score

from rewardlab_math.extraction import extract
from rewardlab_math.gold import Gold, golds
from rewardlab_math.gold_text import BrokenGold
from rewardlab_math.judge import judge_answer
from rewardlab_math.notation import plain
from rewardlab_math.numerals import writes_decimal_point
from rewardlab_math.options import AccuracyOptions, is_left_out
from rewardlab_math.reading import readable
from rewardlab_math.rounding import rounds_to
from rewardlab_math.standard import joined

SECONDS = 2.0
"""Processor time that algebra may take for one answer; ordinary ones take milliseconds."""


class Accuracy:
    """The reward 1.0 for a right answer and 0.0 for a wrong, absent or unreadable one.

    A row without a gold answer is a failure. info: `extracted`, the answer as written or None; for a response without
    an answer where `extract` looks for it `no_answer`, and `last_number_reads` if `extract: last_number` would read
    one; for an answer that was not compared `reason`, `refused` (too large or too long to compute), `timed_out` or
    `failed` (the error of the algebra system, so that only the writing was compared); `gold_by_writing` says why only
    the same writing equals the gold answer. Safe in any thread and process.
    """

    def __init__(self, options: AccuracyOptions, seconds: float = SECONDS) -> None:
        self._options = options
        self._seconds = seconds

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item."""
        return [
            Score() if is_left_out(self._options, sample) else self._score(sample, completion.text)
            for sample, completion in items
        ]

    def _score(self, sample: Sample, text: str) -> Score:
        answer = extract(text, self._options.extract)
        info: dict[str, Any] = {"extracted": joined(answer) if answer else None}
        language = sample.fields.get("language")
        language = language if isinstance(language, str) else None
        try:
            gold_answers = golds(
                sample.fields.get(self._options.field), self._gold_language(sample) or language, self._seconds
            )
        except BrokenGold as error:
            return Score(info=info, error=f"field {self._options.field!r}: {error}")
        if why := next((gold.refused for gold in gold_answers if gold.refused), None):
            info["gold_by_writing"] = why
        if not answer:
            return Score(value=0.0, info=info | self._without_answer(text))
        verdict = judge_answer(gold_answers, answer, language, self._seconds)
        info |= {key: value for key in ("reason", "refused", "timed_out", "failed") if (value := getattr(verdict, key))}
        if not verdict.right and self._options.rounding and len(answer) == 1 and not verdict.refused:
            info["rounded"] = self._rounds_to_any(gold_answers, answer[0], language)
        return Score(value=float(verdict.right or info.get("rounded", False)), info=info)

    def _rounds_to_any(self, gold_answers: Sequence[Gold], answer: str, language: str | None) -> bool:
        text = readable(plain(answer), language)
        point_only = language is not None and writes_decimal_point(language)
        return any(rounds_to(gold.text, text, point_only=point_only, seconds=self._seconds) for gold in gold_answers)

    def _without_answer(self, text: str) -> dict[str, bool]:
        """Return what is worth counting of a response without an answer where `extract` looks for it."""
        reads = self._options.extract != "last_number" and bool(extract(text, "last_number"))
        return {"no_answer": True} | ({"last_number_reads": True} if reads else {})

    def _gold_language(self, sample: Sample) -> str | None:
        """Return the language whose notation the row or the recipe gives the right answer; None: neither says."""
        field = f"{self._options.field}_language"
        language = sample.fields.get(field)
        if language is not None and not (isinstance(language, str) and language.strip()):
            raise BrokenGold(f"its language, field {field!r}, is {language!r}, and no code or name of a language")
        return language or self._options.gold_language
