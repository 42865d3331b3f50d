"""Checks of instructions by the names of the data sets, with what each takes and what it needs of a language."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rewardlab_constraints.answer import Answer
from rewardlab_constraints.arguments import Argument, Arguments
from rewardlab_constraints.language import Language

Follows = Callable[..., bool]


class Undecided(Exception):
    """An instruction of which nobody can say whether a text follows it; the message says why."""


@dataclass(frozen=True)
class Check:
    """The check of one instruction.

    Args:
        follows: whether an Answer follows it, given the arguments by name; raises Undecided.
        arguments: name -> reader; all of them are required.
        needs: what a language must have for the instruction to have a meaning there.
        repeats: whether it asks to say (a part of) the prompt again.
    """

    name: str
    follows: Follows
    arguments: Arguments
    needs: tuple[str, ...] = ()
    repeats: bool = False

    def meaningless(self, language: Language) -> str | None:
        """Return why the instruction has no meaning in a language; None if it has one."""
        return next(filter(None, map(language.lacks, self.needs)), None)


CHECKS: dict[str, Check] = {}
"""name -> check, of all files in checks/"""


def check(
    name: str, needs: str = "", repeats: bool = False, **arguments: Argument
) -> Callable[[Follows], Follows]:
    """Return a decorator by which a function becomes the check of an instruction.

    Args:
        needs: names of needs, parted by spaces.
    """

    def register(follows: Follows) -> Follows:
        CHECKS[name] = Check(name, follows, arguments, tuple(needs.split()), repeats)
        return follows

    return register


@dataclass(frozen=True)
class Instruction:
    """An instruction of a row."""

    check: Check
    arguments: Mapping[str, Any]

    def followed_by(self, answer: Answer) -> bool:
        """Return whether a text follows the instruction. Raises Undecided."""
        return self.check.follows(answer, **self.arguments)
