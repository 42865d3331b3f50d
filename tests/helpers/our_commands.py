"""The commands of this repository, the core's and those of its plugins."""

from rewardlab.commands.find import find_command
from rewardlab.first_party import our_commands

NAMES = list(our_commands())


def command_named(name):
    """Return one of them."""
    command = find_command(name)
    assert command is not None, name
    return command
