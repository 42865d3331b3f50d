"""The plugin of our own commands: they come in by the door of everybody's."""

from rewardlab.commands.built_in import BUILT_IN
from rewardlab.hookspecs import hookimpl
from rewardlab.specs.command_spec import CommandSpec


@hookimpl
def rewardlab_commands() -> list[CommandSpec]:
    return BUILT_IN
