"""An exact command of verl: a module and its settings, as Hydra reads them."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Value = str | int | float | bool | None | Sequence[str | int | float]
"""the value of a setting"""

_PLAIN = re.compile(r"[\w./:@%-]+(?<!:)", re.ASCII)
"""texts that Hydra reads as they are; those that look like another type are quoted beforehand"""
_OTHER_TYPE = re.compile(r"(?i)null|true|false|nan|[+-]?inf|[+-]?\d[\d_]*\.?[\d_]*(e[+-]?\d+)?|[+-]?\.\d+(e[+-]?\d+)?")


@dataclass(frozen=True, kw_only=True)
class VerlCommand:
    """A command: a module of verl and its settings, by their names.

    A name that begins with + is one that verl's own configuration does not have.

    Args:
        ranks: processes that torchrun starts on each of `nodes`; None if the program starts its own.
    """

    module: str
    settings: Mapping[str, Value]
    ranks: int | None = None
    nodes: int = 1

    @property
    def arguments(self) -> list[str]:
        """The words of the command, a setting each."""
        return [f"{name}={render(value)}" for name, value in self.settings.items()]

    def lines(self) -> Iterator[str]:
        """Yield the command as one would type it, a line for each setting."""
        launcher = ""
        if self.ranks is not None:
            nodes = "--standalone" if self.nodes == 1 else f"--nnodes {self.nodes} --rdzv-endpoint FIRST:PORT"
            launcher = f"torch.distributed.run {nodes} --nproc-per-node {self.ranks} -m "
        yield f"python -m {launcher}{self.module}"
        yield from map(shlex.quote, self.arguments)


def render(value: Value) -> str:
    """Return a value as Hydra's grammar of overrides reads it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        if _PLAIN.fullmatch(value) and not _OTHER_TYPE.fullmatch(value):
            return value
        escaped = re.sub(r"(\\*)'", r"\1\1\\'", value)
        escaped = re.sub(r"(\\+)$", r"\1\1", escaped)
        return f"'{escaped.replace('${', chr(92) + '${')}'"
    return f"[{','.join(map(render, value))}]"
