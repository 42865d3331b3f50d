"""verifiers: a recipe's reward as a judge that a configuration plugs, `judges = [{id = "rewardlab-verifiers", ...}]`.

verifiers finds a judge by the name of a module of its own, which is why this one is outside rewardlab_trainers.
"""

from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, Self

from pydantic import Field, model_validator
from rewardlab_trainers.verifiers import reward_function
from verifiers.v1 import Judge, JudgeConfig

__all__ = ["TraceJudge"]


class TraceJudgeConfig(JudgeConfig):
    """How a configuration plugs a recipe; `name` is the key of its reward, `weight` scales it, the rest is not read."""

    id: str = "rewardlab-verifiers"
    recipe: str
    """the path of a recipe"""
    overrides: list[str] = Field(default_factory=list)
    """settings as on the command line, `reward.total=...`"""
    fields: list[str] | None = None
    """the fields that tasks have; a recipe that needs others is then refused at once"""

    @model_validator(mode="after")
    def _recipe_is_right(self) -> Self:
        """Raise a UserError for a recipe that cannot reward here, before there is a rollout."""
        self.reward()
        return self

    def reward(self) -> Callable[[Any, Any], Awaitable[float]]:
        """Return the recipe's reward, which all judges of this process share that are configured alike."""
        return _reward(self.recipe, tuple(self.overrides), None if self.fields is None else tuple(self.fields))


class TraceJudge(Judge[float, TraceJudgeConfig]):
    """A judge that gives a trace the total of a recipe, and each component as a metric; it asks no model itself."""

    async def score(self, task: Any, trace: Any) -> float:
        """Return the total. A reply that cannot be scored is an error of the rollout."""
        return await self.config.reward()(task, trace)


@cache
def _reward(
    recipe: str, overrides: tuple[str, ...], fields: tuple[str, ...] | None
) -> Callable[[Any, Any], Awaitable[float]]:
    return reward_function(recipe, *overrides, fields=fields)
