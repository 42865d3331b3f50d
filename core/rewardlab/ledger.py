"""The run directory: what was run, where it stands, and every scored completion.

    recipe.resolved.yaml   the recipe with overrides; values from the environment stay ${oc.env:...}
    manifest.json          versions, seed, hashes, the command of each attempt
    state.json             which stages are done
    ledger.jsonl           one line a scored completion
    logs/  checkpoints/  models/  evaluation/
"""

import hashlib
import json
import os
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rewardlab import __version__
from rewardlab.composition import ScoredGroup
from rewardlab.errors import UserError
from rewardlab.loading import dump
from rewardlab.plan import Plan
from rewardlab.redaction import redact

REPORTED_PACKAGES = ("torch", "transformers", "trl", "datasets", "tokenizers")


@dataclass
class RunDirectory:
    """One run's folder. `attempt` counts from 0 and grows by one with every resume."""

    path: Path
    attempt: int = 0
    done: list[int] = field(default_factory=list)

    @classmethod
    def create(cls, plan: Plan, command: Sequence[str], root: Path = Path("runs")) -> "RunDirectory":
        """A new folder runs/<name>-<time>, with its recipe and manifest."""
        name = run_name(plan)
        path = root / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
        for number in range(2, 1000):
            try:
                path.mkdir(parents=True)
                break
            except FileExistsError:  # another run of the same second
                path = path.with_name(f"{name}-{time.strftime('%Y%m%d-%H%M%S')}-{number}")
        run = cls(path=path)
        (path / "recipe.resolved.yaml").write_text(dump(plan.document.raw), encoding="utf-8")
        run._write("manifest.json", _manifest(plan, command))
        run.save_state()
        return run

    @classmethod
    def resume(cls, path: Path, plan: Plan, command: Sequence[str]) -> "RunDirectory":
        """An existing folder for one more attempt. A UserError where it is none, or is of another recipe."""
        try:
            state = json.loads((path / "state.json").read_text(encoding="utf-8"))
            manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UserError(f"{path} is no run directory to resume: {error}") from error
        fresh = _manifest(plan, command)
        for what in ("recipe_sha256", "plugins"):
            if manifest[what] != fresh[what]:
                raise UserError(
                    f"{path} was made with {_difference(what, manifest[what], fresh[what])}; "
                    "resume with what it was made with, or start a new run"
                )
        run = cls(path=path, attempt=state["attempt"] + 1, done=state["done"])
        run._write("manifest.json", manifest | {"commands": [*manifest["commands"], *fresh["commands"]]})
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
    """The one writer of a run's scored completions: append-only, a line each, there once `write` returns."""

    def __init__(self, path: Path, attempt: int):
        self._attempt = attempt
        self._groups = 0
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def write(self, stage: int, step: int | None, scored: Sequence[ScoredGroup], trained: str) -> None:
        """Append groups. trained: "yes", "no" (evaluation) or "unknown"."""
        lines = []
        for group in scored:
            common = {"attempt": self._attempt, "stage": stage, "step": step, "group": self._groups}
            self._groups += 1
            for index, row in enumerate(_rows(group)):
                lines.append(json.dumps(common | {"index": index, "trained": trained} | row, ensure_ascii=True))
        data = ("\n".join(lines) + "\n").encode()
        while data:  # os.write may take less than all
            data = data[os.write(self._file, data) :]

    def close(self) -> None:
        """Idempotent."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _rows(group: ScoredGroup) -> Iterator[dict[str, Any]]:
    for index, completion in enumerate(group.completions):
        yield {
            "id": group.sample.id,
            "completion": completion.text,
            "tokens": completion.token_count,
            "truncated": completion.truncated,
            "components": {
                name: {"value": scores[index].value, "error": scores[index].error, "info": scores[index].info}
                for name, scores in group.components.items()
            },
            "total": group.total[index],
            "shaped": group.shaped[index],
        }


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
        "recipe_sha256": hashlib.sha256(dump(plan.document.raw).encode()).hexdigest(),
        "commands": [redact(" ".join(command))],
    }


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _difference(what: str, then: Any, now: Any) -> str:
    if what == "recipe_sha256":
        return "another recipe (compare its recipe.resolved.yaml)"
    changed = sorted({*then, *now}, key=str)
    return "; ".join(f"{n}: {then.get(n)}, now {now.get(n)}" for n in changed if then.get(n) != now.get(n))
