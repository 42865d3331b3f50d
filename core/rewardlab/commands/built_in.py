"""The commands of the core; those of our plugins come in by their hooks."""

from rewardlab.specs.command_spec import CommandSpec

TRACEBACK = "REWARDLAB_TRACEBACK"
"""the variable that asks for tracebacks, as --traceback does"""


BUILT_IN = [
    CommandSpec.of_module("rewardlab.commands.score", "score existing completions"),
]
