"""`rewardlab merge`: the shards of an output, put together as one machine would have written them."""

from pathlib import Path
from typing import Annotated

from rewardlab import CommandResult, Config, Flag, Positional
from rewardlab.errors import UserError
from rewardlab.scorefile import Summary, output_path_problem

from rewardlab_shards.merged_scores import write_merged
from rewardlab_shards.shard_files import whole_output

SUMMARY = "put shards of scores together"


class Options(Config):
    """Put the shards of OUT.jsonl together: OUT.1-of-4.jsonl and its like, which `rewardlab score --shard` wrote.

    OUT.jsonl has the bytes that one machine writes, in the rows' order. Shards that are missing or unfinished, and
    those of another recipe, other rows or other versions, are refused by name. The shards stay.
    """

    shards: Annotated[Path, Positional("OUT.jsonl")]
    """the output that the shards were written for"""
    output: Annotated[Path | None, Flag("-o", metavar="FILE")] = None
    """a new file (OUT.jsonl)"""


def run(options: Options) -> CommandResult:
    """Write the merged file; data: the summary. A UserError names each shard that cannot be merged."""
    output = options.output or options.shards
    if problem := output_path_problem(output, new=True):
        raise UserError(problem)
    with whole_output(options.shards) as shards:
        summary = Summary(**shards[0].state["summary"])
        write_merged(shards, output, summary.add)
    *components, total = summary.lines()
    text = "\n".join([*components, f"{total}: {output}"])
    return CommandResult(text=text, data=summary.as_dict() | {"output": str(output), "shards": len(shards)})
