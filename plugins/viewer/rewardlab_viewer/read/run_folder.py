"""The folder of a run as a source: its records, each as far as it is whole, and its ledger line by line."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rewardlab import redact
from rewardlab.data import BadRows, read_lines
from rewardlab.errors import RewardlabError, UserError
from rewardlab.files import is_held, read_json
from rewardlab.recipe import RESOLVED, RlStage, load, validate
from rewardlab.training import Results
from rewardlab_studies.ledger import current_steps, ledger_parts, whole_lines

from rewardlab_viewer.read.source import TRAINING, Line, LoggedStage, Source

NO_RUN = "is not the folder of a run: "


class RunFolder(Source):
    """The folder of a run that has ended, goes on, or was killed."""

    def __init__(self, path: Path) -> None:
        """Read everything but the ledger. A UserError if `path` is not the folder of a run."""
        manifest, recipe = _identity(path)
        self._ledger = ledger_parts(path)
        usage = path / "usage.jsonl"
        super().__init__(
            name=path.resolve().name,
            recipe=recipe,
            manifest=manifest,
            folder=path,
            usage=usage if usage.exists() else None,
            current=current_steps(self._ledger),
            scored_by=path,
            replies=path / "judges",
        )
        self.results = dict(self._results(path / "evaluation"))
        self.logs = [log for file in sorted((path / "logs").glob("*.jsonl")) if (log := self._log(file)) is not None]
        self._ask_recipe(path)

    def lines(self) -> Iterator[Line]:
        """Yield the lines that no later attempt replaced. See Source."""
        bad, replaced = BadRows(), 0
        for _, line in whole_lines(self._ledger, bad, self._torn):
            if not _is_line(line):
                bad.count += 1
            elif line in self.current:
                yield line if "fields" not in line else {**line, "fields": _told_names(line["fields"])}
            else:
                replaced += 1
        if bad.count:
            self.notes.append(f"{bad.count:,} lines of the ledger cannot be read, and are left out.")
        if replaced:
            self.notes.append(f"{replaced:,} completions are left out: a resume went back behind them.")

    def _torn(self, _: str) -> None:
        self.notes.append("The ledger ends in the middle of a line, as a run leaves it that goes on or was killed.")

    def _results(self, folder: Path) -> Iterator[tuple[str, Results]]:
        for path in sorted(folder.glob("*.json")):
            try:
                yield path.stem, Results.load(path)
            except (RewardlabError, OSError) as error:
                self.notes.append(f"{error}.".replace(str(path), f"evaluation/{path.name}"))

    def _log(self, path: Path) -> LoggedStage | None:
        by_step: dict[int, Mapping[str, Any]] = {}
        for _, row in read_lines(path):
            if isinstance(row, Mapping) and type(row.get("step")) is int and "train_runtime" not in row:
                by_step[row["step"]] = row  # a later attempt repeats steps that an earlier one lost
        steps = sorted(by_step)
        names = sorted({key for row in by_step.values() for key in row if key not in ("step", "attempt", "epoch")})
        numbers = {name: [_finite(by_step[step].get(name)) for step in steps] for name in names}
        told = {name: column for name, column in numbers.items() if any(value is not None for value in column)}
        return LoggedStage(name=path.stem, steps=steps, numbers=told) if steps else None

    def _ask_recipe(self, path: Path) -> None:
        """Read from the recipe what is correctness and how many completions there should be, and whether it ended."""
        tree = _tree(path)
        stages = tree.get("stages") or []
        self.reward = tree.get("reward")
        self.correctness = (self.reward or {}).get("correctness")
        expected = {}
        for index, stage in enumerate(stages):
            logged = next((log for log in self.logs if log.name.startswith(f"{index}-")), None)
            if stage.get("use") == "rl" and logged is not None:
                found, _ = validate(RlStage, stage, str)
                expected[index, TRAINING] = len(logged.steps) * found.batch_size * found.group_size if found else 0
        self.expected = expected
        if not _is_whole(path, len(stages)):
            self.notes.append(
                "The run goes on; this page shows what there was when it was written."
                if _is_held(path)
                else "Not all stages are done: the run was stopped or killed, or was asked for some of them."
            )


def _identity(path: Path) -> tuple[Mapping[str, Any], str]:
    try:
        manifest = read_json(path / "manifest.json")
        recipe = (path / RESOLVED).read_text(encoding="utf-8")
        if not isinstance(manifest, dict):
            raise ValueError("its manifest.json holds no object")
    except (OSError, ValueError) as error:
        why = f"it has no {Path(error.filename).name}" if isinstance(error, FileNotFoundError) else error
        raise UserError(f"{path} {NO_RUN}{why if path.is_dir() else 'there is no such folder'}") from error
    return manifest, recipe


def _tree(path: Path) -> Mapping[str, Any]:
    """Return the recipe of a run as plain values; {} if it cannot be read, as one of a later version."""
    try:
        return load(path, strict=False).tree
    except RewardlabError:
        return {}


def _told_names(fields: Any) -> Any:
    """Return a row's fields with the values of environment variables masked in their names, as results mask them."""
    return {redact(name): value for name, value in fields.items()} if isinstance(fields, Mapping) else None


def _is_line(line: Line) -> bool:
    components = line.get("components")
    return (
        all(type(line.get(key)) is int for key in ("attempt", "group", "index"))
        and {"stage", "step", "trained", "id"} <= line.keys()
        and isinstance(components, Mapping)
        and all(isinstance(entry, Mapping) for entry in components.values())
    )


def _is_held(path: Path) -> bool:
    """Return whether a process works in the folder."""
    try:
        return is_held(path / "lock")
    except OSError:  # a folder that may not be written to
        return True


def _is_whole(path: Path, stages: int) -> bool:
    """Return whether all stages are done, or nothing says that one is not."""
    try:
        done = read_json(path / "state.json")["done"]
    except (OSError, ValueError, LookupError, TypeError):
        return True
    return len(done) >= stages


def _finite(value: Any) -> float | None:
    finite = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")
    return value if finite else None
