"""Laws of components as property tests, a check of a whole plugin, schemas, and new plugins and recipes."""

from rewardlab import CommandSpec, hookimpl


@hookimpl
def rewardlab_commands() -> list[CommandSpec]:
    """Return the commands of authors of plugins and recipes."""
    return []
