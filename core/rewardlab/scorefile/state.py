"""What `score` remembers of a file that it writes, in a folder beside it: who writes now, and from what.

OUT.jsonl.state/lock         held (flock) by the one process that writes OUT.jsonl
OUT.jsonl.state/state.json   the recipe's part that decides scores, a hash of the rows, versions of plugins
OUT.jsonl.state/judges/      what judges answered, so that nothing is paid for twice
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rewardlab import __version__
from rewardlab.decisive import decisive
from rewardlab.errors import JobError, Problem, UserError
from rewardlab.locking import FileLock
from rewardlab.plan import Plan
from rewardlab.redaction import redactor

FORMAT = 1


class StateFolder:
    """The folder beside an output file."""

    def __init__(self, output: Path):
        self.path = output.with_name(output.name + ".state")
        self.scratch = self.path / "ordered.jsonl"
        self.judges = self.path / "judges"
        self._output = output
        self._lock: FileLock | None = None

    def hold(self) -> None:
        """Make the folder where it is missing and keep other writers out, until `close` or the process ends.

        Idempotent. A UserError where another process is at it.
        """
        if self._lock is not None:
            return
        self.path.mkdir(exist_ok=True)
        try:
            self._lock = FileLock(self.path / "lock")
        except BlockingIOError:
            raise UserError("another process is writing this file", where=str(self._output)) from None

    def close(self) -> None:
        """Let other writers in; idempotent."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def read(self) -> dict[str, Any] | None:
        """What the file was begun from; None where nothing was begun."""
        place = self.path / "state.json"
        try:
            state = json.loads(place.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise JobError(f"{place} cannot be read: {error}") from error
        if not isinstance(state, dict) or state.get("format") != FORMAT:
            raise UserError(f"another version of rewardlab wrote this; it has {__version__}", where=str(place))
        return state

    def write(self, origin: Mapping[str, Any]) -> None:
        """Note what the file is made from: all of it or nothing."""
        scratch = self.path / "state.json.new"
        with open(scratch, "w", encoding="utf-8") as file:
            json.dump(origin, file, ensure_ascii=False, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, self.path / "state.json")


def origin(plan: Plan, rows: str) -> dict[str, Any]:
    """All that decides the scores. Values from the environment stay `${oc.env:...}`: they may be secrets."""
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
        "rows": {"sha256": _sha256(rows)},
        "plugins": {"rewardlab": __version__} | {p.distribution: p.version for p in plugins},
    }


def changes(then: Mapping[str, Any], now: Mapping[str, Any], plan: Plan, rows: str) -> list[Problem]:
    """What is not as it was when the file was begun."""
    problems = []
    for path, old, new in _differences(then["recipe"], now["recipe"]):
        problems.append(Problem(where=plan.document.where(path), what=f"was {_text(old)}, is {_text(new)}", path=path))
    if not problems and then["components"] != now["components"]:
        what = f"the order was {', '.join(then['components'])}, is {', '.join(now['components'])}"
        problems.append(Problem(where=plan.document.where(("reward", "components")), what=what))
    if then["rows"] != now["rows"]:
        problems.append(Problem(where=rows, what="the rows have changed"))
    for (name, *_), old, new in _differences(then["plugins"], now["plugins"]):
        problems.append(Problem(where=name, what=f"was version {_text(old)}, is {_text(new)}"))
    return problems


_ABSENT = object()


def _differences(then: Any, now: Any, path: tuple = ()) -> Iterator[tuple[tuple, Any, Any]]:
    if isinstance(then, dict) and isinstance(now, dict):
        for key in dict.fromkeys([*then, *now]):
            yield from _differences(then.get(key, _ABSENT), now.get(key, _ABSENT), (*path, key))
    elif then != now or type(then) is not type(now):
        yield path, then, now


def _text(value: Any) -> str:
    text = "absent" if value is _ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else text[:97] + "..."


def _sha256(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
