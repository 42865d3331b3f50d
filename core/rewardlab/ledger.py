"""The run directory: what was run, where it stands, and every scored completion.

    recipe.resolved.yaml   the recipe with overrides; values from the environment stay ${oc.env:...}
    manifest.json          versions, seed, hashes, the command of each attempt
    lock                   held by the process that runs
    state.json             which stages are done
    ledger.jsonl           one line a scored completion: what each component said of it and caused
    usage.jsonl            what each judge was asked and cost, by step
    judges/                answers paid for, so that a resumed run pays nothing twice
    logs/  checkpoints/  models/  evaluation/

Each resume is a new attempt at the same folder.
"""

import hashlib
import json
import os
import platform
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from rewardlab import __version__
from rewardlab.appending import LineAppender
from rewardlab.composition import ScoredGroup
from rewardlab.decisive import decisive
from rewardlab.errors import UserError, one_line
from rewardlab.judging.usage import Usage
from rewardlab.locking import FileLock
from rewardlab.plan import Plan
from rewardlab.redaction import redact
from rewardlab.yaml12 import dump

DECISIVE = ("recipe_sha256", "plugins")  # what a resumed run must share with its first attempt
BLOCK = 1 << 16
REPORTED_PACKAGES = (
    "torch",
    "transformers",
    "trl",
    "datasets",
    "tokenizers",
    "openrlhf",
    "vllm",
    "deepspeed",
    "ray",
)


@dataclass
class RunDirectory:
    """One run's folder. `attempt` counts from 0 and grows by one with every resume."""

    path: Path
    attempt: int = 0
    done: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        try:
            self._lock = FileLock(self.path / "lock")  # until `close` or the end of the process
        except BlockingIOError:
            raise UserError("another process is running in this folder", where=str(self.path)) from None

    def close(self) -> None:
        """Let another process resume the run; idempotent."""
        self._lock.close()

    @classmethod
    def create(cls, plan: Plan, command: Sequence[str], root: Path = Path("runs")) -> "RunDirectory":
        """A new folder runs/<name>-<time>, with its recipe and manifest."""
        root.mkdir(parents=True, exist_ok=True)
        path = _new_folder(root, f"{run_name(plan)}-{time.strftime('%Y%m%d-%H%M%S')}")
        run = cls(path=path)
        (path / "recipe.resolved.yaml").write_text(dump(plan.document.raw), encoding="utf-8")
        run._write("manifest.json", _manifest(plan, command))
        run.save_state()
        return run

    @classmethod
    def resume(cls, path: Path, plan: Plan, command: Sequence[str]) -> "RunDirectory":
        """An existing folder for one more attempt.

        A UserError where it is none, or was made with another recipe or another version of a plugin.
        """
        fresh = _manifest(plan, command)
        try:
            state = json.loads((path / "state.json").read_text(encoding="utf-8"))
            manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
            attempt, done = state["attempt"] + 1, list(state["done"])
            different = [_difference(what, manifest[what], fresh[what]) for what in DECISIVE]
            commands = [*manifest["commands"], *fresh["commands"]]
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise UserError(f"{path} is no run directory to resume: {one_line(error)}") from error
        if any(different):
            raise UserError(
                f"{path} was made with {'; '.join(filter(None, different))}; "
                "resume with what it was made with, or start a new run"
            )
        run = cls(path=path, attempt=attempt, done=done)
        run._write("manifest.json", manifest | {"commands": commands})
        run.save_state()
        return run

    def folder(self, *parts: str) -> Path:
        """A folder inside, made where it is missing."""
        folder = self.path.joinpath(*parts)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def finish_stage(self, index: int) -> None:
        """Note that stage `index` is done, so that a resume passes over it."""
        self.done = sorted({*self.done, index})
        self.save_state()

    def save_state(self) -> None:
        """Write where the run stands."""
        self._write("state.json", {"attempt": self.attempt, "done": self.done})

    def _write(self, name: str, content: Mapping[str, Any]) -> None:
        scratch = self.path / f".{name}"
        scratch.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        scratch.replace(self.path / name)


class Ledger:
    """The one writer of a run's scored completions: append-only whole lines, there once `write` returns.

    Groups are numbered through an attempt, also where its stages, or a writer that died, open the file again.
    """

    def __init__(self, path: Path, attempt: int):
        self._attempt = attempt
        _cut_torn_line(path)
        last = _last_line(path)
        self._groups = last["group"] + 1 if last is not None and last["attempt"] == attempt else 0
        self._file = LineAppender(path)

    def write(self, stage: int, step: int | None, scored: Sequence[ScoredGroup], trained: str) -> None:
        """Append groups: all of them or, where the disk is full, none and a JobError.

        trained: "yes", "no" (evaluation) or "unknown".
        """
        lines = []
        for number, group in enumerate(scored, self._groups):
            common = {"attempt": self._attempt, "stage": stage, "step": step, "group": number}
            for index, row in enumerate(_rows(group)):
                lines.append(json.dumps(common | {"index": index, "trained": trained} | row, allow_nan=False))
        self._file.write("".join(f"{line}\n" for line in lines).encode())
        self._groups += len(scored)

    def close(self) -> None:
        """Idempotent."""
        self._file.close()


class UsageLog:
    """What the judges were asked and cost, a line a judge and step: differences since the line before."""

    def __init__(self, path: Path, attempt: int):
        self._attempt = attempt
        self._last: dict[str, Usage] = {}
        _cut_torn_line(path)
        self._file = LineAppender(path)

    def write(self, stage: int, step: int | None, usage: Mapping[str, Usage]) -> dict[str, Usage]:
        """Append what has come since the last call; what was written. `usage` counts from the run's beginning."""
        since = {name: now.minus(self._last.get(name, Usage())) for name, now in usage.items()}
        self.starts_from(usage)
        return self.note(stage, step, since)

    def note(self, stage: int, step: int | None, since: Mapping[str, Usage]) -> dict[str, Usage]:
        """Append these counts but for those that are nothing; what was written."""
        written = {name: counts for name, counts in since.items() if any(asdict(counts).values())}
        for name, counts in written.items():
            common = {"attempt": self._attempt, "stage": stage, "step": step, "judge": name}
            self._file.write(f"{json.dumps(common | asdict(counts))}\n".encode())
        return written

    def starts_from(self, usage: Mapping[str, Usage]) -> None:
        """What earlier attempts or stages have counted already is not written again."""
        self._last |= {name: now.minus(Usage()) for name, now in usage.items()}

    def close(self) -> None:
        """Idempotent."""
        self._file.close()


def _cut_torn_line(path: Path) -> None:
    """Cut off a last line without its end, which a crash of the machine can leave."""
    if not path.exists():
        return
    with open(path, "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        end = _line_start(file, size)
        if end < size:
            file.truncate(end)


def _last_line(path: Path) -> Mapping[str, Any] | None:
    """The last row of a file of whole lines; None where there is none, or nobody can read it."""
    if not path.exists():
        return None
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(_line_start(file, max(0, size - 1)))
        with suppress(ValueError):
            row = json.loads(file.readline() or b"null")
            return row if isinstance(row, dict) else None
    return None


def _line_start(file: BinaryIO, end: int) -> int:
    """Where the line begins that the byte before `end` belongs to."""
    while end > 0:
        start = max(0, end - BLOCK)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _rows(group: ScoredGroup) -> Iterator[dict[str, Any]]:
    for index, completion in enumerate(group.completions):
        yield {
            "id": group.sample.id,
            "completion": completion.text,
            "tokens": completion.token_count,
            "truncated": completion.truncated,
            "components": {name: _component(group, name, index) for name in group.components},
            "total": group.total[index],
            "shaped": group.shaped[index],
        } | ({} if group.causes is None else {"rest": group.causes.found.rest[index]})


def _component(group: ScoredGroup, name: str, index: int) -> dict[str, Any]:
    """What a component said, and what of the reward it caused."""
    score = group.components[name][index]
    said = {"value": score.value, "error": None if score.error is None else redact(score.error)}
    caused = {} if group.causes is None else group.causes.entry(name, index)
    return {**said, "info": dict(score.info), **caused}


def _new_folder(root: Path, name: str) -> Path:
    """A folder that nobody else has made: <name>, or <name>-2, ... for runs that start in the same second."""
    for number in count(1):
        path = root / (name if number == 1 else f"{name}-{number}")
        with suppress(FileExistsError):
            path.mkdir()
            return path
    raise AssertionError


def run_name(plan: Plan) -> str:
    """The recipe's name, or its file's."""
    return plan.recipe.name or plan.document.path.stem


def _manifest(plan: Plan, command: Sequence[str]) -> dict[str, Any]:
    return {
        "rewardlab": __version__,
        "python": platform.python_version(),
        "packages": {name: found for name in REPORTED_PACKAGES if (found := _installed(name))},
        "plugins": {p.name: f"{p.distribution} {p.version}" for p in plan.plugins.values()},
        "seed": plan.recipe.seed,
        "recipe_sha256": hashlib.sha256(dump(decisive(plan)).encode()).hexdigest(),
        # for reports, which are made without the plugins
        "remarks": {name: list(p.spec.remarks) for name, p in plan.components.items() if p.spec.remarks},
        "commands": [redact(shlex.join(command))],
    }


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _difference(what: str, then: Any, now: Any) -> str | None:
    if then == now:
        return None
    if what == "recipe_sha256":
        return "another recipe (compare its recipe.resolved.yaml)"
    changed = sorted(name for name in {*then, *now} if then.get(name) != now.get(name))
    return "; ".join(f"{name}: {then.get(name)}, now {now.get(name)}" for name in changed)
