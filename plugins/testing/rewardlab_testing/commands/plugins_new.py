"""`rewardlab plugins new`: a plugin to start from."""

from typing import Annotated

from rewardlab import CommandResult, Config, Positional

from rewardlab_testing.scaffold.scaffold import next_steps, write_scaffold


class Options(Config):
    """Write a plugin that installs, keeps its laws and has tests."""

    name: Annotated[str, Positional("NAME")]
    """of the plugin"""
    into: str | None = None
    """the folder to make (./rewardlab-NAME)"""
    kind: str = "reward"
    """reward, judge, dataset, curriculum, normalizer or backend"""
    minimal: bool = False
    """as few files as it takes"""


def run(options: Options) -> CommandResult:
    """Write it; data: the folder, its files, and what to do next."""
    made = write_scaffold(options.name, options.into, kind=options.kind, minimal=options.minimal)
    lines = [f"{made.folder}: {len(made.files)} files, with the {made.kind} {made.use}. Next:"]
    lines += [f"  {command}" for command in next_steps(made)]
    data = {"folder": str(made.folder), "files": made.files, "next": next_steps(made)}
    return CommandResult(text="\n".join(lines), data=data)
