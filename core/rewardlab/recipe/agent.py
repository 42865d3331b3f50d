"""Several turns in a recipe: what plays them with the policy, and the tools that it may call."""

import re
from typing import Annotated, Self

from pydantic import AfterValidator, Field, PositiveInt, model_validator

from rewardlab.specs import Config

_NAMED = re.compile(r"([^:]+\.py|[^\W\d]\w*(?:\.\w+)*):[^\W\d]\w*")


def _named(place: str) -> str:
    if not (place.endswith((".yaml", ".yml")) or _NAMED.fullmatch(place)):
        raise ValueError("write FILE.py:FUNCTION or package.module:FUNCTION, or a file of verl's own tools, FILE.yaml")
    return place


class Agent(Config):
    """The policy plays several turns with tools or an environment, and the reward scores the whole conversation."""

    use: Annotated[str, Field(min_length=1)] | None = None
    """what plays the turns, by the engine: of trl an environment, FILE.py:CLASS or package.module:CLASS; of verl an
    agent loop, by the name under which it is registered or package.module:CLASS (absent: a loop that calls `tools`)"""
    tools: list[Annotated[str, AfterValidator(_named)]] = Field(default_factory=list)
    """functions that the policy may call, FILE.py:FUNCTION or package.module:FUNCTION, with type hints and a docstring
    that says what each argument is; paths begin at the working directory, as a dataset's do"""
    max_turns: PositiveInt | None = None
    """most turns of the policy, its last answer among them (absent: as many as max_new_tokens has room for)"""

    @model_validator(mode="after")
    def _plays_something(self) -> Self:
        if self.use is None and not self.tools:
            raise ValueError("give `tools`, or in `use` what plays the turns")
        return self
