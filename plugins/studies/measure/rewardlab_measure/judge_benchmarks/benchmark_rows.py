"""The cases of a judge benchmark, from local files in a published form or from the hub."""

from collections.abc import Iterator
from typing import Any

from rewardlab.data import BadRows, read_lines
from rewardlab.errors import Problem, UserError, nearest
from rewardlab_data.corrupted_answers import NumberLabels

from rewardlab_measure.judge_benchmarks.benchmark_format import BENCHMARKS, JudgeBenchmark
from rewardlab_measure.judge_benchmarks.row_cases import BenchmarkCase, cases_of
from rewardlab_measure.judge_benchmarks.row_forms import is_left_out

PlacedRow = tuple[str, dict[str, Any] | Problem]
PlacedCase = tuple[str, BenchmarkCase]
CONFIGURATION = "configuration"
"""the column that says of a row from the hub which configuration has it"""


def read_benchmark(
    name: str, path: str | None = None, languages: tuple[str, ...] = (), rows: int | None = None
) -> tuple[list[PlacedCase], BadRows]:
    """Return (the cases, each with the place of its row, and what is wrong with other rows).

    A UserError if the benchmark, a file or a language is not there; a JobError if the hub cannot be read.

    Args:
        path: a file in one of the published forms, in which {configuration} stands for each of the hub's; None
            reads the hub.
        languages: those to measure, by our codes; none for all.
        rows: the most rows of each language.
    """
    benchmark = BENCHMARKS.load(name)
    bad, cases = BadRows(), list[PlacedCase]()
    taken: dict[str, int] = {}
    seen: dict[str, str] = {}
    pairs = number = 0
    placed = list(_rows(benchmark, name, path))
    labels = _numbers_by_task(benchmark, placed)
    for place, row in placed:
        try:
            if isinstance(row, Problem):
                bad.add(row)
                continue
            if is_left_out(benchmark, row):
                continue
            made = cases_of(benchmark, row, number, pairs, labels.get(row.get(CONFIGURATION)))
            number, pairs = number + 1, pairs + len(made)
            language = made[0].slices["language"]
            if rows is not None and taken.get(language, 0) >= rows:
                continue
            taken[language] = taken.get(language, 0) + 1
            if not languages or language in languages:
                cases += [(place, _distinct(case, place, seen)) for case in made]
        except ValueError as error:
            bad.add(Problem(where=place, what=str(error)))
    _refuse_unknown(name, languages, taken, bad)
    return cases, bad


def _numbers_by_task(benchmark: JudgeBenchmark, placed: list[PlacedRow]) -> dict[Any, NumberLabels | None]:
    """Return the numbers among the right answers of each configuration, of which wrong ones are drawn."""
    columns = {form.right for form in benchmark.forms if form.wrong_is is not None}
    answers: dict[Any, list[str]] = {}
    for _, row in placed if columns else ():
        if isinstance(row, dict):
            texts = [str(row[name]) for name in columns if name in row]
            answers.setdefault(row.get(CONFIGURATION), []).extend(texts)
    return {task: NumberLabels.among(texts) for task, texts in answers.items()}


def _distinct(case: BenchmarkCase, place: str, seen: dict[str, str]) -> BenchmarkCase:
    if case.id in seen:
        raise ValueError(f"the id {case.id!r} is already used by {seen[case.id]}")
    seen[case.id] = place
    return case


def _refuse_unknown(name: str, languages: tuple[str, ...], counts: dict[str, int], bad: BadRows) -> None:
    for language in languages:
        if language not in counts and not bad.count:
            raise UserError(f"no rows in {language!r}{nearest(language, counts)}", where=name)


def _rows(benchmark: JudgeBenchmark, name: str, path: str | None) -> Iterator[PlacedRow]:
    hub = benchmark.hub
    configurations = hub.configurations if hub is not None else ()
    if path is None:
        if hub is None:
            raise UserError("is on no hub; name a file of its rows", where=name)
        for configuration in configurations or (hub.name,):
            column = configuration if configurations else None
            yield from ((place, _in(column, row)) for place, row in hub.rows(configuration))
        return
    files = (
        [path.replace("{configuration}", configuration) for configuration in configurations]
        if "{configuration}" in path
        else [path]
    )
    for file, configuration in zip(files, configurations if len(files) > 1 else [None], strict=False):
        for number, row in read_lines(file):
            yield f"{file}:{number}", row if isinstance(row, Problem) else _in(configuration, row)


def _in(configuration: str | None, row: dict[str, Any]) -> dict[str, Any]:
    return row if configuration is None else {CONFIGURATION: configuration, **row}
