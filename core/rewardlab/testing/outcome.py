"""What became of a law: it held, was broken, is off for a reason, could not be tried, or had nothing to try."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

State = Literal["held", "broken", "off", "untried", "nothing"]
"""nothing: there is nothing to try, and nobody need do anything about it"""


class Broken(AssertionError):
    """Raised where a law does not hold. The message is the failing example as a person reads it, over several lines."""


class Untried(Exception):
    """Raised where a law cannot be tried. The message says what that would take."""


class NothingToTry(Exception):
    """Raised where a law is about something that a component does not have. The message says what."""


class LawsBroken(AssertionError):
    """Raised by `check_reward` and its like: which laws are broken, each with its smallest failing example."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Of one law under one example.

    why: of broken the failing example, of off the reason, of untried what it takes, of nothing what is not there.
    tries: how many generated or given cases were looked at.
    """

    law: str
    state: State
    why: str = ""
    tries: int = 0


@dataclass(frozen=True, kw_only=True)
class Tried:
    """The laws of a component under the options of one example; `use` as a recipe names it."""

    use: str
    kind: str
    example: str
    outcomes: Sequence[Outcome]

    def of(self, state: State) -> list[Outcome]:
        """Those in this state."""
        return [outcome for outcome in self.outcomes if outcome.state == state]


CHECKED: list[Tried] = []
"""What `check_reward` and its like found in order since the last test of this process ended."""
