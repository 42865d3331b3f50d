"""The entries of all sources, in order, and what is wrong with them."""

from collections import Counter
from importlib import import_module
from pathlib import Path

from rewardlab.errors import Problem, UserError
from rewardlab_probe import SIGNATURES

from audit.grader import Grader

HERE = Path(__file__).parent


def entries(only: tuple[str, ...] = ()) -> list[Grader]:
    """Return the entries of all sources whose names begin with one of `only`. A UserError names bad ones."""
    sources = sorted(file.stem for file in (HERE / "graders").glob("*.py") if file.stem != "__init__")
    every = [grader for source in sources for grader in import_module(f"audit.graders.{source}").GRADERS]
    if problems := [*_repeated(every), *(problem for grader in every for problem in _problems(grader))]:
        raise UserError(problems)
    return [grader for grader in every if not only or grader.name.startswith(only)]


def _repeated(every: list[Grader]) -> list[Problem]:
    counts = Counter(grader.name for grader in every)
    return [Problem(where=name, what="two entries have this name") for name, count in counts.items() if count > 1]


def _problems(grader: Grader) -> list[Problem]:
    wrong = []
    if grader.signature and grader.signature not in SIGNATURES:
        wrong.append(f"no signature {grader.signature!r}")
    if not rows_of(grader).is_file():
        wrong.append(f"no rows {grader.rows!r}")
    if unpinned := [each for each in (*grader.packages, *grader.alone) if "==" not in each and "@" not in each]:
        wrong.append(f"no version: {', '.join(unpinned)}")
    if (file := adapter_of(grader)) and not grader.source and not file.is_file():
        wrong.append(f"no file {grader.target}")
    return [Problem(where=grader.name, what=what) for what in wrong]


def rows_of(grader: Grader) -> Path:
    """Return the file of a grader's rows, or the script that prints them."""
    return HERE / "rows" / grader.rows.partition(" ")[0]


def adapter_of(grader: Grader) -> Path | None:
    """Return the file that a target names; None if it names a module."""
    place = grader.target.partition(":")[0]
    return HERE / place if place.endswith(".py") else None
