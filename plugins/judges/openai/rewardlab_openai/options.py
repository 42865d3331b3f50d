"""Options of judges behind HTTP and of the reward that reads scores, and their effect on a request."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, PositiveFloat, model_validator
from rewardlab import Config
from rewardlab_http import ServerOptions

LIMITS = ("max_tokens", "max_completion_tokens")
CONTINUED = ("continue_final_message", "add_generation_prompt")
"""what a question asks for whose last message is the beginning of the answer"""


class ChatOptions(ServerOptions):
    """Options of openai/chat."""

    path: ClassVar[str] = "/chat/completions"
    sent: ClassVar[tuple[str, ...]] = ("temperature", "top_p", "seed", "response_format")

    base_url: str = "https://api.openai.com/v1"
    """the address above `/chat/completions`; for vLLM and the like http://HOST:PORT/v1"""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """the sampling temperature; null leaves it to the server"""
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    """the most tokens of an answer, thinking included; null leaves it to the server"""
    max_tokens_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """the server's name for that limit; hosted reasoning models want max_completion_tokens"""
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    """the share of probability that is sampled from; null leaves it to the server"""
    seed: int | None = None
    """the seed of the server's sampling; each further draw of a question adds 1"""
    response_format: dict[str, Any] | None = None
    """structured outputs, such as {type: json_schema, json_schema: {...}}, sent as it is"""

    continues: bool = False
    """whether the server continues a last message of role assistant if a question asks for that by
    `continue_final_message` (vLLM and SGLang do); a reward that begins the judge's reply needs it"""

    @model_validator(mode="after")
    def _check_begun_and_bounded_once(self) -> "ChatOptions":
        if self.continues and (twice := [name for name in CONTINUED if name in self.extra_body]):
            raise ValueError(f"a question sets {twice[0]} if it needs it; leave it out of extra_body")
        if self.max_tokens is not None and not self.extra_body.keys().isdisjoint(LIMITS):
            raise ValueError("max_tokens is given twice, as an option and in extra_body")
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the content of every request besides the model and the messages."""
        limit = {} if self.max_tokens is None else {self.max_tokens_name: self.max_tokens}
        return limit | super().parameters()

    def most_tokens(self) -> int | None:
        """Return the most tokens of an answer; None if nothing bounds it."""
        limits = [self.max_tokens, *(self.extra_body.get(name) for name in LIMITS)]
        return next((limit for limit in limits if isinstance(limit, int)), None)


class PoolingOptions(ServerOptions):
    """Options of openai/pooling."""

    path: ClassVar[str] = ChatOptions.path  # people copy the address of a chat model

    endpoint: Literal["pooling", "classify", "score"] = "pooling"
    """the server's endpoint for the model: `/pooling` (its numbers as they are), `/classify` (the probabilities of its
    labels), or `/score` (of two texts, without a chat template)"""

    @property
    def root(self) -> str:
        """The address that the endpoints follow, which vLLM has beside `/v1`."""
        return self.base_url.removesuffix("/v1")

    def parameters(self) -> dict[str, Any]:
        """Return what decides the numbers besides the model and the conversation."""
        return {"endpoint": self.endpoint, **self.extra_body}


class RewardModelOptions(Config):
    """Options of openai/reward_model."""

    judge: Annotated[str, Field(min_length=1)]
    """the name of the judge that serves the model, declared under `judges` with `use: openai/pooling`"""
    read: Literal["response", "all"] = "response"
    """the scored part. response: the text after the last `</think>`, and nothing of thoughts that do not end. all: the
    whole completion"""
    label: Annotated[int, Field(ge=0, strict=True)] | None = None
    """of a model with several outputs, the one that counts, from 0; one output needs none"""
    convert: Literal["sigmoid", "none"] = "sigmoid"
    """sigmoid: of (s - center) / scale. none: the number as it is, which must be in [0, 1], as probabilities are"""
    center: float = 0.0
    """the score that becomes 0.5"""
    scale: PositiveFloat = 1.0
    """a score this much above the center becomes 0.73, one twice as much 0.88"""

    @model_validator(mode="after")
    def _converts_what_it_shifts(self) -> "RewardModelOptions":
        if self.convert == "none" and {"center", "scale"} & self.model_fields_set:
            raise ValueError("center and scale are of `convert: sigmoid`")
        return self


def with_asked(request: Mapping[str, Any], params: Mapping[str, Any], limit_name: str) -> dict[str, Any]:
    """Return a request with a question's own parameters, which go before the options.

    Its `max_tokens` gets the server's name for it, and takes the place of a limit of either name.
    """
    asked = {limit_name if name == "max_tokens" else name: value for name, value in params.items()}
    if asked.keys().isdisjoint(LIMITS):
        return {**request, **asked}
    return {name: value for name, value in request.items() if name not in LIMITS} | asked
