"""The plugin of the commands that train: run, check and eval."""

from rewardlab import CommandSpec, hookimpl

COMMANDS = {
    "run": "train by a recipe",
    "check": "find every mistake in a recipe, without loading a model",
    "eval": "evaluate a model, local or served, by a recipe",
}


@hookimpl
def rewardlab_commands() -> list[CommandSpec]:
    return [CommandSpec.of_module(f"rewardlab_training.commands.{name}", text) for name, text in COMMANDS.items()]
