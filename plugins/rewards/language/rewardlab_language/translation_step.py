"""Shared parts of the data steps that translate: concurrent rows, and counts of those dropped and altered."""

import logging
from collections.abc import Awaitable, Callable, Generator, Iterable
from contextlib import closing
from typing import Any, TypeVar

from rewardlab import Sample
from rewardlab.data import in_order
from rewardlab_data.dropped_rows import DroppedRow, DroppedRows

from rewardlab_language.options import TranslatedFieldsOptions, TranslatedOptions
from rewardlab_language.source_problem import UntranslatableRow
from rewardlab_language.translation import NoUsableTranslation, Translator
from rewardlab_language.translation_prompt import TranslationTemplate

T = TypeVar("T")
ROWS_AT_ONCE = 64
log = logging.getLogger("rewardlab.language")  # users filter by this name


def translated_samples(
    use: str,
    options: TranslatedOptions | TranslatedFieldsOptions,
    judge: Any,
    template: TranslationTemplate,
    items: Iterable[T],
    translate: Callable[[T, Translator], Awaitable[Sample | DroppedRow]],
) -> Generator[Sample]:
    """Yield the row that `translate` makes of each item, in order, without those that it drops.

    Rows have a field `altered`. Raises JobError if too many rows are dropped.
    """
    sampling = options.sampling.model_dump(exclude_none=True)
    translator = Translator(judge, options.translator, template, options.candidates, options.least_share, sampling)
    tally = DroppedRows(use, options.max_dropped, "could not be translated")

    async def made(item: T) -> Sample | DroppedRow:
        return await translate(item, translator)

    kept = altered = 0
    with closing(in_order(iter(items), made, ROWS_AT_ONCE)) as outcomes:
        for outcome in outcomes:
            if tally.keeps(outcome):
                kept, altered = kept + 1, altered + bool(outcome.fields["altered"])
                yield outcome
    tally.close(translator.failed)
    if altered:
        problem = "%s: %d of %d rows have a translation that alters something; see their field `altered`"
        log.warning(problem, use, altered, kept)


def dropped(where: str, language: str, error: NoUsableTranslation) -> DroppedRow:
    """Return the note of a row that has no usable translation."""
    return DroppedRow(where=where, kind=language, reason=error.reason, detail=str(error), fault="judge")


def untranslatable(where: str, language: str, error: UntranslatableRow) -> DroppedRow:
    """Return the note of a row that no translator is asked about."""
    return DroppedRow(where=where, kind=language, reason=str(error), detail=str(error), fault="source")
