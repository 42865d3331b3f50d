"""The outcome of a law: it held, is broken, is off for a reason, could not be tried, or had nothing to try."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

State = Literal["held", "broken", "unbuilt", "off", "untried", "nothing"]
"""unbuilt: the component could not be built; nothing: there is nothing to try, and nobody need do anything about it"""


class LawViolation(AssertionError):
    """Raised if a law does not hold. The message is the failing example as a person reads it, over several lines."""


class UnmetNeed(Exception):
    """Raised if a law cannot be tried. The message says what that would take."""


class BuildFailure(Exception):
    """Raised if a component cannot be built, so that no law of it can be tried. The message says why."""


class NothingToTry(Exception):
    """Raised if a law is about something that a component does not have. The message says what."""


class LawsBroken(AssertionError):
    """Raised by `check_reward` and its like: which laws are broken, each with its smallest failing example."""


@dataclass(frozen=True, kw_only=True)
class LawOutcome:
    """The outcome of one law under one example.

    Args:
        why: where the law is broken, the failing example; unbuilt, why the component could not be built; off, the
            reason; untried, what trying it takes; nothing, what the component does not have.
        tries: how many generated or given cases were looked at.
    """

    law: str
    state: State
    why: str = ""
    tries: int = 0


@dataclass(frozen=True, kw_only=True)
class TrialResult:
    """The outcomes of the laws for a component under the options of one example; `use` as a recipe names it."""

    use: str
    kind: str
    example: str
    outcomes: Sequence[LawOutcome]

    @property
    def title(self) -> str:
        """The component and, if it has a title, the example."""
        return f"{self.use} ({self.example})" if self.example else self.use

    def of(self, state: State) -> list[LawOutcome]:
        """Return the outcomes in this state."""
        return [outcome for outcome in self.outcomes if outcome.state == state]


CHECKED: list[TrialResult] = []
"""what `check_reward` and its like have found, in order, since the last test of this process ended"""
