"""An environment for docs/agents.md: its public methods are the tools that the policy may call."""

from typing import Any

MAX_DIGITS = 12


class Multiplier:
    """A calculator that multiplies; each completion has one of its own."""

    def reset(self, **row: Any) -> None:
        """Begin an episode with a row's columns. A text that is returned here goes behind the prompt."""
        self.used = 0

    def multiply(self, a: int, b: int) -> str:
        """
        Multiply two whole numbers.

        Args:
            a: the first number
            b: the second number
        """
        self.used += 1
        if max(len(str(a)), len(str(b))) > MAX_DIGITS:
            raise ValueError(f"numbers have at most {MAX_DIGITS} digits")
        return str(a * b)
