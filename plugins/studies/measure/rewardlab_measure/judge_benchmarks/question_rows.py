"""measure/benchmark_questions: a row for each language of a judge benchmark, with its question, to be translated."""

import json
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field
from rewardlab import Config, Context, Sample
from rewardlab.errors import UserError

from rewardlab_measure.judge_benchmarks.benchmark_format import BENCHMARKS, RUBRIC
from rewardlab_measure.judge_benchmarks.benchmark_rows import read_benchmark


class BenchmarkQuestionsOptions(Config):
    """Options of measure/benchmark_questions."""

    benchmark: Annotated[str, Field(min_length=1)]
    """a benchmark of `rewardlab judge --benchmark`, or a YAML file of your own"""
    path: str | None = None
    """a file of its rows in a published form; null: those of the hub"""
    languages: tuple[str, ...] = ()
    """those that are measured, by their codes; none: all that the rows have"""


class BenchmarkQuestions:
    """An iterable of samples: one for each language of a benchmark's rows and each rubric that they have in it.

    id: the benchmark's name and a number. prompt: what it is. fields: `language`, its code, and `rubric`, the
    benchmark's own question or the row's, in English; null if the question is the usual one. Iterating raises UserError
    for rows in no published form.
    """

    def __init__(self, options: BenchmarkQuestionsOptions, _context: Context | None = None) -> None:
        self._options = options
        self._about = BENCHMARKS.load(options.benchmark).about or options.benchmark

    def __iter__(self) -> Iterator[Sample]:
        options = self._options
        placed, bad = read_benchmark(options.benchmark, options.path, options.languages)
        if bad.count:
            raise bad.error(options.path or options.benchmark, "fix them")
        if not placed:
            raise UserError("it has no rows", where=options.path or options.benchmark)
        seen: set[str] = set()
        for place, case in placed:
            fields = {"language": case.slices["language"], RUBRIC: case.fields.get(RUBRIC)}
            key = json.dumps(fields, sort_keys=True)
            if key not in seen:
                seen.add(key)
                name = f"{options.benchmark}/{len(seen)}"
                yield Sample(id=name, prompt=({"role": "user", "content": self._about},), fields=fields, source=place)
