"""The process that serves: its address, its routes, and an end in which nothing that was accepted is lost."""

import asyncio
import logging
import resource
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from types import FrameType
from typing import Any

import uvicorn
from rewardlab.errors import JobError
from rewardlab.plan import Plan
from rewardlab.scoring import Scorer
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from rewardlab_serve.doors import Door, DoorOptions
from rewardlab_serve.errors import RequestError
from rewardlab_serve.gate import GateRules, RequestGate
from rewardlab_serve.json_answers import json_answer
from rewardlab_serve.metrics import Metrics
from rewardlab_serve.native_api import native_routes
from rewardlab_serve.openapi import description
from rewardlab_serve.reward_service import RewardService, ServiceLimits

IDLE = 120
"""seconds that a connection stays open between requests: a trainer's step is long, and a client that uses one just as
it is closed has to ask again"""
CLOSING = 10
"""seconds that connections may take to read their answers once all groups are answered"""
HEADING = 30
"""seconds after which a connection is closed that has not begun a request, or is still sending its headers as long
after that"""
OTHER_FILES = 512
"""that the process may have open beside a connection for each request"""


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """The settings of a server: who may ask, how much is under way, and which trainers are spoken to."""

    rules: GateRules
    limits: ServiceLimits
    doors: Sequence[Door] = ()
    door_options: DoorOptions = field(default_factory=DoorOptions)


def reward_app(plan: Plan, scorer: Scorer, settings: ServerSettings) -> tuple[Any, RewardService]:
    """Return the ASGI application of a recipe's reward, and the service behind it."""
    metrics = Metrics()
    service = RewardService(plan, scorer, settings.limits, metrics)
    routes = native_routes(service, metrics)
    for door in settings.doors:
        routes += door.routes(service, metrics, settings.door_options)
    routes += _routes_for_operators(service, metrics, description(plan, settings.doors))
    handlers = dict.fromkeys((HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED), partial(_no_route, routes))
    app = Starlette(routes=routes, exception_handlers=handlers)
    return RequestGate(app, settings.rules, metrics), service


def connections_for(requests: int) -> int:
    """Let the process have a connection for each request, and return how many it may have; the system may allow fewer.

    Otherwise members of a group would wait for those whose connections are not accepted.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = requests + OTHER_FILES
    if soft < wanted and soft != resource.RLIM_INFINITY:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return requests if soft == resource.RLIM_INFINITY else min(requests, max(soft - OTHER_FILES, 1))


class _Connection(H11Protocol):
    """A connection that has to send requests, and their headers at once."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to watch it."""
        super().connection_made(transport)
        self.loop.call_later(HEADING, self._watch, False)

    def _watch(self, idle_before: bool) -> None:
        answered = self.cycle is None or self.cycle.response_complete
        idle = answered and self.timeout_keep_alive_task is None  # with it, the wait for a next request has an end
        if self.transport.is_closing() or (idle and idle_before):
            self.transport.close()
        else:
            self.loop.call_later(HEADING, self._watch, idle)


class RewardServer(uvicorn.Server):
    """A server that answers what is under way before it ends, at SIGINT, SIGTERM or `stop`.

    A second signal ends the wait for groups that are not complete or scored, and a third ends it at once.

    drain: seconds that groups may take to be answered then. ready: called once requests are answered. ending: called
    at the first signal. access_log: print a line for each request on stdout.
    """

    def __init__(
        self,
        app: Any,
        service: RewardService,
        drain: float,
        ready: Callable[[], None],
        ending: Callable[[], None] = lambda: None,
        access_log: bool = False,
    ) -> None:
        config = uvicorn.Config(
            app,
            http=_Connection,
            ws="none",
            log_level="warning",
            access_log=access_log,
            timeout_graceful_shutdown=CLOSING,
            timeout_keep_alive=IDLE,
            server_header=False,
            lifespan="off",
            proxy_headers=False,
        )
        super().__init__(config)
        if access_log:
            logging.getLogger("uvicorn.access").setLevel(logging.INFO)
        self.interrupted = False
        self._service, self._drain, self._ready, self._say_end = service, drain, ready, ending
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending: asyncio.Task[None] | None = None
        self._stops = 0

    def serve_at(self, listening: socket.socket) -> None:
        """Answer requests at a socket until the end."""
        try:
            self.run(sockets=[listening])
        except OSError as error:
            raise JobError(f"the server ended: {error}") from error
        if self._ending is not None and not self._ending.cancelled():
            self._ending.result()  # raises what went wrong in it

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        self._loop = asyncio.get_running_loop()
        self._ready()

    def stop(self) -> None:
        """Begin the end, from any thread, and return at once; called again, hurry it."""
        self._stops += 1
        if self._loop is None or self._stops > 2:
            self.should_exit = self.force_exit = True
        elif self._stops == 2:
            self._service.hurry()
        else:
            self._service.draining = True
            self._loop.call_soon_threadsafe(self._begin_to_end)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take a signal as a call of `stop`."""
        self.interrupted |= sig == signal.SIGINT
        self.stop()

    def _begin_to_end(self) -> None:
        self._ending = asyncio.ensure_future(self._end())

    async def _end(self) -> None:
        try:
            with suppress(OSError):  # whoever read what it says is gone, as behind `serve ... 2>&1 | head`
                self._say_end()
        finally:
            try:
                await self._service.drain(self._drain)
            finally:
                self.should_exit = True


async def _no_route(routes: Sequence[Route], request: Request, exception: Exception) -> Response:
    known = ", ".join(f"{'/'.join(sorted(route.methods or ()))} {route.path}" for route in routes)
    status = HTTPStatus(getattr(exception, "status_code", HTTPStatus.NOT_FOUND))
    error = RequestError(status, "unknown_route", f"no {request.method} {request.url.path}; there are {known}")
    return json_answer(error.as_dict(), error.status)


def _routes_for_operators(service: RewardService, metrics: Metrics, openapi: dict[str, Any]) -> list[Route]:
    async def live(_: Request) -> Response:
        return json_answer({"live": True})

    async def ready(_: Request) -> Response:
        refusal = service.refusal()
        return json_answer({"ready": refusal is None, "reason": refusal}, 200 if refusal is None else 503)

    async def counts(_: Request) -> Response:
        return Response(metrics.text(), media_type="text/plain; version=0.0.4")

    async def described(_: Request) -> Response:
        return json_answer(openapi)

    paths = {"/healthz": live, "/readyz": ready, "/metrics": counts, "/openapi.json": described}
    return [Route(path, endpoint, methods=["GET"]) for path, endpoint in paths.items()]
