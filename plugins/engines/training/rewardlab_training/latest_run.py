"""The run that `--resume latest` means: the recipe's newest that is not finished, with what it was begun with."""

import json
import os
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rewardlab.errors import UserError
from rewardlab.recipe import RESOLVED, Document, RecipeSource, load, source_file
from rewardlab.text import MASK, name_variables, shell_command

from rewardlab_training.run_folders import document_name

LATEST = "latest"
Command = Literal["run", "eval"]
_NAMED = re.compile(r"(.+)-(\d{8}-\d{6})(?:-(\d+))?")
_VARIABLE = re.compile(r"\$\{(\w+)\}")


@dataclass(frozen=True, kw_only=True)
class EarlierRun:
    """A run, with what the command that began it named.

    Args:
        name: of its folder, without the time.
        source: the recipe; None if that was a dict.
    """

    path: Path
    name: str
    source: str | None = None
    overrides: tuple[str, ...] = ()
    policy: str | None = None

    def again(self, source: RecipeSource, given: Sequence[str]) -> tuple[RecipeSource, Sequence[str]]:
        """Return what continues this run of recipe `source`: with the overrides that are given, else with its own.

        It is the recipe in its folder if an override held a secret, which no command keeps.
        """
        if given:
            return source, given
        hidden = any(MASK in override for override in self.overrides)
        return (self.path / RESOLVED, ()) if hidden else (source, self.overrides)


def latest_run(
    source: RecipeSource,
    overrides: Sequence[str],
    root: Path,
    command: Command,
    only: int | None,
    say: Callable[[str], None],
) -> EarlierRun:
    """Return the newest run in `root` that `command` began with this recipe and that has stages left to do.

    If all are finished, it is the newest. If overrides are given, runs that were begun with the same ones come first. A
    run is the recipe's if its command named the same file, or none that is still there and its folder has the recipe's
    name. Raises UserError if there is none. A folder that --run-dir named is not looked for, nor a run that has not
    begun.
    """
    document = load(source, list(overrides), strict=False)
    runs = [run for run in _begun(root, command) if _is_of(run, document)]
    if not runs:
        problem = f"no run of {document_name(document)!r} to resume in {root}/; leave out --resume to start one"
        raise UserError(f"{problem}, or name a folder: --resume DIR")
    if overrides:
        runs = [run for run in runs if {*run.overrides} == {*overrides}] or runs
    unfinished = next((run for run in runs if not _is_finished(run, command, only)), None)
    latest = unfinished or runs[0]
    if latest is not runs[0]:
        say(f"the newest run, {name_variables(str(runs[0].path))}, is finished; an earlier one is not, and is resumed")
    if latest.overrides and not overrides:
        say(f"it was begun with the overrides {shell_command(latest.overrides)}, and goes on with them")
    return latest


def _begun(root: Path, command: Command) -> Iterator[EarlierRun]:
    """Yield the runs that have begun, the newest first: an evaluation has a folder like a run's, and is none."""
    named = [(match, path) for path in root.glob("*") if (match := _NAMED.fullmatch(path.name))]
    for match, path in sorted(named, key=lambda matched: (matched[0][2], int(matched[0][3] or 1)), reverse=True):
        try:
            words = shlex.split(json.loads((path / "manifest.json").read_text(encoding="utf-8"))["commands"][0])
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            continue
        if words[:2] == ["rewardlab", command] and (path / "state.json").is_file():
            yield _earlier(path, match[1], [_VARIABLE.sub(_value, word) for word in words[2:]])


def _value(variable: re.Match[str]) -> str:
    """Return a variable's value; one that is not set is left for the recipe, which says what is to be exported."""
    return os.environ.get(variable[1], f"${{oc.env:{variable[1]}}}")


def _earlier(path: Path, name: str, words: Sequence[str]) -> EarlierRun:
    flag = next((at for at, word in enumerate(words) if word.startswith("--")), len(words))
    policy = words[flag + 1] if words[flag : flag + 1] == ["--policy"] else None
    source = words[0] if flag else None
    return EarlierRun(path=path, name=name, source=source, overrides=tuple(words[1:flag]), policy=policy)


def _is_of(run: EarlierRun, document: Document) -> bool:
    try:
        file = None if run.source is None else source_file(run.source)
        if file is not None and file.is_file():
            return file.resolve() == document.path.resolve()
    except (OSError, UserError):
        pass  # it is not there any more
    return run.name == document_name(document)


def _is_finished(run: EarlierRun, command: Command, only: int | None) -> bool:
    """Return whether stage `only` is done, or each of the run's; of an evaluation, each stage `eval`."""
    try:
        done = set(json.loads((run.path / "state.json").read_text(encoding="utf-8"))["done"])
        stages = enumerate(load(run.path / RESOLVED, strict=False).tree["stages"])
        wanted = {index for index, stage in stages if command == "run" or stage["use"] == "eval"}
    except (OSError, ValueError, LookupError, TypeError, UserError):
        return False  # to open the run says why
    return done >= (wanted if only is None else {only})
