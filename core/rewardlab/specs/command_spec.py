"""Commands of `rewardlab`: the spec that a plugin offers, the marks of its options, and the result of a call.

The parser, the function in Python, `--json`, completion in the shell and the reference all follow from the spec.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rewardlab.errors import Problem
from rewardlab.references import Function, Reference


@dataclass(frozen=True)
class Positional:
    """The mark of an option that has no flag: `rows: Annotated[str, Positional("ROWS.jsonl")]`."""

    metavar: str


class Flag:
    """The mark of an option whose flag is not --its-name alone: `Annotated[Path, Flag("-o", metavar="OUT")]`.

    names: more flags, or with a long one (`--measure`) that flag in the place of --its-name.
    """

    def __init__(self, *names: str, metavar: str | None = None) -> None:
        self.names, self.metavar = names, metavar


class Overrides:
    """The mark of the option that takes the words KEY=VALUE, which stand anywhere among those without a flag."""


class PythonOnly:
    """The mark of an option that a program can give and a command line cannot."""


@dataclass(frozen=True, kw_only=True)
class CommandResult:
    """The result of a command. `str()` of it is what the command prints; a notebook shows that and the warnings.

    Args:
        ok: whether the command's exit code is 0.
        data: JSON values, as `--json` prints them; None for a command that has none.
        code: the exit code, if it is neither 0 nor 1.
        warnings: lines that the command prints as `warning: ...`.
        problems: of a recipe that is not right, each with its place; with some the exit code is 2.
    """

    ok: bool = True
    text: str = ""
    data: Any = field(default=None, repr=False)
    code: int | None = None
    warnings: Sequence[str] = ()
    problems: Sequence[Problem] = ()

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        return self.code if self.code is not None else 0 if self.ok else 1

    def __str__(self) -> str:
        return self.text

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show warnings and text in IPython and notebooks."""
        printer.text("\n".join([*(f"warning: {warning}" for warning in self.warnings), self.text]))


@dataclass(frozen=True, kw_only=True)
class CommandSpec:
    """A command: `rewardlab NAME ...`, and for programs `rewardlab.NAME(...)`.

    Args:
        config: the options class, a `Config` whose attributes have docstrings; a field that is required and
            unmarked is a required flag. Its docstring is what `rewardlab NAME --help` says.
        run: called with an instance; it returns a CommandResult, or an exit code if it has printed all that it has
            to say. Both may be texts, "package.module:Name", so that a command costs nothing until somebody calls
            it.
    """

    name: str
    summary: str
    config: Function[Any] = Function()
    run: Function[Callable[[Any], CommandResult | int]] = Function()

    @classmethod
    def of_module(cls, module: str, summary: str) -> "CommandSpec":
        """Return the command that a module has in `Options` and `run`, named like it."""
        return cls(name=module.rpartition(".")[2], summary=summary, config=f"{module}:Options", run=f"{module}:run")

    def options_class(self) -> Any:
        """Return the options class, imported if it was given as a text."""
        return self.config.resolve() if isinstance(self.config, Reference) else self.config


def note(text: str) -> None:
    """Print a note on stderr, as commands do while they work."""
    print(text, file=sys.stderr, flush=True)
