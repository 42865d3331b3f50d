"""The folder of a run as a source: its records, each as far as it is whole, and its ledger line by line."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from rewardlab import redact
from rewardlab.data import BadRows, read_lines
from rewardlab.errors import Problem, RewardlabError, UserError
from rewardlab.files import is_held, read_json
from rewardlab.recipe import RESOLVED, RlStage, load, validate
from rewardlab.text import counted
from rewardlab_records.ledger import current_steps, find_ledger, whole_lines
from rewardlab_training import UNLICENSED, Results

from rewardlab_viewer.read.source import TRAINING, Line, LoggedStage, Source, is_count, is_line, number

NO_RUN = "is not the folder of a run: "
CHANGING = ("commands", "recipe_sha256", "earlier_recipes", UNLICENSED)
"""of a manifest, what a resume adds to or replaces"""
RunState = Literal["goes on", "ended", "stopped", "unknown"]
NOTES = {
    "goes on": "The run goes on; this page shows what there was when it was written.",
    "stopped": "Not all stages are done: the run was stopped or killed, or was asked for some of them.",
    "unknown": "Whether the run goes on or has ended is not known.",
}


class RunFolder(Source):
    """The folder of a run that has ended, goes on, or was killed."""

    def __init__(self, path: Path) -> None:
        """Read everything but the ledger. A UserError if `path` is not the folder of a run."""
        super().__init__(name=path.resolve().name)
        self.path = path
        self._ledger = find_ledger(path)
        self._bad, self._replaced = BadRows(), 0
        self.current = current_steps(self._ledger)
        self.folder = self.scored_by = path
        self.replies = path / "judges"
        self.read_records()

    def read_records(self) -> None:
        """Read everything but the ledger, as it is now."""
        path, usage = self.path, self.path / "usage.jsonl"
        before = self.recipe
        self.manifest, self.recipe = _identity(path)
        if self.recipe != before:
            self.__dict__.pop("planned", None)
        self.begun = self._begun()
        self.notes.clear()
        self.notes += _unlicensed(self.manifest)
        self.usage = usage if usage.exists() else None
        self.results = dict(self._results(path / "evaluation"))
        self.logs = [log for file in sorted((path / "logs").glob("*.jsonl")) if (log := self._log(file)) is not None]
        self.counted_info = self._counted_info()
        self._ask_recipe()

    def _begun(self) -> Any:
        """Return the name and what the manifest said at first; of two runs of one recipe only the name differs."""
        manifest = self.manifest
        recipe = _first(manifest.get("earlier_recipes")) or manifest.get("recipe_sha256") or self.recipe
        kept = {key: value for key, value in manifest.items() if key not in CHANGING}
        return [self.name, kept, recipe, _first(manifest.get("commands"))]

    def lines(self) -> Iterator[Line]:
        """Yield the lines that no later attempt replaced. See Source."""
        torn: list[str] = []
        for _, line in whole_lines(self._ledger, self._bad, torn.append):
            yield from self._counted(line)
        self._note_lines(bool(torn))

    def _counted(self, line: Line | Problem) -> Iterator[Line]:
        """Yield the line if it counts, and note what is left out."""
        if isinstance(line, Problem) or not is_line(line):
            self._bad.count += 1
        elif line in self.current:
            yield line if "fields" not in line else {**line, "fields": _masked_names(line["fields"])}
        else:
            self._replaced += 1

    def _note_lines(self, torn: bool) -> None:
        if torn:
            self.notes.append("The ledger ends in the middle of a line, as a run leaves it that goes on or was killed.")
        if self._bad.count:
            self.notes.append(f"Left out: {counted(self._bad.count, 'line')} of the ledger that cannot be read.")
        if self._replaced:
            self.notes.append(f"Left out: {counted(self._replaced, 'completion')}, behind which a resume went back.")

    def _results(self, folder: Path) -> Iterator[tuple[str, Results]]:
        for path in sorted(folder.glob("*.json")):
            try:
                yield path.stem, Results.load(path)
            except (RewardlabError, OSError) as error:
                self.notes.append(f"{error}.".replace(str(path), f"evaluation/{path.name}"))

    def _log(self, path: Path) -> LoggedStage | None:
        by_step: dict[int, Mapping[str, Any]] = {}
        attempt, bad = None, 0
        for _, row in read_lines(path):
            if not isinstance(row, Mapping) or not is_count(row.get("step")):
                bad += 1
            elif "train_runtime" not in row:
                if row.get("attempt") != attempt:  # a later attempt goes back, and may end before an earlier one did
                    attempt, first = row.get("attempt"), row["step"]
                    by_step = {step: earlier for step, earlier in by_step.items() if step < first}
                by_step[row["step"]] = row
        if bad:
            self.notes.append(f"Left out: {counted(bad, 'line')} of logs/{path.name} that cannot be read.")
        steps = sorted(by_step)
        names = sorted({key for row in by_step.values() for key in row if key not in ("step", "attempt", "epoch")})
        numbers = {name: [_finite(by_step[step].get(name)) for step in steps] for name in names}
        known = {name: column for name, column in numbers.items() if any(value is not None for value in column)}
        return LoggedStage(name=path.stem, steps=steps, numbers=known) if known else None

    def _ask_recipe(self) -> None:
        """Read from the recipe what is correctness and how many completions there should be, and whether it ended."""
        tree, done = self._tree(), self._done()
        stages = (tree or {}).get("stages") or []
        self.reward = (tree or {}).get("reward")
        self.correctness = (self.reward or {}).get("correctness")
        self.names = sorted(set(_names(tree)))
        expected = {}
        for index, stage in enumerate(stages):
            logged = next((log for log in self.logs if log.name.startswith(f"{index}-")), None)
            if stage.get("use") == "rl" and logged is not None:
                valid, _ = validate(RlStage, stage, str)
                expected[index, TRAINING] = len(logged.steps) * valid.batch_size * valid.group_size if valid else 0
        self.expected = expected
        self.state: RunState = "ended"
        if tree is None or done is None or done < len(stages):
            held = is_run_held(self.path)
            idle: RunState = "unknown" if tree is None or done is None or held is None else "stopped"
            self.state = "goes on" if held else idle
            self.notes += [NOTES[self.state]]

    def _counted_info(self) -> Mapping[str, Sequence[str]]:
        counted_info = self.manifest.get("counted_info", {})
        lists = [*counted_info.values()] if isinstance(counted_info, Mapping) else [None]
        if all(isinstance(keys, list) and all(isinstance(key, str) for key in keys) for keys in lists):
            return counted_info
        self.notes.append("What rewards count, in manifest.json, cannot be read, so nothing is counted.")
        return {}

    def _tree(self) -> Mapping[str, Any] | None:
        """Return the recipe as plain values; None, with a note, if it cannot be read, as one of a later version."""
        try:
            tree = load(self.path, strict=False).tree
        except RewardlabError as error:
            self.notes.append(f"The recipe cannot be read: {error}.".replace(str(self.path / RESOLVED), RESOLVED))
            return None
        if why := _not_as_a_recipe(tree):
            self.notes.append(f"The recipe cannot be read: {why}.")
            return None
        return tree

    def _done(self) -> float | None:
        """Return how many stages are done; all if nothing says it, None, with a note, if what does is damaged."""
        try:
            done = read_json(self.path / "state.json")["done"]
            if not isinstance(done, list):
                raise ValueError
        except FileNotFoundError:
            return float("inf")
        except (OSError, ValueError, LookupError, TypeError):
            self.notes.append("state.json cannot be read.")
            return None
        return len(done)


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


def _not_as_a_recipe(tree: Mapping[str, Any]) -> str | None:
    """Return what of the parts that this page needs has another form than in any recipe."""
    stages, reward = tree.get("stages") or [], tree.get("reward") or {}
    if not isinstance(stages, list) or not all(isinstance(stage, Mapping) for stage in stages):
        return "its stages are not a list of mappings"
    if not isinstance(reward, Mapping) or not isinstance(reward.get("correctness") or "", str):
        return "its reward is not a mapping, or names no component as correctness"
    return None


def _names(tree: Any) -> Iterator[tuple[str, str]]:
    """Yield (a name of ours, the column of the rows) for all that datasets anywhere in a recipe map."""
    values = tree.values() if isinstance(tree, Mapping) else tree if isinstance(tree, list) else ()
    if isinstance(tree, Mapping) and isinstance(fields := tree.get("fields"), Mapping):
        yield from ((str(field), column) for field, column in fields.items() if isinstance(column, str))
    for value in values:
        yield from _names(value)


def _unlicensed(manifest: Mapping[str, Any]) -> list[str]:
    """Return what to say of judges that were asked without the licence that the recipe requires, each once."""
    by_attempt = manifest.get(UNLICENSED)
    attempts = by_attempt.values() if isinstance(by_attempt, Mapping) else ()
    sentences = [why for judges in attempts if isinstance(judges, Mapping) for why in judges.values()]
    return [f"{why} (it ran with --unlicensed)." for why in dict.fromkeys(map(str, sentences))]


def _first(values: Any) -> Any:
    return values[0] if isinstance(values, list) and values else None


def _masked_names(fields: Any) -> Any:
    """Return a row's fields with the values of environment variables masked in their names, as results mask them."""
    return {redact(name): value for name, value in fields.items()} if isinstance(fields, Mapping) else None


def is_run_held(path: Path) -> bool | None:
    """Return whether a process works in the folder; None if the lock cannot be looked at."""
    try:
        return is_held(path / "lock")
    except OSError:
        return None


def _finite(value: Any) -> float | None:
    known = number(value)
    return known if known == known and not isinstance(value, bool) else None
