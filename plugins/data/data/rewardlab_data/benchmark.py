"""data/benchmark: the questions of a published benchmark as samples with a prompt, a right answer and a language."""

import csv
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from rewardlab import Context, Sample
from rewardlab.data import BadRows, raw_sample, read_lines
from rewardlab.errors import Problem, UserError, nearest

from rewardlab_data.benchmark_cases import BenchmarkQuestion, NoRightChoice, case_of, example_of
from rewardlab_data.benchmark_format import BENCHMARKS
from rewardlab_data.benchmark_prompts import BenchmarkPrompts
from rewardlab_data.options import BenchmarkOptions

PlacedRow = tuple[str, dict[str, Any] | Problem]
TABLES = {".tsv": "\t", ".csv": ","}


class BenchmarkRows:
    """An iterable of raw samples, language by language in the order of the options, each in the order of its rows.

    Fields: `answer` (of a choice its label), `language`, `task`, `problem` (alike in every language if the benchmark
    is parallel), `choices` (label -> text) if it has them, and the columns that the format keeps.

    Iterating raises UserError if a language, a file or a column does not exist, and at the end of a language with
    bad rows, of which the first 20 are listed; and JobError if the hub cannot be reached.
    """

    def __init__(self, options: BenchmarkOptions, _context: Context | None = None) -> None:
        self._options = options
        self._benchmark = BENCHMARKS.load(options.benchmark)
        self._prompts = BenchmarkPrompts(self._benchmark, options)

    def __iter__(self) -> Iterator[Sample]:
        languages = self._languages()
        self._prompts.check(languages)
        for language in languages:
            examples = self._examples(language)
            place = ""
            first = self._options.shots if self._shares_rows() else 0
            for place, case in self._cases(
                language, self._rows(language, self._options.path), self._options.rows, first
            ):
                yield raw_sample(self._row(case, self._shots(case, examples)), place)
            if not place:
                raise UserError(f"no rows in {language}", where=self._options.path or self._options.benchmark)

    def _shares_rows(self) -> bool:
        """Return whether the examples are the first rows of those that are evaluated, which then begin behind them."""
        if self._options.path is not None:
            return self._options.path == self._options.shots_path
        hub = self._benchmark.hub
        return hub is not None and hub.shots == hub.split and self._options.shots_path is None

    def _languages(self) -> list[str]:
        known = self._benchmark.languages
        for language in self._options.languages or ():
            if language not in known:
                raise UserError(f"no language {language!r}{nearest(language, known)}", where=self._options.benchmark)
        languages = list(self._options.languages or known)
        for name in ("path", "shots_path"):
            path = getattr(self._options, name)
            if path is not None and "{language}" not in path and self._reads_files_of_their_own(languages):
                problem = f"{name}: one file cannot be that of {len(languages)} languages; put {{language}} into it"
                raise UserError(problem, where=self._options.benchmark)
        return languages

    def _reads_files_of_their_own(self, languages: Sequence[str]) -> bool:
        return len(languages) > 1 and self._benchmark.language_is == "configuration"

    def _row(self, case: BenchmarkQuestion, shots: Sequence[BenchmarkQuestion]) -> dict[str, Any]:
        prompt = self._prompts.messages(case, shots)
        fields: dict[str, Any] = {"answer": case.answer, "language": case.language, "task": self._benchmark.task}
        if case.choices:
            fields["choices"] = dict(case.choices)
        name = {"id": f"{case.language}/{case.problem}", "problem": case.problem}
        return {**case.kept, **name, "prompt": prompt, **fields}

    def _examples(self, language: str) -> list[BenchmarkQuestion]:
        """Return the examples in a language: `shots` of them, or all if each question takes those of its group."""
        wanted = self._options.shots
        if not wanted:
            return []
        rows = self._rows(language, self._options.shots_path, shots=True)
        most = wanted if self._benchmark.shots_by is None else None
        examples = [example_of(self._benchmark, case) for _, case in self._cases(language, rows, most)]
        if most is not None:
            self._refuse_few(examples, language)
        return examples

    def _shots(self, case: BenchmarkQuestion, examples: Sequence[BenchmarkQuestion]) -> list[BenchmarkQuestion]:
        """Return the first examples of a case's group. Raises UserError if there are too few."""
        shots = list(islice((example for example in examples if example.group == case.group), self._options.shots))
        self._refuse_few(shots, f"{case.language} of {self._benchmark.shots_by} {case.group!r}")
        return shots

    def _refuse_few(self, questions: Sequence[BenchmarkQuestion], source: str) -> None:
        wanted = self._options.shots
        if len(questions) < wanted:
            problem = f"{len(questions)} examples in {source}; `shots` asks for {wanted}"
            raise UserError(problem, where=self._options.shots_path or self._options.benchmark)

    def _cases(
        self, language: str, rows: Iterator[PlacedRow], most: int | None, first: int = 0
    ) -> Iterator[tuple[str, BenchmarkQuestion]]:
        bad, place = BadRows(), self._options.path or self._options.benchmark
        end = None if most is None else first + most
        for number, (place, row) in enumerate(islice(rows, first, end), first):
            if isinstance(row, Problem):
                bad.add(row)
                continue
            try:
                case = case_of(self._benchmark, row, language, number)
            except ValueError as error:
                if isinstance(error, NoRightChoice) and self._benchmark.lacks_answers:
                    continue
                bad.add(Problem(where=place, what=str(error)))
                continue
            yield place, case
        if bad.count:
            form = self._benchmark.source or self._options.benchmark
            raise bad.error(place.rpartition(":")[0] or place, f"the form of {self._benchmark.task} is that of {form}")

    def _rows(self, language: str, path: str | None, shots: bool = False) -> Iterator[PlacedRow]:
        """Yield (place, row or what is wrong with it) from the local file or the hub."""
        language_name = self._benchmark.languages[language]
        if path is not None:
            return _file_rows(path.replace("{language}", language_name), self._benchmark.headerless)
        if self._options.path is not None:
            raise UserError("`shots` needs `shots_path` if `path` names a file", where=self._options.benchmark)
        return self._hub_rows(language_name, shots)

    def _hub_rows(self, language_name: str, shots: bool) -> Iterator[PlacedRow]:
        hub = self._benchmark.hub
        if hub is None:
            raise UserError("is on no hub; give `path`", where=self._options.benchmark)
        if shots and hub.shots is None:
            raise UserError("has no examples on the hub; give `shots_path`", where=self._options.benchmark)
        name = hub.name or (language_name if self._benchmark.language_is == "configuration" else None)
        return hub.rows(name, split=hub.shots if shots else None, revision=self._options.revision)


def _file_rows(path: str, headerless: tuple[str, ...]) -> Iterator[PlacedRow]:
    file = Path(path).expanduser()
    if headerless and file.suffix in TABLES:
        yield from _table_rows(file, headerless)
        return
    for number, row in read_lines(str(file)):
        yield f"{path}:{number}", row


def _table_rows(file: Path, names: tuple[str, ...]) -> Iterator[PlacedRow]:
    """Yield the rows of a table without a line of names; one whose first line has them is read, too."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            quoting: Literal[0, 3] = csv.QUOTE_NONE if file.suffix == ".tsv" else csv.QUOTE_MINIMAL
            reader = csv.reader(text, delimiter=TABLES[file.suffix], quoting=quoting)
            for cells in reader:
                place = f"{file}:{reader.line_num}"
                if reader.line_num == 1 and set(names) <= set(cells):
                    names = tuple(cells)
                elif len(cells) != len(names):
                    yield place, Problem(where=place, what=f"{len(cells)} cells; {len(names)} are {', '.join(names)}")
                else:
                    yield place, dict(zip(names, cells, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UserError(f"cannot be read: {reason}", where=str(file)) from None
