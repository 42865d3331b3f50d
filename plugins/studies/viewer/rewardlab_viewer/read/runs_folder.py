"""A folder that holds the folders of runs, as `runs/` does: which ones, for somebody who names it in place of one."""

from collections.abc import Iterator
from pathlib import Path

from rewardlab.errors import Problem, UserError
from rewardlab.files import read_json
from rewardlab.recipe import RESOLVED

MAX_SHOWN = 12
RUNS = Path("runs")
"""where `rewardlab run` makes the folders of runs"""


def refuse_runs(folder: Path) -> None:
    """Raise a UserError that lists its runs if a folder is none itself."""
    if not (folder / RESOLVED).is_file() and (runs := list_runs(folder)):
        problem = "this is a folder of runs; name one of them, or several with -o PAGE"
        raise UserError([Problem(where=str(folder), what=problem), *runs])


def list_runs(folder: Path) -> list[Problem]:
    """Return a line for each run in a folder, the newest first: where it is, and the command that began it."""
    runs = sorted(_runs(folder), reverse=True)
    lines = [Problem(where=str(path), what=command) for _, path, command in runs[:MAX_SHOWN]]
    older = len(runs) - MAX_SHOWN
    return [*lines, Problem(where=str(folder), what=f"and {older} older")] if older > 0 else lines


def _runs(folder: Path) -> Iterator[tuple[float, Path, str]]:
    """Yield (when it was begun, the folder, the command) of each run."""
    for path in folder.iterdir() if folder.is_dir() else ():
        try:
            begun = (path / RESOLVED).stat().st_mtime
            command = read_json(path / "manifest.json")["commands"][0]
        except (OSError, ValueError, LookupError, TypeError):
            continue
        yield begun, path, str(command)
