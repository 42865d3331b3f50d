"""The limits of one judge as its attempts meet them: places for questions under way, a pace, a budget."""

import asyncio
from dataclasses import dataclass

from rewardlab.judging.budget import Budget
from rewardlab.judging.rate_limit import RateLimit


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of one judge. slots: entered by each question under way. budget: None without one."""

    slots: asyncio.Semaphore
    rate: RateLimit
    budget: Budget | None
