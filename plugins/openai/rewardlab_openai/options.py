"""Options of judges behind HTTP and of the reward that reads scores, and their effect on a request."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, PositiveFloat, field_validator, model_validator
from rewardlab import Config

LIMITS = ("max_tokens", "max_completion_tokens")
CONTINUED = ("continue_final_message", "add_generation_prompt")
"""what a question asks for whose last message is the beginning of the answer"""
RESERVED = ("model", "messages", "stream", "n")
"""keys that extra_body must not have: which model is asked and what, in a form that one Reply can hold"""
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OURS = ("content-type", "content-length", "transfer-encoding", "host")


def _check_variable(name: str) -> str:
    if not _VARIABLE.fullmatch(name):  # the message must not repeat a key that was pasted here
        raise ValueError("this is not the name of an environment variable; put the key into one, and name that")
    return name


Variable = Annotated[str, AfterValidator(_check_variable)]


class ServerOptions(Config):
    """Options of a judge behind HTTP."""

    model: Annotated[str, Field(min_length=1)]
    """the model's name, as the server calls it"""
    base_url: str
    """where the server is"""
    api_key_env: Variable | None = None
    """the environment variable that holds the key; null sends none"""
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """more keys of the request, such as {chat_template_kwargs: {enable_thinking: false}}"""
    headers_env: dict[str, str] = Field(default_factory=dict)
    """more headers by name, each with the environment variable that holds its value"""

    @field_validator("base_url")
    @classmethod
    def _check_url(cls, url: str) -> str:
        url = url.strip()
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or re.search(r"\s", url):
            raise ValueError(f"{url!r} is not an http address, such as http://localhost:8000/v1")
        if "@" in parts.path or re.search(r'["<>\\^`{|}]', parts.netloc):  # its text may hold a password
            raise ValueError("a user or password in a URL has signs that no URL holds; write them as %22, %2F, %40 ...")
        if parts.port == 0:  # reading one above 65535 raises ValueError
            raise ValueError(f"{url!r} has port 0, on which nothing can listen")
        if parts.query or parts.fragment:
            raise ValueError(f"{url!r} has more than an address; leave out what follows ? or #")
        return url.rstrip("/").removesuffix("/chat/completions")

    @field_validator("extra_body")
    @classmethod
    def _check_extra_body(cls, body: dict[str, Any]) -> dict[str, Any]:
        for key in body:
            if key in RESERVED:
                raise ValueError(f"{key!r} has no place in extra_body: it is an option itself, or is set by rewardlab")
        return body

    @field_validator("headers_env")
    @classmethod
    def _check_headers(cls, headers: dict[str, str]) -> dict[str, str]:
        for name, variable in headers.items():
            if not _HEADER.fullmatch(name) or name.lower() in _OURS:
                raise ValueError(f"{name!r} is not a header that can be added")
            if not variable:
                raise ValueError(f"{name!r} needs the name of an environment variable")
        if len({name.lower() for name in headers}) < len(headers):
            raise ValueError("the same header is there twice, in upper and lower case")
        return headers

    @model_validator(mode="after")
    def _check_authorization(self) -> "ServerOptions":
        ways = {
            "base_url (its user and password)": "@" in urlsplit(self.base_url).netloc,
            "api_key_env": self.api_key_env is not None,
            "headers_env": any(name.lower() == "authorization" for name in self.headers_env),
        }
        given = [way for way, used in ways.items() if used]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} both fill the header Authorization; keep one")
        return self


class ChatOptions(ServerOptions):
    """Options of openai/chat."""

    base_url: str = "https://api.openai.com/v1"
    """where `/chat/completions` is; for vLLM and the like http://HOST:PORT/v1"""
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
    def _check_given_once(self) -> "ChatOptions":
        if self.continues and (twice := [name for name in CONTINUED if name in self.extra_body]):
            raise ValueError(f"a question sets {twice[0]} if it needs it; leave it out of extra_body")
        for name in ("temperature", "max_tokens", "top_p", "seed", "response_format"):
            others = LIMITS if name == "max_tokens" else (name,)
            if getattr(self, name) is not None and any(other in self.extra_body for other in others):
                raise ValueError(f"{name} is given twice, as an option and in extra_body")
        return self


class PoolingOptions(ServerOptions):
    """Options of openai/pooling."""

    endpoint: Literal["pooling", "classify", "score"] = "pooling"
    """the server's endpoint for the model: `/pooling` (its numbers as they are), `/classify` (the probabilities of its
    labels), or `/score` (of two texts, without a chat template)"""

    @property
    def root(self) -> str:
        """The address that the endpoints follow, which vLLM has beside `/v1`."""
        return self.base_url.removesuffix("/v1")


class RewardModelOptions(Config):
    """Options of openai/reward_model."""

    judge: Annotated[str, Field(min_length=1)]
    """the name of the judge that serves the model, declared under `judges` with `use: openai/pooling`"""
    read: Literal["response", "all"] = "response"
    """the scored part: the text after the last `</think>`, or the whole completion"""
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


def parameters(options: ChatOptions) -> dict[str, Any]:
    """Return the content of every request besides the model and the messages."""
    given: dict[str, Any] = {
        "temperature": options.temperature,
        options.max_tokens_name: options.max_tokens,
        "top_p": options.top_p,
        "seed": options.seed,
        "response_format": options.response_format,
    }
    return {name: value for name, value in given.items() if value is not None} | options.extra_body


def with_asked(request: Mapping[str, Any], params: Mapping[str, Any], limit_name: str) -> dict[str, Any]:
    """Return a request with a question's own parameters, which go before the options.

    Its `max_tokens` gets the server's name for it, and takes the place of a limit of either name.
    """
    asked = {limit_name if name == "max_tokens" else name: value for name, value in params.items()}
    if asked.keys().isdisjoint(LIMITS):
        return {**request, **asked}
    return {name: value for name, value in request.items() if name not in LIMITS} | asked
