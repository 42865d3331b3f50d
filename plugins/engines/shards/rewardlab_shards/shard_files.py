"""The shards of one output, each a file with its state beside it: which are there, and whether they belong together."""

import errno
import json
import os
import re
import resource
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewardlab.errors import JobError, Problem, UserError, one_line
from rewardlab.judging import Share
from rewardlab.scorefile import StateFolder

COMPARED = ("recipe", "components", "rows", "plugins", "all_rows")
"""the parts of a shard's state that all shards of one output have in common"""
OF_CONTENT = {"recipe", "rows", "overrides"}
"""options of a command that are compared by what they make: a recipe and rows"""
OPEN = 3
"""files that a merge has open of each shard: its lock, its lines and their places"""
TOO_MANY = (errno.EMFILE, errno.ENFILE)
"""errors of a process, or of a machine, that has too many files open"""
LISTED = 8
AGAIN = "move this shard and its folder away, and score it again"
OF_SCORES, OF_OTHERS = ("all_rows", "whole_recipe"), ("all_rows", "own_rows", "command")
"""the parts of a shard's state that a merge needs, of `score` and of other commands"""


@dataclass(frozen=True)
class ShardFile:
    """A shard of an output: its file, the folder of its state, and what that says."""

    share: Share
    path: Path
    folder: StateFolder
    state: Mapping[str, Any]

    def places(self) -> Iterator[tuple[int, str]]:
        """Yield (its place among the rows of all shards, its id) of each row.

        JobError if the file is damaged, OSError if it cannot be opened.
        """
        try:
            with open(self.folder.path / "places", encoding="utf-8") as lines:
                for place, _, row_id in (line.partition(" ") for line in lines):
                    yield int(place), json.loads(row_id)
        except (FileNotFoundError, ValueError) as error:
            raise JobError(f"{self.folder.path / 'places'} cannot be read: {one_line(error)}; {AGAIN}") from error


@contextmanager
def whole_output(output: Path) -> Iterator[Sequence[ShardFile]]:
    """Give all shards of an output, in their order; nobody else writes them meanwhile.

    A UserError names what is missing, is still written, or does not belong to the others. A JobError says why a file
    cannot be opened, here or in the block.
    """
    shares = shares_there(output)
    _allow_open_files(len(shares), str(output))
    with ExitStack() as stack:
        try:
            shards = [_opened(output, share, stack) for share in shares]
            _refuse_others(shards)
            yield shards
        except OSError as error:
            more = "; `ulimit -n` and the machine's limit bound them" if error.errno in TOO_MANY else ""
            raise JobError(f"{error.filename or output}: {error.strerror or error}{more}") from error


def shares_there(output: Path) -> list[Share]:
    """Return the shares of an output, all of whose shards are there. A UserError names those that are missing."""
    pattern = re.compile(rf"{re.escape(output.stem)}\.(\d+)-of-(\d+){re.escape(output.suffix)}")
    matches = [match for path in sorted(output.parent.glob("*")) if (match := pattern.fullmatch(path.name))]
    first = Share(1, 2).path(output).name
    if not matches:
        raise UserError(f"no shard of it is there, such as {first}; write some with --shard", where=str(output))
    numbers = sorted({int(match[2]) for match in matches})
    if len(numbers) > 1:
        listed = " and ".join(f"of {number}" for number in numbers)
        raise UserError(f"there are shards {listed}; move those away that are not meant", where=str(output))
    there = {int(match[1]) for match in matches}
    missing = [Share(part, numbers[0]) for part in range(1, numbers[0] + 1) if part not in there]
    if missing:
        names = ", ".join(share.path(output).name for share in missing[:LISTED])
        more = f" and {len(missing) - LISTED} more" if len(missing) > LISTED else ""
        raise UserError(f"shards are missing: {names}{more}", where=str(output))
    return [Share(part, numbers[0]) for part in range(1, numbers[0] + 1)]


def _allow_open_files(shards: int, where: str) -> None:
    """Let this process open the files of so many shards. UserError if the machine refuses that."""
    needed = OPEN * shards + len(os.listdir("/dev/fd")) + 128
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY not in (soft, hard) and hard < needed:
        problem = f"{shards} shards need {needed} open files, and this machine allows {hard} (`ulimit -Hn`)"
        raise UserError(f"{problem}; merge where it allows more", where=where)
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def _opened(output: Path, share: Share, stack: ExitStack) -> ShardFile:
    path = share.path(output)
    folder = StateFolder(path)
    if not folder.path.is_dir():
        raise UserError(f"there is no {folder.path} that says what made this file", where=str(path))
    stack.callback(folder.close)
    folder.hold()
    state = folder.read()
    parts = OF_OTHERS if state is not None and "command" in state else OF_SCORES
    if state is None or state.get("shard") != str(share) or set(parts) - state.keys():
        raise UserError(f"its state is not that of shard {share}; {AGAIN}", where=str(path))
    return ShardFile(share, path, folder, state)


def _refuse_others(shards: Sequence[ShardFile]) -> None:
    """Raise a UserError that names each shard that was made of another recipe, other rows or other versions."""
    first, *others = shards
    problems = [
        Problem(where=str(other.path), what=f"was made {difference} than {first.path.name}")
        for other in others
        if (difference := _difference(first.state, other.state))
    ]
    if problems:
        raise UserError(problems)


def _difference(state: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    differing = [key for key in COMPARED if state.get(key) != other.get(key)]
    if "plugins" in differing:
        return f"by other versions ({other_versions(state['plugins'], other['plugins'])})"
    if "rows" in differing or "all_rows" in differing:
        return "of other rows"
    if differing:
        return "by another recipe"
    if _on_missing(state) != _on_missing(other):  # which may change within a file, but not between the parts of one
        return "with another on_missing"
    given, others = ((shard.get("command") or {"options": {}})["options"] for shard in (state, other))
    options = [name for name in sorted({*given, *others} - OF_CONTENT) if given.get(name) != others.get(name)]
    return f"with another {', '.join(options)}" if options else ""


def other_versions(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """Return the distributions whose versions differ, with those that are there."""
    names = [name for name in {**here, **there} if here.get(name) != there.get(name)]
    return ", ".join(f"{name} {there.get(name, 'absent')}" for name in names)


def _on_missing(state: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what each component of a shard of scores does without a score."""
    components = state.get("whole_recipe", {}).get("reward", {}).get("components", {})
    return {
        name: use["on_missing"] for name, use in components.items() if isinstance(use, Mapping) and "on_missing" in use
    }
