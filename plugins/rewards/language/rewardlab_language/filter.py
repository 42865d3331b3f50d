"""The data step language/filter: rows whose texts are in the row's language."""

from collections.abc import Iterator

from rewardlab import Completion, Context, Sample
from rewardlab.errors import UserError
from rewardlab_data.dropped_rows import DroppedRow, DroppedRows

from rewardlab_language.consistency import Consistency
from rewardlab_language.options import ConsistencyOptions, FilterOptions

SHOWN = 60
"""characters of a text in a message"""


class LanguageFilter:
    """An iterable of the source's samples, unchanged, without those of which a text is in another language.

    Each of `fields` is judged as language/consistency judges an answer, a text with a think block as trace and answer.
    `unsure` decides about a text that no detector can judge: it is too short, or no detector knows its language. A
    warning at the end counts the rows that were left out, by language.
    """

    def __init__(self, options: FilterOptions, context: Context) -> None:
        self._options, self._source = options, context.source
        known = ConsistencyOptions(detectors=options.detectors, least_letters=options.least_letters, on_mixed=None)
        self._answers = Consistency(known.model_copy(update={"parts": "answer"}))
        self._traced = Consistency(known)

    def __iter__(self) -> Iterator[Sample]:
        """Yield the samples that are kept. Raises UserError for a row without its language or one of the texts."""
        tally = DroppedRows("language/filter", 1.0, "are in another language")
        for sample in self._source:
            why = next(filter(None, (self._foreign(sample, field) for field in self._options.fields)), None)
            if tally.keeps(why or sample):
                yield sample
        tally.close(0)

    def _foreign(self, sample: Sample, field: str) -> DroppedRow | None:
        """Return the reason to reject a text; None if there is none."""
        text = self._text(sample, field)
        judge = self._traced if "</think>" in text else self._answers
        (score,) = judge.score([(sample, Completion(text=text))])
        if score.error is not None:
            raise UserError(f"language/filter: {score.error}", where=sample.source)
        if score.value == 1 or (score.value is None and self._options.unsure == "keep"):
            return None
        labels = score.info.get("labels") or {}
        detected = ", ".join(sorted(set(labels.values()))) or score.info.get("reason", "no language")
        reason = f"{field} in another language" if score.value == 0 else f"{field} without a detectable language"
        return DroppedRow(
            where=sample.source or sample.id,
            kind=str(sample.fields["language"]),
            reason=reason,
            detail=f"{detected}: {text if len(text) <= SHOWN else text[: SHOWN - 3] + '...'!r}",
            fault="source",
        )

    def _text(self, sample: Sample, field: str) -> str:
        if field == "prompt":
            return "\n".join(message["content"] for message in sample.prompt if message["role"] == "user")
        text = sample.fields.get(field)
        if not isinstance(text, str):
            raise UserError(
                f"language/filter: field {field!r} must be a text, not {repr(text)[:40]}", where=sample.source
            )
        return text
