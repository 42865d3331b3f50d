"""Commands of `rewardlab`: what one is, the marks of its options, and the result of a call.

The parser, the function in Python, `--json`, completion in the shell and the reference all follow from the options.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rewardlab.errors import Problem
from rewardlab.specs.context import Config


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


class InstalledCommand(NamedTuple):
    """A command: `rewardlab NAME ...`, and for programs `rewardlab.NAME(...)`.

    An entry point of the group `rewardlab.commands` gives its name and its module, which has the rest as SUMMARY,
    Options and `run`.

    Args:
        summary: its line in `rewardlab --help`.
        options: a `Config` whose attributes have docstrings; a field that is required and unmarked is a required flag.
            Its docstring is what `rewardlab NAME --help` says.
        run: called with an instance; it returns a CommandResult, or an exit code if it has printed all that it has
            to say.
    """

    name: str
    summary: str
    options: type[Config]
    run: Callable[[Any], CommandResult | int]


def note(text: str) -> None:
    """Print a note on stderr, as commands do while they work."""
    print(text, file=sys.stderr, flush=True)
