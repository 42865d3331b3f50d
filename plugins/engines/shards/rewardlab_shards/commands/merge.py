"""`rewardlab merge`: the shards of an output, put together as one machine would have written them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from rewardlab import CommandResult, Config, Flag, Positional
from rewardlab.commands import find_command
from rewardlab.errors import JobError, UserError, one_line
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab.scorefile import Summary, output_path_problem, store_problem

from rewardlab_shards.merged_scores import write_merged
from rewardlab_shards.run_shards import run_shards
from rewardlab_shards.shard_files import ShardFile, whole_output

SUMMARY = "put shards of scores together"
UNSAID = "note: nothing is said about what is odd"


class Options(Config):
    """Put the shards of OUT.jsonl together: OUT.1-of-4.jsonl and its like, which `rewardlab score --shard` wrote.

    OUT.jsonl has the bytes that one machine writes, in the rows' order. Of `judge` and `probe` the command itself runs
    once more over all rows, with the shards' scores: no judge is asked, and no reward computes. Shards that are missing
    or unfinished, and those of another recipe, other rows or other versions, are refused by name. The shards stay.
    """

    shards: Annotated[Path, Positional("OUT.jsonl")]
    """the output that the shards were written for"""
    output: Annotated[Path | None, Flag("-o", metavar="FILE")] = None
    """of `score` and `judge`: a new file (OUT.jsonl)"""


def run(options: Options) -> CommandResult:
    """Write the merged file; data: the summary. A UserError names each shard that cannot be merged."""
    output = options.output or options.shards
    if not options.shards.name or "-" in (str(options.shards), str(output)):
        raise UserError("name the file that the shards were written for, and with -o another file", where=str(output))
    if problem := store_problem(options.shards) or store_problem(output):
        raise UserError(problem)
    if (run_again := run_shards(options.shards)) is not None:
        _refuse_output(options, run_again[0])
        return _of_run(*run_again)
    if problem := output_path_problem(output, new=True):
        raise UserError(problem)
    with whole_output(options.shards) as shards:
        if (command := shards[0].state.get("command")) is None:
            return _scores(shards, output)
    if not command["writes"]:
        _refuse_output(options, command)
        return _called(command, on=f"shards:{options.shards}")
    return _called(command, on=f"shards:{options.shards}", output=output)


def _refuse_output(options: Options, command: Mapping[str, Any]) -> None:
    if options.output is not None:
        problem = f"a merge of {command['name']} writes what that command writes, and where; leave -o out"
        raise UserError(problem, where=str(options.output))


def _of_run(command: Mapping[str, Any], answers: Sequence[Path]) -> CommandResult:
    """Return the result of a run that asks judges: it runs once more, or goes on, and has the shards' answers."""
    folder = command["options"].get("folder")
    begun = {"folder": None, "resume": folder} if folder and _has_files(Path(folder)) else {}
    return _called(command, answers=tuple(answers), **begun)


def _has_files(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _called(command: Mapping[str, Any], **more: Any) -> CommandResult:
    if (installed := find_command(command["name"])) is None:
        raise UserError(f"these are shards of the command {command['name']!r}, which is not installed")
    result = installed.run(installed.options(**{**command["options"], **more}))
    assert isinstance(result, CommandResult)
    return result


def _scores(shards: Sequence[ShardFile], output: Path) -> CommandResult:
    """Write what `score` wrote of all shards; return its summary."""
    notes: list[str] = []
    summary = _summary(shards[0].state["whole_recipe"], notes)

    def seen(row: Mapping[str, Any]) -> None:
        try:
            summary.add(row)
        except JobError as error:  # of a watcher, once the row is counted: a shard went on with another on_missing
            summary.watchers = ()
            notes.append(f"{UNSAID}, as shards went on with other policies: {error}")

    write_merged(shards, output, seen)
    *components, total = summary.lines()
    total = total.replace("--resume asks", "--resume of their shards asks")
    text = "\n".join([*components, *notes, f"{total}: {output}"])
    return CommandResult(text=text, data=summary.as_dict() | {"output": str(output), "shards": len(shards)})


def _summary(recipe: Mapping[str, Any], notes: list[str]) -> Summary:
    """Return the summary of what is scored by a recipe: with counts alone, and a note, if it has no plan here."""
    try:
        return Summary.of(make_plan(load(recipe, strict=False), purpose="score"))
    except UserError as error:
        notes.append(f"{UNSAID}, as the recipe cannot be read here: {one_line(error)}")
        return Summary()
