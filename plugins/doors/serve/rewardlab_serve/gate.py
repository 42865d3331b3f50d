"""The gate before every route: who may ask, and how much. A request that may not pass is answered here."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus

from rewardlab_http import VisitorRules
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rewardlab_serve.errors import RequestError, bad_request, too_many
from rewardlab_serve.json_answers import json_answer
from rewardlab_serve.memory import memory_of_json
from rewardlab_serve.metrics import Metrics

OPEN = ("/healthz", "/readyz")
"""what a supervisor asks, who has no token and calls the machine by any name"""
MAX_HELD = 2**30
"""bytes of memory of all requests that have no answer yet"""


@dataclass(frozen=True, kw_only=True)
class GateRules(VisitorRules):
    """The rules of a gate: who may ask, and how much. `X-API-Key` may bring the token, too.

    Args:
        body: bytes of a request.
        requests: that are answered at the same time.
        rate: requests a second; None: no limit.
    """

    body: int = 16 * 2**20
    requests: int = 8192
    rate: float | None = None


@dataclass
class RequestGate:
    """The middleware that applies the rules. A page of a foreign site cannot ask, nor a name that leads here by DNS."""

    app: ASGIApp
    rules: GateRules
    metrics: Metrics
    _under_way: int = 0
    _held: int = 0
    _allowance: float = field(default=math.inf, init=False)
    _seen: float = field(default_factory=time.monotonic, init=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            if scope["path"] not in OPEN:
                self._admit(scope, Headers(scope=scope))
        except RequestError as error:
            self.metrics.request("gate", error.status)
            answer = json_answer(error.as_dict(), error.status, error.after)
            answer.headers["Connection"] = "close"  # what follows may be a body that nobody has read
            await answer(scope, receive, send)
            return
        self._under_way += 1
        body = _Bounded(receive, self.rules.body, self._take)
        try:
            await self.app(scope, body, send)
        finally:
            self._under_way -= 1
            self._held -= body.held

    def _take(self, size: int) -> None:
        if self._held + size > MAX_HELD:
            raise too_many(f"requests that hold {self._held:,} bytes are being answered, its limit", 1.0)
        self._held += size

    def _admit(self, scope: Scope, headers: Headers) -> None:
        brought = headers.get("authorization", f"bearer {headers.get('x-api-key', '')}")
        if refused := self.rules.refusal(headers.get("host", ""), headers.get("origin"), brought):
            raise RequestError(*refused)
        if "content-length" in headers and "transfer-encoding" in headers:
            raise bad_request("a request says its length once: Content-Length, or Transfer-Encoding")
        if scope["method"] == "POST" and _has_body(headers):
            _check_form(headers)
        if int(headers.get("content-length") or 0) > self.rules.body:
            raise _too_large(self.rules.body)
        if self._under_way >= self.rules.requests:
            raise too_many(f"{self._under_way:,} requests are being answered, the limit of this server", after=1.0)
        self._take_turn()

    def _take_turn(self) -> None:
        """Count a request against the rate: a second's worth may come at once."""
        rate, now = self.rules.rate, time.monotonic()
        if rate is None:
            return
        most = max(rate, 1.0)
        self._allowance = min(most, self._allowance + (now - self._seen) * rate)
        self._seen = now
        if self._allowance < 1:
            raise too_many(f"more than {rate:g} requests a second", after=(1 - self._allowance) / rate)
        self._allowance -= 1


@dataclass
class _Bounded:
    """The receiver of a request's body, which ends one that is longer than it said or than it may be."""

    receive: Receive
    most: int
    take: Callable[[int], None]
    read: int = 0
    held: int = 0

    async def __call__(self) -> Message:
        message = await self.receive()
        part = message.get("body", b"")
        if self.read + len(part) > self.most:
            raise _too_large(self.most)
        memory = memory_of_json(part)
        self.take(memory)
        self.read += len(part)
        self.held += memory
        return message


def _check_form(headers: Headers) -> None:
    """Raise a RequestError for a body that is no JSON, or that is packed."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        message = "a request has JSON: Content-Type: application/json"
        raise RequestError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "bad_request", message)
    packed = headers.get("content-encoding", "identity").strip().lower()
    if packed != "identity":
        message = f"Content-Encoding {packed[:40]!r} is not read; send the JSON as it is"
        raise RequestError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "bad_request", message)


def _has_body(headers: Headers) -> bool:
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def _too_large(most: int) -> RequestError:
    message = f"the request is too large; {most:,} bytes are the most (--max-body)"
    return RequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", message)
