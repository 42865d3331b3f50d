"""The commands of this repository, and where each is found."""

from importlib.util import find_spec

from rewardlab.command_spec import CommandSpec

TRACEBACK = "REWARDLAB_TRACEBACK"
"""the variable that asks for tracebacks, as --traceback does"""


def _command(name: str, summary: str, plugin: str | None = None) -> CommandSpec:
    module = f"{'rewardlab' if plugin is None else f'rewardlab_{plugin}'}.commands.{name.replace(' ', '_')}"
    return CommandSpec(name=name, summary=summary, config=f"{module}:Options", run=f"{module}:run")


COMMANDS = [
    _command("run", "train by a recipe"),
    _command("new", "write a recipe for your rows and your model, or a copy of ours", "testing"),
    _command("check", "find every mistake in a recipe, without loading a model"),
    _command("eval", "evaluate a model, or one that a server answers for, by a recipe"),
    _command("score", "reward existing completions"),
    _command("causes", "show which components moved the reward", "studies"),
    _command("compare", "compare what two rewards would teach", "studies"),
    _command("tables", "write tables of evaluated models, with intervals", "studies"),
    _command("winrates", "let a judge compare models, answer by answer", "studies"),
    _command("convert", "convert logs of lm-evaluation-harness or inspect_ai to rows", "studies"),
    _command("probe", "show that degenerate completions do not win", "studies"),
    _command("judge", "measure judges against gold", "studies"),
    _command("report", "write one page about a run", "studies"),
    _command("ledger", "write every completion of a run as a table", "studies"),
    _command("plugins", "list installed plugins and components"),
    _command("env", "build, list and remove plugins' own environments"),
    _command("schema", "write JSON schemas, for editors", "testing"),
]
"""the commands of this repository, also those of its plugins, so that --help reads no plugin"""
PARTS = [
    _command("plugins new", "write a plugin to start from", "testing"),
    _command("plugins check", "try the laws on a plugin", "testing"),
]
"""what a command of ours hands on to a plugin of ours"""
BUILT_IN = [spec for spec in COMMANDS if spec.module.startswith("rewardlab.commands")]


def is_here(spec: CommandSpec) -> bool:
    """Return whether the distribution of a command of ours is installed."""
    return find_spec(spec.module.partition(".")[0]) is not None


def command_named(name: str) -> CommandSpec:
    """Return one of the commands of this repository. Raises UserError if its distribution is not installed."""
    spec = next(spec for spec in [*COMMANDS, *PARTS] if spec.name == name)
    if not is_here(spec):
        from rewardlab.errors import UserError

        distribution = spec.module.partition(".")[0].replace("_", "-")
        raise UserError(f"`rewardlab {name}` is not installed; pip install {distribution} brings it")
    return spec
