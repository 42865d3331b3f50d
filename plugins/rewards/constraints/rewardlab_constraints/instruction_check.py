"""Checks of instructions by the names of the data sets, with what each takes and what it needs of a language."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rewardlab_constraints.arguments import Argument, Arguments
from rewardlab_constraints.judged_text import JudgedText
from rewardlab_constraints.language_rules import LanguageRules

Follows = Callable[..., bool]


@dataclass(frozen=True)
class InstructionCheck:
    """The check of one instruction.

    Args:
        follows: whether a judged text follows it, given the arguments by name.
        arguments: name -> reader; all of them are required.
        needs: what a language must have for the instruction to have a meaning there.
        unless: says of the arguments why nobody can tell whether a text follows them, or None.
        repeats: whether it asks to say (a part of) the prompt again.
    """

    name: str
    follows: Follows
    arguments: Arguments
    needs: tuple[str, ...] = ()
    unless: Callable[..., str | None] | None = None
    repeats: bool = False


CHECKS: dict[str, InstructionCheck] = {}
"""name -> check, of all files in checks/"""


def check(
    name: str,
    needs: str = "",
    unless: Callable[..., str | None] | None = None,
    repeats: bool = False,
    **arguments: Argument,
) -> Callable[[Follows], Follows]:
    """Return a decorator by which a function becomes the check of an instruction.

    Args:
        needs: names of needs, parted by spaces.
    """

    def register(follows: Follows) -> Follows:
        CHECKS[name] = InstructionCheck(name, follows, arguments, tuple(needs.split()), unless, repeats)
        return follows

    return register


@dataclass(frozen=True)
class Instruction:
    """An instruction of a row."""

    check: InstructionCheck
    arguments: Mapping[str, Any]

    def meaningless(self, language: LanguageRules) -> str | None:
        """Return why nobody can say whether a text in a language follows the instruction; None if one can.

        It depends on the row alone, so that no response gets rid of an instruction.
        """
        reason = next(filter(None, map(language.lacks, self.check.needs)), None)
        return reason or (self.check.unless(**self.arguments) if self.check.unless else None)

    def followed_by(self, answer: JudgedText) -> bool:
        """Return whether a text follows the instruction."""
        return self.check.follows(answer, **self.arguments)
