"""Studies of scores and runs: tables of papers, win rates, agreement of judges, comparisons, probes, reports."""

from rewardlab import CommandSpec, hookimpl


@hookimpl
def rewardlab_commands() -> list[CommandSpec]:
    """Return the commands of studies."""
    return []
