"""What `score` wrote of each shard, as one machine writes it: in the rows' order, each row once, line by line."""

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing
from heapq import merge
from operator import itemgetter
from pathlib import Path
from typing import Any

from rewardlab.errors import JobError, UserError
from rewardlab.files import LineAppender
from rewardlab.scorefile import StateFolder, parsed_row
from rewardlab.text import Progress

from rewardlab_shards.shard_files import ShardFile

OF_SHARDS = {"shard", "all_rows", "whole_recipe"}
"""the parts of a shard's state that one of a whole file has not"""
Line = tuple[int, bytes, dict[str, Any]]
"""the place of a row among those of all shards, its line, and what that holds"""


def write_merged(shards: Sequence[ShardFile], output: Path, seen: Callable[[dict[str, Any]], Any]) -> None:
    """Write the lines of all shards to a new file, which is whole or not there; call `seen` with each row.

    Its state says what made it, as that of one machine does. It keeps a line of each shard in memory. A UserError names
    a shard that is not finished, a JobError a row that no shard has, and a disk that is full.
    """
    scratch = output.with_name(f".{output.name}.merging")
    origin = {key: value for key, value in shards[0].state.items() if key not in OF_SHARDS}
    with ExitStack() as stack, Progress("merging", total=shards[0].state["all_rows"]) as bar:
        stack.callback(scratch.unlink, missing_ok=True)
        scratch.unlink(missing_ok=True)  # of a merge that was killed
        file = stack.enter_context(closing(LineAppender(scratch, new=True)))
        lines = merge(*(stack.enter_context(closing(_lines(shard))) for shard in shards), key=itemgetter(0))
        count = 0
        for place, line, row in lines:
            if place != count:
                break
            file.write(line)
            seen(row)
            bar.update()
            count += 1
        if count != shards[0].state["all_rows"]:
            raise JobError(f"{output}: no shard, or more than one, has row {count + 1}; score the shards again")
        file.close()
        state = stack.enter_context(closing(StateFolder(output)))
        state.set_replies_aside()
        state.hold()
        state.write(origin)
        scratch.rename(output)


def _lines(shard: ShardFile) -> Generator[Line]:
    """Yield the lines of a shard in their order; UserError if it lacks some, or has others."""
    with open(shard.path, "rb") as lines:
        for place, row_id in shard.places():
            line = next(lines, b"")
            row = parsed_row(line, shard.state["components"])
            if row is None or str(row["id"]) != row_id or not line.endswith(b"\n"):
                raise _unfinished(shard)
            yield place, line, row
        if next(lines, b""):
            raise _unfinished(shard)


def _unfinished(shard: ShardFile) -> UserError:
    return UserError(f"shard {shard.share} is not finished; run its command again with --resume", where=str(shard.path))
