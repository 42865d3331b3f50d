"""The data step rubric/translated_texts: a row for each language of the source's rows, with texts for questions.

Source: mR3 (Anugraha et al. 2025), appendix C.2.2, which translates tags, tasks, rubrics and schemas once a language.
"""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from rewardlab import Ask, Context, Sample
from rewardlab.data import DroppedRow, DroppedRows, in_order
from rewardlab.errors import JobError, UserError

from rewardlab_rubric.data_steps.translation_question import question, read_translation
from rewardlab_rubric.options import TranslatedTextsOptions
from rewardlab_rubric.rubrics import known_variants
from rewardlab_rubric.strategies.language_file import code_of, own_text, script_of, texts_of
from rewardlab_rubric.strategies.language_texts import Languages
from rewardlab_rubric.strategies.rubric_translations import as_data, sha_of

ROWS_AT_ONCE = 64
ENGLISH = "en"


@dataclass(frozen=True)
class _Language:
    """A language to make a row for. name: the name for the translator; tag: the row's name for it."""

    code: str
    name: str
    tag: str


class TranslatedTexts:
    """An iterable of samples, streaming; each iteration asks again.

    A row, the first time that a language comes in the source: id "texts-<code>"; prompt: the language's name;
    fields `language` (its code), `texts` (as in the packaged files; null if they have the language), `rubric` (the
    translated variants) and `rubric_sha` (which rubric they are of); both are null without a rubric. English, and
    without a rubric a packaged language, makes no row.

    Iterating raises UserError for a source row without a language, or with more languages than `most`, and JobError
    if the translator answers none of the questions about a language, or too many must be dropped.
    """

    def __init__(self, options: TranslatedTextsOptions, context: Context) -> None:
        self._options, self._source = options, context.source
        self._judge = context.judges[options.translator]
        self._packaged = Languages()
        self._codes = {name.casefold(): code for code, name in options.names.items()}
        self._variants = [] if options.rubric is None else known_variants(options.rubric, ("scale", "binary", "pair"))

    def __iter__(self) -> Iterator[Sample]:
        tally = DroppedRows("rubric/translated_texts", self._options.max_dropped, "could not be translated")
        with closing(in_order(self._languages(), self._row, ROWS_AT_ONCE)) as outcomes:
            for outcome in outcomes:
                if outcome is not None and tally.keeps(outcome):
                    yield outcome
        tally.close(0)

    def _languages(self) -> Iterator[_Language | None]:
        """Yield the language of each source row, or None for one that was there before or needs nothing."""
        seen: set[str] = set()
        for sample in self._source:
            language = self._language_of(sample)
            new = language is not None and language.code not in seen
            if language is not None and new:
                seen.add(language.code)
                if len(seen) > self._options.most:
                    told = f"more than {self._options.most} languages in field {self._options.language!r}"
                    raise UserError(f"{told}; raise `most` if they are languages", where=sample.source)
            yield language if new else None

    def _language_of(self, sample: Sample) -> _Language | None:
        tag = sample.fields.get(self._options.language)
        if not isinstance(tag, str) or not tag.strip():
            raise UserError(f"field {self._options.language!r} names no language, but is {tag!r}", where=sample.source)
        try:
            known = self._packaged.find(tag)
        except ValueError:
            code = self._codes.get(tag.strip().casefold()) or code_of(tag)
            if code is None:
                told = f"{tag[:40]!r} is not a language code; give `names: {{eu: {tag[:40]}}}`, with its code"
                raise UserError(told, where=sample.source) from None
            return _Language(code, self._options.names.get(code, f"the language with the code {tag}"), tag)
        if known.code == ENGLISH or not self._variants:
            return None
        return _Language(known.code, known.language, tag)

    async def _row(self, language: _Language | None) -> Sample | DroppedRow | None:
        if language is None:
            return None
        try:
            texts, rubric = await asyncio.gather(self._texts(language), self._rubric(language))
        except _NoTranslation as error:
            return DroppedRow(
                where=language.tag, kind=language.code, reason=error.reason, detail=str(error), fault="judge"
            )
        sha = sha_of(self._variants) if self._variants else None
        fields = {"language": language.code, "texts": texts, "rubric": rubric, "rubric_sha": sha}
        name = language.name
        return Sample(id=f"texts-{language.code}", prompt=({"role": "user", "content": name},), fields=fields)

    async def _texts(self, language: _Language) -> dict[str, Any] | None:
        if language.code in self._packaged.codes:
            return None

        def checked(translated: dict[str, Any]) -> dict[str, Any]:
            names = [] if language.tag == language.code else [language.tag]
            texts = {
                "language": self._options.names.get(language.code, language.tag),
                "script": script_of(translated["thinking"]),
                "names": names,
                **translated,
            }
            texts_of(texts, language.code, lambda place, what: ValueError(f"{'.'.join(map(str, place))}: {what}"))
            return texts

        return await self._translated(own_text(language.name), language, checked)

    async def _rubric(self, language: _Language) -> list[dict[str, Any]] | None:
        if not self._variants:
            return None
        return await self._translated(as_data(self._variants), language, lambda translated: translated)

    async def _translated(self, original: Any, language: _Language, checked: Any) -> Any:
        """Return the first draw's translation that keeps all required parts."""
        why, unanswered = "", 0
        for draw in range(self._options.tries):
            reply = await self._judge.ask(question(original, language.name, draw))
            if reply.error is not None:
                why, unanswered = reply.error, unanswered + 1
                continue
            try:
                found = checked(read_translation(reply, original))
            except ValueError as error:
                why = str(error)
            else:
                self._judge.report_parsed(reply, True)
                return found
            self._judge.report_parsed(reply, False)
        if unanswered == self._options.tries:
            name = self._options.translator
            raise JobError(f"translator {name!r} answered none of {unanswered} questions about {language.tag}: {why}")
        raise _NoTranslation("no translation that keeps keys, levels and placeholders", why)


class _NoTranslation(Exception):
    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


def calls(options: TranslatedTextsOptions, rows: int) -> int:
    """Return the maximum number of questions to the translator for this many source rows, including retries."""
    return makes(options, rows) * (1 + (options.rubric is not None)) * options.tries


def makes(options: TranslatedTextsOptions, rows: int) -> int:
    """Return the most rows: one a language."""
    return min(rows, options.most)


def first_question(options: TranslatedTextsOptions) -> Ask:
    """Return a question in the form of those that the step asks."""
    variants = [] if options.rubric is None else known_variants(options.rubric, ("scale", "binary", "pair"))
    return question(as_data(variants[:1]) if variants else {"input": "Input"}, "German", 0)
