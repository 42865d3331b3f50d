"""The limits of one judge as its attempts meet them: places for questions under way, a pace, a budget.

A process that asks alone has its own (`own_limits`). One of several that share a judge has a part of theirs, on loan
(leased_limits).
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from rewardlab.judging.budget import Budget
from rewardlab.judging.rate_limit import RateLimit
from rewardlab.recipe.use import JudgeUse
from rewardlab.types import Ask, Reply


class RateLimited(Protocol):
    """A rate limit, as RateLimit has it."""

    async def turn(self, ask: Ask, is_moot: Callable[[], bool] = ...) -> float:
        """Wait until the question may go; return the tokens that were taken for it."""

    def settle(self, ask: Ask, taken: float, reply: Reply) -> None:
        """Replace the estimate by the tokens that the server counted."""


class Budgeted(Protocol):
    """A budget, as Budget has it."""

    async def hold(self, ask: Ask) -> tuple[int, int]:
        """Set aside the most that the question can cost. Raises JobError if that exceeds the budget."""

    def settle(self, bound: tuple[int, int], reply: Reply | None, unknown: bool = False) -> None:
        """Replace what was set aside by what the question cost."""

    def at_most(self) -> Mapping[str, float]:
        """Return what may have been spent of each limited unit, as far as this process has to keep it."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of one judge. slots: entered by each question under way. budget: None without one."""

    slots: AbstractAsyncContextManager[None]
    rate: RateLimited
    budget: Budgeted | None


def own_limits(settings: JudgeUse, budget: Budget | None) -> Limits:
    """Return the limits of a process that nobody shares a judge with."""
    return Limits(
        slots=asyncio.Semaphore(settings.concurrency),
        rate=RateLimit(settings.requests_per_minute, settings.tokens_per_minute),
        budget=budget,
    )
