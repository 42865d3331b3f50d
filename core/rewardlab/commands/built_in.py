"""The commands of this repository, and where each is found."""

from rewardlab.command_spec import CommandSpec

TRACEBACK = "REWARDLAB_TRACEBACK"
"""the variable that asks for tracebacks, as --traceback does"""


def _command(name: str, summary: str) -> CommandSpec:
    module = f"rewardlab.commands.{name}"
    return CommandSpec(name=name, summary=summary, config=f"{module}:Options", run=f"{module}:run")


BUILT_IN = [
    _command("run", "train by a recipe"),
    _command("check", "find every mistake in a recipe, without loading a model"),
    _command("eval", "evaluate a model, or one that a server answers for, by a recipe"),
    _command("score", "reward existing completions"),
    _command("plugins", "list installed plugins and components"),
    _command("env", "build, list and remove plugins' own environments"),
]
