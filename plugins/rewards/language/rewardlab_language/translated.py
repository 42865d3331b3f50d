"""The data step language/translated: English problems with solutions, or questions alone, in many languages.

Source: SP3F (Gained In Translation: Privileged Pairwise Judges Enhance Multilingual Reasoning), training data; for
questions alone PB-RLSVR (Aligning Multilingual Reasoning with Verifiable Semantics from a High-Resource Expert
Model), section 4.1.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rewardlab import Ask, Context, Sample
from rewardlab_data.dropped_rows import DroppedRow

from rewardlab_language.alterations import alterations, question_alterations
from rewardlab_language.boxing import boxed
from rewardlab_language.drawing import drawn_pairs, least, order_key
from rewardlab_language.options import TranslatedOptions
from rewardlab_language.source_problem import (
    SourceProblem,
    SourceQuestion,
    UntranslatableRow,
    read_problem,
    read_question,
)
from rewardlab_language.translation import Check, NoUsableTranslation, Translation, Translator, question
from rewardlab_language.translation_prompt import TranslationTemplate, load
from rewardlab_language.translation_step import dropped, translated_samples, untranslatable
from rewardlab_language.wording import wordings

TEMPLATES = {"sft": "translate.txt", "rl": "translate.txt", "question": "translate_question.txt"}


@dataclass(frozen=True)
class _RowToTranslate:
    sample: Sample
    language: str


class TranslatedRows:
    r"""An iterable of samples, streaming; each iteration asks again.

    A row: id "<source id>-<language>"; prompt: a system message in the language, and the translated problem;
    fields `answer`, `answer_language` ("en", whose notation it keeps), `reference` (the English solution), `problem`
    (in English), `language`, `split` ("train" | "test"), `share` (of the translated problem's letters that are in the
    language; null if nothing was translated), `altered` (what the translations altered, in words) and, for kind
    "sft", `response`: the translated solution. The last box of both solutions holds the answer. English rows are not
    translated. Kind "question" has the translated problem alone as its prompt, and of the fields `problem`, `language`,
    `split`, `share` and `altered`.

    Iterating raises UserError for a source row that lacks something, and JobError if the translator answers none
    of the questions about a text, or too many rows must be dropped.
    """

    def __init__(self, options: TranslatedOptions, context: Context) -> None:
        self._options, self._seed, self._source = options, context.seed, context.source
        self._judge = context.judges[options.translator]
        self._template = template_of(options)

    def __iter__(self) -> Iterator[Sample]:
        rows = self._rows_to_translate()
        return translated_samples(
            "language/translated", self._options, self._judge, self._template, rows, self._translate_row
        )

    def _rows_to_translate(self) -> Iterator[_RowToTranslate]:
        """Yield the rows to translate; `problems` and `draw` count source rows that can be translated alone."""
        options, source = self._options, self._source
        useless: list[_RowToTranslate] = []
        if options.problems is not None or options.draw is not None:
            source = self._translatable(source, useless)
        if options.problems is not None:
            source = least(source, options.problems, lambda sample: order_key(self._seed, "problem", sample.id))
        if options.draw is not None:
            name = f"{self._seed}/{options.kind}"
            for sample, language in drawn_pairs(source, options.languages, options.draw, name):
                yield _RowToTranslate(sample, language)
        else:
            for sample in source:
                every = options.languages_per_row == "all"
                for language in options.languages if every else [language_of(sample.id, options.languages, self._seed)]:
                    yield _RowToTranslate(sample, language)
        yield from useless

    def _translatable(self, source: Iterable[Sample], useless: list[_RowToTranslate]) -> Iterator[Sample]:
        """Yield the source rows that can be translated; note the others, which are counted in no language."""
        for sample in source:
            try:
                self._read(sample)
            except UntranslatableRow:
                useless.append(_RowToTranslate(sample, ""))
            else:
                yield sample

    def _read(self, sample: Sample) -> SourceQuestion:
        """Return what is translated of a source row. Raises UntranslatableRow if no translator need be asked."""
        return read_question(sample) if self._options.kind == "question" else read_problem(sample)

    async def _translate_row(self, row: _RowToTranslate, translator: Translator) -> Sample | DroppedRow:
        language, where = row.language, row.sample.source or row.sample.id
        try:
            source = self._read(row.sample)
            if isinstance(source, SourceProblem):
                return await self._translate_problem(source, language, where, translator)
            return await self._translate_question(source, language, where, translator)
        except UntranslatableRow as error:
            return untranslatable(where, language, error)
        except NoUsableTranslation as error:
            return dropped(where, language, error)

    async def _translate_question(
        self, source: SourceQuestion, language: str, where: str, translator: Translator
    ) -> Sample:
        problem = await _translate(source.problem, language, translator, question_alterations)
        prompt = ({"role": "user", "content": problem.text},)
        fields = self._common_fields(source, language, problem)
        return Sample(id=f"{source.id}-{language}", prompt=prompt, fields=fields, source=where)

    async def _translate_problem(
        self, source: SourceProblem, language: str, where: str, translator: Translator
    ) -> Sample:
        wording = wordings()[language]
        reference = boxed(source.solution, source.answer, wordings()["en"])
        check = partial(question_alterations, answer=source.answer)
        problem = await _translate(source.problem, language, translator, check)
        fields = {
            "answer": source.answer,
            "answer_language": "en",  # the notation that it keeps: 1,200 is not 1.2, whatever the row's language
            "reference": reference,
            **self._common_fields(source, language, problem),
        }
        if self._options.kind == "sft":
            solution = await _translate(reference, language, translator)
            altered = [
                alteration for alteration in solution.altered if alteration.kind != "box"
            ]  # the next lines put one there
            descriptions = replace(solution, altered=altered).descriptions(
                "response", self._options.drop_altered, is_problem=False
            )
            fields["altered"] += descriptions
            fields["response"] = boxed(solution.text, source.answer, wording)
        prompt = ({"role": "system", "content": wording.system}, {"role": "user", "content": problem.text})
        return Sample(id=f"{source.id}-{language}", prompt=prompt, fields=fields, source=where)

    def _common_fields(self, source: SourceQuestion, language: str, problem: Translation) -> dict[str, Any]:
        return {
            "problem": source.problem,
            "language": language,
            "split": "test" if source.is_test(self._options.test) else "train",
            "share": problem.share,
            "altered": problem.descriptions("problem", self._options.drop_altered, is_problem=True),
        }


def template_of(options: TranslatedOptions) -> TranslationTemplate:
    """Return the template that the options name: the user's, or a packaged one."""
    packaged = TEMPLATES[options.kind] if options.prompt == "fenced" else "translate_bare.txt"
    return load(options.template, packaged)


def first_question(options: TranslatedOptions) -> Ask:
    """Return a small question in the form of those that the step asks."""
    foreign = next((language for language in options.languages if language != "en"), "en")
    return question(template_of(options), "Good morning.", foreign, options.sampling.model_dump(exclude_none=True))


async def _translate(text: str, language: str, translator: Translator, check: Check = alterations) -> Translation:
    return Translation(text, None) if language == "en" else await translator.translate(text, language, check=check)


def language_of(row: str, languages: Sequence[str], seed: int) -> str:
    """Return the language of the source row with this id, if each row gets one.

    It is the one whose hash with the seed and the id is least (rendezvous hashing). Other rows do not matter: adding,
    dropping or moving other rows changes nothing here, and one more language takes its share from each of the others
    and moves no other row. The shares are about equal: of n rows and k languages each gets n / k, with a standard
    deviation of at most the root of that.
    """

    def weight(language: str) -> bytes:
        return hashlib.sha256(f"{seed}/{row}/{language}".encode("utf-8", "surrogatepass")).digest()

    return min(languages, key=weight)


def calls(options: TranslatedOptions, rows: int) -> int:
    """Return the maximum number of questions to the translator for this many source rows, without retries.

    There are fewer if rows are dropped, texts have no words, or, with one language a row, English is among the
    languages: how many rows stay English is known only once their ids are read.
    """
    foreign = len(options.languages) - ("en" in options.languages)
    per_row = foreign if options.languages_per_row == "all" else min(foreign, 1)
    translated = min(rows, options.problems or rows) * per_row
    return min(translated, options.draw or translated) * options.candidates * (2 if options.kind == "sft" else 1)


def makes(options: TranslatedOptions, rows: int) -> int:
    """Return the maximum number of rows made from this many source rows."""
    made = min(rows, options.problems or rows) * (len(options.languages) if options.languages_per_row == "all" else 1)
    return min(made, options.draw or made)
