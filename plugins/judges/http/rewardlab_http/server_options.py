"""The options that every judge behind HTTP has, and what a subclass says of its API."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, field_validator, model_validator
from rewardlab import Config

AUTHORIZATION = "Authorization"
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OURS = ("content-type", "content-length", "transfer-encoding", "host")


def _check_variable(name: str) -> str:
    if not _VARIABLE.fullmatch(name):  # the message must not repeat a key that was pasted here
        raise ValueError("this is not the name of an environment variable; put the key into one, and name that")
    return name


Variable = Annotated[str, AfterValidator(_check_variable)]


class ServerOptions(Config):
    """The options of every judge behind HTTP; a subclass adds its own, and class variables say what its API is like.

    path: what follows `base_url` where questions go; an address that ends in it is taken without it.
    key_header: the header for the key that `api_key_env` names; in `Authorization` it follows the word Bearer.
    headers: what every request has besides.
    sent: the options that a request has under their own names, unless they are null.
    reserved: keys that `extra_body` must not have: who is asked and what, in a form that one Reply can hold.
    address_options: for `JudgeSpec.address`.
    """

    path: ClassVar[str] = ""
    key_header: ClassVar[str] = AUTHORIZATION
    headers: ClassVar[Mapping[str, str]] = {}
    sent: ClassVar[tuple[str, ...]] = ()
    reserved: ClassVar[tuple[str, ...]] = ("model", "messages", "stream", "n")
    address_options: ClassVar[tuple[str, ...]] = ("base_url", "api_key_env", "headers_env")

    model: Annotated[str, Field(min_length=1)]
    """the model's name, as the server calls it"""
    base_url: str
    """the server's address"""
    api_key_env: Variable | None = None
    """the environment variable that holds the key; null sends none"""
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """more keys of the request, such as {chat_template_kwargs: {enable_thinking: false}}"""
    headers_env: dict[str, str] = Field(default_factory=dict)
    """more headers by name, each with the environment variable that holds its value"""

    def parameters(self) -> dict[str, Any]:
        """Return what decides an answer besides the model and the question: the rest of a request."""
        given = {name: getattr(self, name) for name in self.sent}
        return {name: value for name, value in given.items() if value is not None} | self.extra_body

    def identity(self) -> dict[str, Any]:
        """Return who is asked, for `JudgeSpec.identity`."""
        return {"model": self.model, "params": self.parameters()}

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
        return url.rstrip("/").removesuffix(cls.path)

    @field_validator("extra_body")
    @classmethod
    def _check_extra_body(cls, body: dict[str, Any]) -> dict[str, Any]:
        for key in body:
            if key in cls.reserved:
                raise ValueError(
                    f"{key!r} cannot be set in extra_body: it is an option of its own, or rewardlab sets it"
                )
        return body

    @field_validator("headers_env")
    @classmethod
    def _check_headers(cls, headers: dict[str, str]) -> dict[str, str]:
        reserved = {*_OURS, *map(str.lower, cls.headers)}
        for name, variable in headers.items():
            if not _HEADER.fullmatch(name) or name.lower() in reserved:
                raise ValueError(f"{name!r} is not a header that can be added")
            if not variable:
                raise ValueError(f"{name!r} needs the name of an environment variable")
        if len({name.lower() for name in headers}) < len(headers):
            raise ValueError("the same header is given twice, in upper and lower case")
        return headers

    @model_validator(mode="after")
    def _check_headers_filled_once(self) -> "ServerOptions":
        filled = [("base_url (its user and password)", AUTHORIZATION)] if "@" in urlsplit(self.base_url).netloc else []
        filled += [("api_key_env", self.key_header)] if self.api_key_env is not None else []
        filled += [("headers_env", name) for name in self.headers_env]
        by_header: dict[str, list[tuple[str, str]]] = {}
        for way, header in filled:
            by_header.setdefault(header.lower(), []).append((way, header))
        for ways in by_header.values():
            if len(ways) > 1:
                both = " and ".join(way for way, _ in ways)
                raise ValueError(f"{both} both fill the header {ways[0][1]}; keep one")
        return self

    @model_validator(mode="after")
    def _check_given_once(self) -> "ServerOptions":
        for name in self.sent:
            if getattr(self, name) is not None and name in self.extra_body:
                raise ValueError(f"{name} is given twice, as an option and in extra_body")
        return self
