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
        every, languages = self._options.languages_per_row == "all", self._options.languages
        for sample in self._source:
            chosen = languages if every else [language_of(sample.id, languages, self._seed)]
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


def language_of(row: str, languages: Sequence[str], seed: int) -> str:
    """The language of the source row with this id, where each row gets one.

    The one whose hash with the seed and the id is least (rendezvous hashing). No other row has a say: what is
    added, dropped or moved elsewhere changes nothing here, and one more language takes its share of each of the
    others and moves no other row. The shares are about equal: of n rows and k languages each gets n / k, with a
    standard deviation of at most the root of that.
    """

    def weight(language: str) -> bytes:
        return hashlib.sha256(f"{seed}/{row}/{language}".encode("utf-8", "surrogatepass")).digest()

    return min(languages, key=weight)


def calls(options: TranslatedOptions, rows: int) -> int:
    """The most questions that the translator gets for so many source rows, repeated tries not counted.

    Fewer where rows are dropped, texts have no words, or, with one language a row, English is among the
    languages: how many rows stay English shows when their ids are read.
    """
    foreign = len(options.languages) - ("en" in options.languages)
    a_row = foreign if options.languages_per_row == "all" else min(foreign, 1)
    return rows * a_row * options.candidates * (2 if options.kind == "sft" else 1)
