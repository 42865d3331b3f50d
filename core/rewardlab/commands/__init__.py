"""The commands that come with rewardlab, one file each: the options, and what is done with them.

They come in by the hook (`hook`) by which a plugin's commands come in. `arguments` reads options classes;
`parsing` makes parsers of them, `functions` what programs call.
"""

from rewardlab.command_spec import CommandSpec

TRACEBACK = "REWARDLAB_TRACEBACK"
"""the variable that asks for tracebacks, as --traceback does"""


def _command(name: str, summary: str) -> CommandSpec:
    module = f"{__name__}.{name}"
    return CommandSpec(name=name, summary=summary, config=f"{module}:Options", run=f"{module}:run")


BUILT_IN = [
    _command("run", "train by a recipe"),
    _command("new", "write a recipe for your rows and your model, or a copy of ours"),
    _command("check", "find every mistake in a recipe, without loading a model"),
    _command("eval", "evaluate a model, or one that a server answers for, by a recipe"),
    _command("score", "reward existing completions"),
    _command("causes", "show which components moved the reward"),
    _command("compare", "compare what two rewards would teach"),
    _command("tables", "write tables of evaluated models, with intervals"),
    _command("winrates", "let a judge compare models, answer by answer"),
    _command("convert", "convert logs of lm-evaluation-harness or inspect_ai to rows"),
    _command("probe", "show that degenerate completions do not win"),
    _command("judge", "measure judges against gold"),
    _command("report", "write one page about a run"),
    _command("ledger", "write every completion of a run as a table"),
    _command("plugins", "list installed plugins and components"),
    _command("env", "build, list and remove plugins' own environments"),
    _command("schema", "write JSON schemas, for editors"),
]


def command_named(name: str) -> CommandSpec:
    """Return one of these commands."""
    return next(spec for spec in BUILT_IN if spec.name == name)
