"""The commands of this distribution: apart from its face, whose names are lazy, so that pluggy finds them."""

from rewardlab import CommandSpec, hookimpl


@hookimpl
def rewardlab_commands() -> list[CommandSpec]:
    return [
        CommandSpec.of_module("rewardlab_testing.commands.plugins", "list installed plugins and components"),
        CommandSpec.of_module(
            "rewardlab_testing.commands.new", "write a recipe for your rows and your model, or a copy of ours"
        ),
        CommandSpec.of_module("rewardlab_testing.commands.schema", "write JSON schemas, for editors"),
    ]
