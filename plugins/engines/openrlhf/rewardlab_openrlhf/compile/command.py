"""An exact command of OpenRLHF."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rewardlab.errors import UserError

Value = str | int | float | bool | list[str] | list[float] | list[str | int | float] | None
"""the value of an argument; True is a bare flag, False and None leave it out"""

WANDB_KEY = "WANDB_API_KEY"
"""the variable that holds the key; its name stands for it in the arguments, which OpenRLHF prints"""


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command: a module of OpenRLHF and its arguments.

    Args:
        ranks: processes that torch.distributed.run starts on `nodes`; None if the program starts its own.
    """

    module: str
    """such as "openrlhf.cli.train_ppo_ray\""""
    arguments: tuple[str, ...]
    ranks: int | None = None
    nodes: int = 1

    def with_secrets(self, key: str | None) -> tuple[str, ...]:
        """Return the arguments to start with; `key` is the value of WANDB_API_KEY where the driver runs.

        wandb reads the variable itself, and OpenRLHF only asks whether it was given a key at all: the key stays out
        of the command, which is logged. Raises UserError if a tracker is wanted and has no key.
        """
        if "--logger.wandb.key" in self.arguments and not key:
            raise UserError(f"backend.engine.wandb needs {WANDB_KEY} in the environment of the nodes")
        return self.arguments

    def lines(self) -> Iterator[str]:
        """Yield the command as one would type it, a line for each argument."""
        yield f"python -m {self._launcher()}{self.module}"
        line: list[str] = []
        for token in self.arguments:
            if token.startswith("--") and line:
                yield shlex.join(line)
                line = []
            line.append(token)
        yield shlex.join(line)

    def _launcher(self) -> str:
        if self.ranks is None:
            return ""
        nodes = "--standalone"
        if self.nodes > 1:
            nodes = f"--nnodes {self.nodes} --node-rank NODE --master-addr FIRST --master-port PORT"
        return f"torch.distributed.run {nodes} --nproc-per-node {self.ranks // self.nodes} -m "


def render_arguments(arguments: Mapping[str, Value]) -> tuple[str, ...]:
    """Return the words of a command for arguments, whose names come without dashes."""
    tokens: list[str] = []
    for name, value in arguments.items():
        if value is None or value is False:
            continue
        tokens.append(f"--{name}")
        if value is not True:
            tokens += map(_text, value if isinstance(value, list) else [value])
    return tuple(tokens)


def _text(value: str | int | float) -> str:
    if isinstance(value, float) and value < 0 and "e" in repr(value):
        return f"{value:.20f}".rstrip("0")  # argparse takes -1e-05 for the name of an argument
    return str(value)
