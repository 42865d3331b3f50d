"""Tokens and money: what is spent and what questions under way may still cost."""

from rewardlab.errors import JobError
from rewardlab.judging.pace import question_bytes
from rewardlab.recipe import Budget as BudgetUse
from rewardlab.recipe import Price
from rewardlab.types import Ask, Reply

MESSAGE_TOKENS = 16
"""what a chat template adds to a message, at most"""
MILLION = 1_000_000


class Budget:
    """Refuses a question that could pass the budget, together with all that is spent and under way.

    A question has at most as many tokens as bytes, plus a few for each message; an answer has at most
    `most_tokens` or what its own parameters say.
    """

    def __init__(self, name: str, limits: BudgetUse, price: Price | None, most_tokens: int | None):
        self._name = name
        self._limits = limits
        self._price = price
        self._most_tokens = most_tokens
        self._under_way = {"tokens": 0.0, "usd": 0.0}
        self.spent = {"tokens": 0.0, "usd": 0.0}

    def hold(self, ask: Ask) -> tuple[int, int]:
        """Set the most that the question can cost apart, for `settle`. A JobError where that passes the budget."""
        params = ask.params
        asked = params.get("max_completion_tokens", params.get("max_tokens"))
        answer = asked if isinstance(asked, int) else self._most_tokens or 0
        bound = (question_bytes(ask) + MESSAGE_TOKENS * (len(ask.messages) + 1), answer)
        for unit, amount in self._cost(*bound).items():
            limit = getattr(self._limits, unit)
            if limit is not None and self.spent[unit] + self._under_way[unit] + amount > limit:
                raise JobError(
                    f"judge {self._name!r}: its budget of {limit:g} {unit} is used up ({self.spent[unit]:.6g} spent, "
                    f"and the next question could cost {amount:.4g} with {self._under_way[unit]:.4g} under way); "
                    f"raise judges.{self._name}.budget.{unit} and go on with --resume"
                )
        self._add(self._under_way, bound, 1)
        return bound

    def settle(self, bound: tuple[int, int], reply: Reply | None, unknown: bool = False) -> None:
        """The question is over: what it cost, or its bound where nobody knows (`unknown`, or no counts)."""
        self._add(self._under_way, bound, -1)
        if unknown or (reply is not None and reply.error is None and reply.prompt_tokens is None):
            self._add(self.spent, bound, 1)
        elif reply is not None:
            self._add(self.spent, (reply.prompt_tokens or 0, reply.completion_tokens or 0), 1)

    def _add(self, to: dict[str, float], tokens: tuple[int, int], sign: int) -> None:
        for unit, amount in self._cost(*tokens).items():
            to[unit] += sign * amount

    def _cost(self, prompt: int, completion: int) -> dict[str, float]:
        return {"tokens": prompt + completion, "usd": cost(self._price, prompt, completion) or 0.0}


def cost(price: Price | None, prompt: int, completion: int) -> float | None:
    """US dollars; None where no price is given."""
    return None if price is None else (price.prompt * prompt + price.completion * completion) / MILLION
