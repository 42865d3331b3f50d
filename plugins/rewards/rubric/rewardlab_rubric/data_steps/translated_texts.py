"""The data step rubric/translated_texts: texts for questions in the languages of rows, and rubrics' translations.

Source: mR3 (Anugraha et al. 2025), appendix C.2.2, which translates tags, tasks, rubrics and schemas once a language.
"""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from rewardlab import Ask, Context, Sample
from rewardlab.data import in_order
from rewardlab.errors import JobError
from rewardlab_data.dropped_rows import REFUSED, DroppedRow, DroppedRows, refusal

from rewardlab_rubric.data_steps.reply_language import foreign
from rewardlab_rubric.data_steps.translation_question import prose_of, question, read_translation
from rewardlab_rubric.data_steps.wanted_texts import KINDS, Language, Wanted, WantedTexts
from rewardlab_rubric.options import TranslatedTextsOptions
from rewardlab_rubric.rubrics import field_of, known_variants
from rewardlab_rubric.strategies.language_file import own_text, script_of, texts_of
from rewardlab_rubric.strategies.rubric_translations import as_data, sha_of

ROWS_AT_ONCE = 64


class TranslatedTexts:
    """An iterable of samples; each iteration reads the source whole, and then asks again.

    A row, for each language of the source: id "texts-<code>"; prompt: the language's name; fields `language` (its
    code), `texts` (as in the packaged files; null if they have the language), `rubric` (the translated variants) and
    `rubric_sha` (which rubric they are of); both are null without a rubric. English, and without a rubric a packaged
    language, makes no row. Of rows' own rubrics each makes a row a language, id "rubric-<code>-<sha>".

    Iterating raises UserError for a source row without a language, or with more languages or rubrics than the options
    allow, before anything is asked; JobError if the translator answers none of the questions about a language, or too
    many must be dropped.
    """

    def __init__(self, options: TranslatedTextsOptions, context: Context) -> None:
        self._options, self._source = options, context.source
        self._judge = context.judges[options.translator]

    def __iter__(self) -> Iterator[Sample]:
        tally = DroppedRows("rubric/translated_texts", self._options.max_dropped, "could not be translated")
        wanted = list(WantedTexts(self._options).of(self._source))  # before anything is paid
        with closing(in_order(iter(wanted), self._row, ROWS_AT_ONCE)) as outcomes:
            yield from filter(tally.keeps, outcomes)
        tally.close(0)

    async def _row(self, wanted: Wanted) -> Sample | DroppedRow:
        language = wanted.language
        try:
            texts, rubric = await asyncio.gather(self._texts(wanted), self._rubric(wanted))
        except _NoTranslation as error:
            return DroppedRow(
                where=language.tag, kind=language.code, reason=error.reason, detail=str(error), fault="judge"
            )
        sha = sha_of(wanted.variants) if wanted.variants else None
        fields = {"language": language.code, "texts": texts, "rubric": rubric, "rubric_sha": sha}
        return Sample(id=wanted.id, prompt=({"role": "user", "content": language.name},), fields=fields)

    async def _texts(self, wanted: Wanted) -> dict[str, Any] | None:
        language = wanted.language
        if not wanted.texts:
            return None

        def checked(translated: dict[str, Any]) -> dict[str, Any]:
            names = [] if language.tag == language.code else [language.tag]
            texts = {
                "language": self._options.names.get(language.code, language.tag),
                "script": script_of(translated["thinking"]),
                "names": names,
                **translated,
            }
            texts_of(texts, language.code, lambda place, problem: ValueError(f"{'.'.join(map(str, place))}: {problem}"))
            return texts

        return await self._translated(own_text(language.name), language, checked)

    async def _rubric(self, wanted: Wanted) -> list[dict[str, Any]] | None:
        if not wanted.variants:
            return None
        return await self._translated(as_data(wanted.variants), wanted.language, lambda translated: translated)

    async def _translated(self, original: Any, language: Language, checked: Any) -> Any:
        """Return the first draw's translation that keeps all required parts."""
        why, unanswered = "", 0
        for draw in range(self._options.tries):
            reply = await self._judge.ask(question(original, language.name, draw))
            if (refused := refusal([reply])) is not None:
                raise _NoTranslation(REFUSED, refused)
            if reply.error is not None:
                why, unanswered = reply.error, unanswered + 1
                continue
            try:
                translation = checked(self._in_language(read_translation(reply, original), language))
            except ValueError as error:
                why = str(error)
            else:
                self._judge.report_parsed(reply, True)
                return translation
            self._judge.report_parsed(reply, False)
        if unanswered == self._options.tries:
            name = self._options.translator
            raise JobError(f"translator {name!r} answered none of {unanswered} questions about {language.tag}: {why}")
        raise _NoTranslation("no translation that is in the language and keeps keys, levels and placeholders", why)

    def _in_language(self, translated: Any, language: Language) -> Any:
        """Return a translation. Raises ValueError that says in how few of its words it is in the language."""
        why = foreign(prose_of(translated), language.code, self._options.least_share)
        if why is not None:
            raise ValueError(why)
        return translated


class _NoTranslation(Exception):
    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


def calls(options: TranslatedTextsOptions, rows: int) -> int:
    """Return the maximum number of questions to the translator for this many source rows, including retries."""
    both = options.rubric is not None and field_of(options.rubric) is None  # a row has texts and the file's rubric
    return makes(options, rows) * (2 if both else 1) * options.tries


def makes(options: TranslatedTextsOptions, rows: int) -> int:
    """Return the most rows: one a language, and one more for each of rows' own rubrics in it."""
    languages = min(rows, options.most)
    own = field_of(options.rubric) is not None
    return languages + (min(rows, options.most * options.most_rubrics) if own else 0)


def first_question(options: TranslatedTextsOptions) -> Ask:
    """Return a question in the form of those that the step asks."""
    variants = [] if options.rubric is None else known_variants(options.rubric, KINDS)
    return question(as_data(variants[:1]) if variants else {"input": "Input"}, "German", 0)
