"""The part of every judge's limits that belongs to one of several processes that ask the same judges."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from rewardlab.errors import UserError
from rewardlab.recipe.use import JudgeUse

LIMITS = ("concurrency", "requests_per_minute", "tokens_per_minute")


@dataclass(frozen=True)
class Share:
    """Part `part` of `parts` of each judge's concurrency, rates and budget: Share(1, 4) to Share(4, 4) are the whole.

    Processes that ask the same judges have one each, so that together they keep the limits. Nothing is lent: what one
    of them does not use is nobody's.
    """

    part: int = 1
    parts: int = 1

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the share that "2/4" says. UserError if it says none."""
        numbers = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text.strip())
        if numbers is None or not 1 <= int(numbers[1]) <= int(numbers[2]):
            raise UserError(f"a share is K/N, such as 1/4 for the first of four parts, not {text!r}")
        return cls(int(numbers[1]), int(numbers[2]))

    def __str__(self) -> str:
        return f"{self.part}/{self.parts}"

    @property
    def is_whole(self) -> bool:
        """Whether there are no other parts."""
        return self.parts == 1

    @property
    def file_mark(self) -> str:
        """The mark in the names of this part's files: ".2-of-4", or nothing if it is the whole."""
        return "" if self.is_whole else f".{self.part}-of-{self.parts}"

    def has(self, row_id: str) -> bool:
        """Return whether the row with this id belongs to this part, by a hash that is the same everywhere."""
        digest = hashlib.sha256(row_id.encode("utf-8", "surrogatepass")).digest()
        return self.is_whole or int.from_bytes(digest[:8], "big") % self.parts == self.part - 1

    def path(self, path: Path) -> Path:
        """Return where this part of a file stands: OUT.2-of-4.jsonl of OUT.jsonl."""
        return path.with_name(f"{path.stem}.{self.part}-of-{self.parts}{path.suffix}")

    def limits(self, judge: str, use: JudgeUse) -> JudgeUse:
        """Return a judge's settings with this part of its concurrency and rates.

        UserError if a limit is too small to be divided.
        """
        return use.model_copy(update={name: self._of(judge, name, getattr(use, name)) for name in LIMITS})

    def budget(self, limits: Mapping[str, float], spent: Mapping[str, float]) -> dict[str, float]:
        """Return this part of what is left of a budget, by unit. spent: before there were parts."""
        return {unit: max(0.0, limit - spent.get(unit, 0.0)) / self.parts for unit, limit in limits.items()}

    def _of(self, judge: str, name: str, limit: int | None) -> int | None:
        if limit is None:
            return None
        if limit < self.parts:
            problem = f"judge {judge!r}: {name} {limit} cannot be divided between {self.parts} processes"
            raise UserError(f"{problem}; let at most {limit} ask it, or raise the limit")
        return limit // self.parts + (self.part <= limit % self.parts)


WHOLE = Share()
