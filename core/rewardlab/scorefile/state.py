"""The state of an output file of `score`, in a folder beside it: who writes it now, and what it is made from.

OUT.jsonl.state/lock         held (flock) by the one process that writes OUT.jsonl
OUT.jsonl.state/state.json   the part of the recipe that decides scores, a hash of the rows, versions of plugins
OUT.jsonl.state/places       of a shard: the place of each of its rows among those of all shards
OUT.jsonl.state/judges/      the judges' answers, so that nothing is paid for twice
OUT.jsonl.state/judges.earlier/   those for an earlier file of this name, which no job uses
"""

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rewardlab.errors import JobError, Problem, UserError
from rewardlab.files import FileLock, read_json, sha256_of, write_json, write_text
from rewardlab.plan import Plan
from rewardlab.plan.fingerprint import decisive, differences
from rewardlab.text.redaction import redactor
from rewardlab.version import __version__

FORMAT = 1
_FORM = {"recipe": dict, "components": list, "rows": dict, "plugins": dict}


class StateFolder:
    """The folder of an output file's state, beside that file."""

    def __init__(self, output: Path) -> None:
        self.path = output.with_name(output.name + ".state")
        self.scratch = self.path / "ordered.jsonl"
        self.judges = self.path / "judges"
        self.earlier_judges = self.path / "judges.earlier"
        self._output = output
        self._lock: FileLock | None = None

    def hold(self) -> None:
        """Make the folder if it is missing and keep other writers out, until `close` or the end of the process.

        Holding it again does nothing. UserError if another process holds it.
        """
        if self._lock is not None:
            return
        self.path.mkdir(exist_ok=True)
        try:
            self._lock = FileLock(self.path / "lock")
        except BlockingIOError:
            raise UserError("another process is writing this file", where=str(self._output)) from None

    def set_replies_aside(self) -> bool:
        """Move the judges' answers for an earlier output to `earlier_judges`; return whether there were any.

        UserError if another process holds the folder.
        """
        if self._output.exists() or not self.judges.is_dir():  # another process may have begun while rows were read
            return False
        self.hold()
        shutil.rmtree(self.earlier_judges, ignore_errors=True)
        self.judges.rename(self.earlier_judges)
        return any(self.earlier_judges.glob("*.answers.jsonl"))

    def close(self) -> None:
        """Let other writers in; closing again does nothing."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def read(self) -> dict[str, Any] | None:
        """Return what the file was begun from; None if nothing was begun. UserError, JobError: it is unreadable."""
        place = self.path / "state.json"
        try:
            state = read_json(place)
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise JobError(f"{place} cannot be read: {error}") from error
        if not isinstance(state, dict) or state.get("format") != FORMAT:
            raise UserError(f"another version of rewardlab wrote this; it has {__version__}", where=str(place))
        if not _FORM.items() <= {key: type(state.get(key)) for key in _FORM}.items():
            raise JobError(f"{place} is damaged; move it and {self._output} away to begin anew")
        return state

    def write(self, origin: Mapping[str, Any]) -> None:
        """Write down what the file is made from, all of it or nothing."""
        write_json(self.path / "state.json", origin)

    def write_places(self, places: Iterable[tuple[int, str]]) -> None:
        """Write down where the rows of a shard, by their ids, stand among those of all shards."""
        write_text(self.path / "places", (f"{place} {json.dumps(row_id)}\n" for place, row_id in places))


def origin(plan: Plan, rows: str | Mapping[str, Any]) -> dict[str, Any]:
    """Return all that decides the scores; rows: a file, or what identifies them.

    Values from the environment, which may be secrets, stay `${oc.env:...}`.
    """
    raw = decisive(plan)
    recipe: dict[str, Any] = {key: raw[key] for key in ("version", "seed", "reward", "judges") if key in raw}
    dataset = raw.get("dataset")
    if isinstance(dataset, dict) and "fields" in dataset:
        recipe["dataset"] = {"fields": dataset["fields"]}
    named = [*plan.components.values(), *plan.judges.values(), *plan.normalizers]
    plugins = [plan.plugins[planned.use.use.partition("/")[0]] for planned in named]
    return {
        "format": FORMAT,
        "recipe": redactor().tree(recipe),
        "components": list(plan.components),
        "rows": {"sha256": sha256_of(rows)} if isinstance(rows, str) else dict(rows),
        "plugins": {"rewardlab": __version__} | {p.distribution: p.version for p in plugins},
    }


def changes(then: Mapping[str, Any], now: Mapping[str, Any], plan: Plan, rows: str) -> list[Problem]:
    """Return a problem for each thing that has changed since the file was begun."""
    problems = []
    for path, old, new in differences(then["recipe"], now["recipe"]):
        problems.append(Problem(where=plan.document.where(path), what=f"was {old}, is {new}", path=path))
    if not problems and then["components"] != now["components"]:
        problem = f"the order was {', '.join(then['components'])}, is {', '.join(now['components'])}"
        problems.append(Problem(where=plan.document.where(("reward", "components")), what=problem))
    if then["rows"] != now["rows"]:
        problems.append(Problem(where=rows, what="the rows have changed"))
    for (name, *_), old, new in differences(then["plugins"], now["plugins"]):
        problems.append(Problem(where=str(name), what=f"was version {old}, is {new}"))
    return problems
