"""A judge's budget in tokens and money: what is spent, and what questions under way may still cost."""

import asyncio
from collections.abc import Callable, Mapping

from rewardlab.errors import BudgetUsedUpError
from rewardlab.judging.rate_limit import question_bytes
from rewardlab.judging.share import WHOLE, Share
from rewardlab.recipe.use import BudgetUse, Price
from rewardlab.types import Ask, Reply

MESSAGE_TOKENS = 16
"""the most tokens that a chat template adds to a message"""
AHEAD = 0.01
"""the share of the budget by which the saved amounts run ahead: a kill wastes at most this, and saving stays rare"""
UNITS = ("tokens", "usd")


class Budget:
    """The budget of one judge: it refuses a question that could exceed it, and all later ones.

    A question has at most as many tokens as bytes, plus a few for each message; an answer has at most
    `most_tokens`, or what its own parameters say. A question that fits by itself, but not together with the bounds of
    those under way, waits for them. `spent` is what earlier attempts spent. `save` is called with what may be spent of
    each limited unit before it is, so that a job that is killed and resumed does not exceed its budget either.
    share, spent_before: where several processes ask, this one has its part of what was left when there came to be
    several.
    """

    def __init__(
        self,
        name: str,
        limits: BudgetUse,
        price: Price | None,
        most_tokens: int | None,
        spent: Mapping[str, float] | None = None,
        save: Callable[[Mapping[str, float]], None] | None = None,
        share: Share = WHOLE,
        spent_before: Mapping[str, float] | None = None,
    ) -> None:
        self._name = name
        self._share = share
        self._limits = share.budget(limits_by_unit(limits), spent_before or {})
        self._price = price
        self._most_tokens = most_tokens
        self._under_way = (0, 0)  # integers, so that the sum is exactly 0 once nothing is under way
        self._settled = asyncio.Event()
        self._refusal: str | None = None
        self._save = save
        self.spent = dict.fromkeys(UNITS, 0.0) | dict(spent or {})
        self._saved = dict(self.spent)

    async def hold(self, ask: Ask) -> tuple[int, int]:
        """Set aside the most that the question can cost and return it for `settle`: (prompt tokens, completion tokens).

        Raises BudgetUsedUpError if that exceeds the budget.
        """
        bound = question_bound(ask, self._most_tokens)
        amounts = cost(self._price, bound)
        while not self._fits(amounts):
            self._settled.clear()
            await self._settled.wait()
        self._under_way = (self._under_way[0] + bound[0], self._under_way[1] + bound[1])
        self._save_ahead()
        return bound

    def settle(self, bound: tuple[int, int], reply: Reply | None, unknown: bool = False) -> None:
        """Replace what was set aside by what the question cost; by its bound if that is `unknown` or not counted."""
        self._under_way = (self._under_way[0] - bound[0], self._under_way[1] - bound[1])
        tokens = tokens_spent(bound, reply, unknown)
        spent = cost(self._price, tokens)
        if self._price is not None and reply is not None and tokens is not bound:
            spent["usd"] = self._price.of(reply)  # the server counted them, those of its cache too
        for unit, amount in spent.items():
            self.spent[unit] += amount
        self._settled.set()

    def at_most(self) -> dict[str, float]:
        """Return what may have been spent of each limited unit, questions under way included."""
        held = cost(self._price, self._under_way)
        return {unit: self.spent[unit] + held[unit] for unit in self._limits}

    def _fits(self, amounts: Mapping[str, float]) -> bool:
        """Return whether the amounts fit now. Raises BudgetUsedUpError if they never will."""
        if self._refusal is None:
            over = (unit for unit, limit in self._limits.items() if self.spent[unit] + amounts[unit] > limit)
            if (unit := next(over, None)) is not None:
                self._refusal = self._why_not(unit, amounts[unit])
        if self._refusal is not None:
            raise BudgetUsedUpError(self._refusal)
        return all(now + amounts[unit] <= self._limits[unit] for unit, now in self.at_most().items())

    def _why_not(self, unit: str, amount: float) -> str:
        """Return why a question that could cost `amount` cannot be paid for, and what to do."""
        part = "" if self._share.is_whole else f"part {self._share} of what was left of "
        why = f"used up ({self.spent[unit]:.6g} spent, and the next question could cost {amount:.4g})"
        why = why if self.spent[unit] else f"less than one question could cost ({amount:.4g})"
        problem = f"judge {self._name!r}: {part}its budget of {self._limits[unit]:g} {unit} is {why}"
        after = "and go on with --resume (serve: start it with the same --state)"
        return f"{problem}; raise judges.{self._name}.budget.{unit} {after}"

    def _save_ahead(self) -> None:
        now = self.at_most()
        if self._save is not None and any(amount > self._saved[unit] for unit, amount in now.items()):
            ahead = {unit: min(limit, now[unit] + AHEAD * limit) for unit, limit in self._limits.items()}
            self._saved |= ahead
            self._save(ahead)


def question_bound(ask: Ask, most_tokens: int | None) -> tuple[int, int]:
    """Return the most tokens that a question and its answer can have."""
    asked = ask.params.get("max_completion_tokens", ask.params.get("max_tokens"))
    answer = asked if isinstance(asked, int) else most_tokens or 0
    return question_bytes(ask) + MESSAGE_TOKENS * (len(ask.messages) + 1), answer


def tokens_spent(bound: tuple[int, int], reply: Reply | None, unknown: bool) -> tuple[int, int]:
    """Return what a question is taken to have cost: its bound if that is `unknown` or was not counted."""
    counts = (reply.prompt_tokens, reply.completion_tokens) if reply is not None else (0, 0)
    uncounted = reply is not None and reply.error is None and None in counts
    return bound if unknown or uncounted else (counts[0] or 0, counts[1] or 0)


def cost(price: Price | None, tokens: tuple[int, int]) -> dict[str, float]:
    """Return the most that tokens of questions and of answers cost in each unit."""
    return {"tokens": sum(tokens), "usd": 0.0 if price is None else price.cost(*tokens)}


def limits_by_unit(limits: BudgetUse) -> dict[str, float]:
    """Return the limit of each unit that has one."""
    return {unit: getattr(limits, unit) for unit in UNITS if getattr(limits, unit) is not None}
