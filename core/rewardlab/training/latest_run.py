"""The newest run of a recipe, for `rewardlab run RECIPE --resume latest`."""

import json
import re
from pathlib import Path
from typing import Literal

from rewardlab.errors import UserError
from rewardlab.plan import Plan
from rewardlab.training.run_directory import run_name

LATEST = "latest"


def latest_run(plan: Plan, root: Path, command: Literal["run", "eval"]) -> Path:
    """Return the folder in `root` of the recipe's newest run, by the time in its name, that this command began.

    UserError if there is none. A folder that was named by --run-dir is not looked for, nor a run that has not begun.
    """
    name = run_name(plan)
    made = re.compile(rf"{re.escape(name)}-(\d{{8}}-\d{{6}})(?:-(\d+))?")
    found = [
        (match[1], int(match[2] or 1), path)
        for path in root.glob("*")
        if (match := made.fullmatch(path.name)) and (path / "state.json").is_file() and _began_by(path, command)
    ]
    if not found:
        raise UserError(
            f"no run of {name!r} to resume in {root}/; leave out --resume to start one, or name a folder: --resume DIR"
        )
    return max(found)[-1]


def _began_by(path: Path, command: str) -> bool:
    """Return whether the run in a folder was begun by `rewardlab COMMAND`: an evaluation has a folder like a run's."""
    try:
        begun: str = json.loads((path / "manifest.json").read_text(encoding="utf-8"))["commands"][0]
    except (OSError, ValueError, LookupError):
        return False
    return begun.startswith(f"rewardlab {command}")
