"""Tokens and money: what is spent and what questions under way may still cost."""

import asyncio
from collections.abc import Callable, Mapping

from rewardlab.errors import JobError
from rewardlab.judging.pace import question_bytes
from rewardlab.types import Ask, Reply
from rewardlab.uses import Budget as BudgetUse
from rewardlab.uses import Price

MESSAGE_TOKENS = 16
"""what a chat template adds to a message, at most"""
AHEAD = 0.01
"""share of the budget that is saved as spent before it is: what a kill may cost, and how rarely is saved"""
UNITS = ("tokens", "usd")
MILLION = 1_000_000


class Budget:
    """Refuses a question that could pass the budget, and all that come after it.

    A question has at most as many tokens as bytes, plus a few for each message; an answer has at most
    `most_tokens` or what its own parameters say. A question that fits, but not together with the bounds of those
    under way, waits for them. `spent` is what went before; `save` is called with what may be spent of each limited
    unit before it is passed, so that neither does a job pass its budget that is killed and goes on.
    """

    def __init__(
        self,
        name: str,
        limits: BudgetUse,
        price: Price | None,
        most_tokens: int | None,
        spent: Mapping[str, float] | None = None,
        save: Callable[[Mapping[str, float]], None] | None = None,
    ):
        self._name = name
        self._limits = {unit: getattr(limits, unit) for unit in UNITS if getattr(limits, unit) is not None}
        self._price = price
        self._most_tokens = most_tokens
        self._under_way = (0, 0)  # whole numbers: where nothing is under way, this is nothing
        self._settled = asyncio.Event()
        self._refusal: str | None = None
        self._save = save
        self.spent = dict.fromkeys(UNITS, 0.0) | dict(spent or {})
        self._saved = dict(self.spent)

    async def hold(self, ask: Ask) -> tuple[int, int]:
        """Set the most that the question can cost apart, for `settle`. A JobError where that passes the budget."""
        bound = self._bound(ask)
        amounts = self._cost(*bound)
        while not self._fits(amounts):
            self._settled.clear()
            await self._settled.wait()
        self._under_way = (self._under_way[0] + bound[0], self._under_way[1] + bound[1])
        self._save_ahead()
        return bound

    def settle(self, bound: tuple[int, int], reply: Reply | None, unknown: bool = False) -> None:
        """The question is over: what it cost, or its bound where nobody knows (`unknown`, or no counts)."""
        self._under_way = (self._under_way[0] - bound[0], self._under_way[1] - bound[1])
        counts = (reply.prompt_tokens, reply.completion_tokens) if reply is not None else (0, 0)
        uncounted = reply is not None and reply.error is None and None in counts
        for unit, amount in self._cost(*(bound if unknown or uncounted else (n or 0 for n in counts))).items():
            self.spent[unit] += amount
        self._settled.set()

    def at_most(self) -> dict[str, float]:
        """What may be spent of each limited unit, with all that is under way."""
        held = self._cost(*self._under_way)
        return {unit: self.spent[unit] + held[unit] for unit in self._limits}

    def _fits(self, amounts: Mapping[str, float]) -> bool:
        """Whether it may go now. A JobError where it never may."""
        if self._refusal is None:
            over = (unit for unit, limit in self._limits.items() if self.spent[unit] + amounts[unit] > limit)
            if (unit := next(over, None)) is not None:
                self._refusal = (
                    f"judge {self._name!r}: its budget of {self._limits[unit]:g} {unit} is used up "
                    f"({self.spent[unit]:.6g} spent, and the next question could cost {amounts[unit]:.4g}); "
                    f"raise judges.{self._name}.budget.{unit} and go on with --resume"
                )
        if self._refusal is not None:
            raise JobError(self._refusal)
        return all(now + amounts[unit] <= self._limits[unit] for unit, now in self.at_most().items())

    def _save_ahead(self) -> None:
        now = self.at_most()
        if self._save is not None and any(amount > self._saved[unit] for unit, amount in now.items()):
            ahead = {unit: min(limit, now[unit] + AHEAD * limit) for unit, limit in self._limits.items()}
            self._saved |= ahead
            self._save(ahead)

    def _bound(self, ask: Ask) -> tuple[int, int]:
        asked = ask.params.get("max_completion_tokens", ask.params.get("max_tokens"))
        answer = asked if isinstance(asked, int) else self._most_tokens or 0
        return question_bytes(ask) + MESSAGE_TOKENS * (len(ask.messages) + 1), answer

    def _cost(self, prompt: int, completion: int) -> dict[str, float]:
        return {"tokens": prompt + completion, "usd": cost(self._price, prompt, completion) or 0.0}


def cost(price: Price | None, prompt: int, completion: int) -> float | None:
    """US dollars; None where no price is given."""
    return None if price is None else (price.prompt * prompt + price.completion * completion) / MILLION
