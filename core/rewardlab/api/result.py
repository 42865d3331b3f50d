"""The result of a command that a program called: the verdict, the text that people read, and JSON values."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rewardlab.errors import Problem


@dataclass(frozen=True, kw_only=True)
class CommandResult:
    """What a command found. `str()` of it is what the command prints; a notebook shows that and the warnings.

    ok: whether the command's exit code is 0. data: JSON values, as `--json` prints them. warnings: lines that the
    command prints as `warning: ...`. problems: of a recipe that is not right, each with its place.
    """

    ok: bool
    text: str
    data: dict[str, Any] = field(repr=False)
    warnings: Sequence[str] = ()
    problems: Sequence[Problem] = ()

    def __str__(self) -> str:
        return self.text

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show warnings and text in IPython and notebooks."""
        printer.text("\n".join([*(f"warning: {warning}" for warning in self.warnings), self.text]))


def note(text: str) -> None:
    """Print a note on stderr, where the commands print them."""
    print(text, file=sys.stderr)
