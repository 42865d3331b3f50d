"""The data step language/translated: English problems with solutions, put into many languages.

Source: SP3F (Gained In Translation: Privileged Pairwise Judges Enhance Multilingual Reasoning), training data.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from rewardlab import Context, Sample
from rewardlab.asking import in_order

from rewardlab_language import TranslatedOptions
from rewardlab_language.boxing import boxed, fits
from rewardlab_language.dropped import Dropped, Tally
from rewardlab_language.source_problem import SourceProblem, Unusable, read
from rewardlab_language.translation import Translation, Translator, Untranslated
from rewardlab_language.translation_prompt import load
from rewardlab_language.wording import wordings

ROWS_AT_ONCE = 64


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
    the answer. English rows are not translated.

    While it is read: UserError for a source row that lacks something; JobError where the translator answers
    none of the questions about a text, or too many rows must be dropped.
    """

    def __init__(self, options: TranslatedOptions, context: Context):
        self._options, self._seed, self._source = options, context.seed, context.source
        self._judge = context.judges[options.translator]
        self._template = load(options.template)

    def __iter__(self) -> Iterator[Sample]:
        options = self._options
        translator = Translator(
            self._judge, options.translator, self._template, options.candidates, options.least_share
        )
        tally = Tally(options.max_dropped)

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
            source = read(sample)
            if not fits(source.answer):
                raise Unusable("the answer cannot stand in a box")
            return await self._translated(source, language, where, translator)
        except Unusable as error:
            return Dropped(where=where, language=language, reason=str(error), detail=str(error), fault="source")
        except Untranslated as error:
            return Dropped(where=where, language=language, reason=error.reason, detail=str(error), fault="translator")

    async def _translated(self, source: SourceProblem, language: str, where: str, translator: Translator) -> Sample:
        wording = wordings()[language]
        reference = boxed(source.solution, source.answer, wordings()["en"])
        problem = await _put(source.problem, language, translator)
        fields = {
            "answer": source.answer,
            "reference": reference,
            "problem": source.problem,
            "language": language,
            "split": "test" if source.is_test(self._options.test) else "train",
            "share": problem.share,
        }
        if self._options.kind == "sft":
            solution = await _put(reference, language, translator)
            fields["response"] = boxed(solution.text, source.answer, wording)
        prompt = ({"role": "system", "content": wording.system}, {"role": "user", "content": problem.text})
        return Sample(id=f"{source.id}-{language}", prompt=prompt, fields=fields, source=where)


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
