"""The data step language/translated: English problems with solutions, or questions alone, put into many languages.

Source: SP3F (Gained In Translation: Privileged Pairwise Judges Enhance Multilingual Reasoning), training data; for
questions alone PB-RLSVR (Aligning Multilingual Reasoning with Verifiable Semantics from a High-Resource Expert
Model), section 4.1.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from rewardlab import Context, Sample
from rewardlab.asking import in_order
from rewardlab.dropped import Dropped, Tally

from rewardlab_language import TranslatedOptions
from rewardlab_language.boxing import boxed, fits
from rewardlab_language.source_problem import SourceProblem, SourceQuestion, Unusable, read, read_question
from rewardlab_language.translation import Translation, Translator, Untranslated
from rewardlab_language.translation_prompt import load
from rewardlab_language.wording import wordings

ROWS_AT_ONCE = 64
TEMPLATES = {"sft": "translate.txt", "rl": "translate.txt", "question": "translate_question.txt"}


@dataclass(frozen=True)
class _Task:
    sample: Sample
    language: str


class TranslatedRows:
    r"""An iterable of samples, streaming; each iteration asks anew.

    A row: id "<source id>-<language>"; prompt: a system message in the language, and the translated problem;
    fields `answer`, `reference` (the English solution), `problem` (in English), `language`, `split` ("train" |
    "test"), `share` (of the translated problem's letters that are in the language; null where nothing was
    translated) and, for kind "sft", `response`: the translated solution. The last box of both solutions holds
    the answer. English rows are not translated. Kind "question" has the translated problem alone as its prompt,
    and of the fields `problem`, `language`, `split` and `share`.

    While it is read: UserError for a source row that lacks something; JobError where the translator answers
    none of the questions about a text, or too many rows must be dropped.
    """

    def __init__(self, options: TranslatedOptions, context: Context):
        self._options, self._seed, self._source = options, context.seed, context.source
        self._judge = context.judges[options.translator]
        self._template = load(options.template, TEMPLATES[options.kind])

    def __iter__(self) -> Iterator[Sample]:
        options = self._options
        translator = Translator(
            self._judge, options.translator, self._template, options.candidates, options.least_share
        )
        tally = Tally("language/translated", options.max_dropped, "could not be translated")

        async def work(task: _Task) -> Sample | Dropped:
            return await self._row(task, translator)

        with closing(in_order(self._tasks(), work, ROWS_AT_ONCE)) as outcomes:
            for outcome in outcomes:
                if isinstance(outcome, Dropped):
                    tally.drop(outcome)
                else:
                    tally.keep()
                    yield outcome
        tally.close(translator.failed)

    def _tasks(self) -> Iterator[_Task]:
        for index, sample in enumerate(self._source):
            every = self._options.languages_per_row == "all"
            chosen = self._options.languages if every else [language_of(index, self._options.languages, self._seed)]
            for language in chosen:
                yield _Task(sample, language)

    async def _row(self, task: _Task, translator: Translator) -> Sample | Dropped:
        sample, language = task.sample, task.language
        where = sample.source or sample.id
        try:
            if self._options.kind == "question":
                return await self._question(read_question(sample), language, where, translator)
            source = read(sample)
            if not fits(source.answer):
                raise Unusable("the answer cannot stand in a box")
            return await self._problem(source, language, where, translator)
        except Unusable as error:
            return Dropped(where=where, kind=language, reason=str(error), detail=str(error), fault="source")
        except Untranslated as error:
            return Dropped(where=where, kind=language, reason=error.reason, detail=str(error), fault="judge")

    async def _question(self, source: SourceQuestion, language: str, where: str, translator: Translator) -> Sample:
        problem = await _put(source.problem, language, translator)
        prompt = ({"role": "user", "content": problem.text},)
        fields = self._about(source, language, problem)
        return Sample(id=f"{source.id}-{language}", prompt=prompt, fields=fields, source=where)

    async def _problem(self, source: SourceProblem, language: str, where: str, translator: Translator) -> Sample:
        wording = wordings()[language]
        reference = boxed(source.solution, source.answer, wordings()["en"])
        problem = await _put(source.problem, language, translator)
        fields = {
            "answer": source.answer,
            "reference": reference,
            **self._about(source, language, problem),
        }
        if self._options.kind == "sft":
            solution = await _put(reference, language, translator)
            fields["response"] = boxed(solution.text, source.answer, wording)
        prompt = ({"role": "system", "content": wording.system}, {"role": "user", "content": problem.text})
        return Sample(id=f"{source.id}-{language}", prompt=prompt, fields=fields, source=where)

    def _about(self, source: SourceQuestion, language: str, problem: Translation) -> dict[str, Any]:
        return {
            "problem": source.problem,
            "language": language,
            "split": "test" if source.is_test(self._options.test) else "train",
            "share": problem.share,
        }


async def _put(text: str, language: str, translator: Translator) -> Translation:
    return Translation(text, None) if language == "en" else await translator.translate(text, language)


def language_of(index: int, languages: Sequence[str], seed: int) -> str:
    """The language of the row with this index, where each row gets one.

    Of as many rows in a row as there are languages each language gets one, in an order that a hash of the
    seed and the block shuffles: among the first n rows the counts of two languages differ by at most one, and
    rows that are added at the end change nothing before them.
    """
    block, place = divmod(index, len(languages))
    return sorted(languages, key=lambda code: hashlib.sha256(f"{seed}/{block}/{code}".encode()).digest())[place]


def calls(options: TranslatedOptions, rows: int) -> int:
    """The most questions that the translator gets for so many source rows, repeated tries not counted.

    Fewer where rows are dropped, texts have no words, or (last block of rows) English has its turn.
    """
    languages = len(options.languages)
    foreign = languages - ("en" in options.languages)
    if options.languages_per_row == "all":
        translated = rows * foreign
    else:
        blocks, rest = divmod(rows, languages)
        translated = blocks * foreign + min(rest, foreign)
    return translated * options.candidates * (2 if options.kind == "sft" else 1)
