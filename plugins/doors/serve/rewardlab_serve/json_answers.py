"""JSON in and out: bodies as Python values, read as `rewardlab score` reads a row, and answers.

Faster parsers are left alone on purpose: they read a whole number beyond 64 bits as a float, and so another answer than
the row has.
"""

import asyncio
import math
import traceback
from collections.abc import Awaitable, Callable, Coroutine
from http import HTTPStatus
from typing import Any

from rewardlab.data import json_values
from rewardlab.errors import one_line
from rewardlab.scorefile import to_line
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from rewardlab_serve.errors import RequestError, bad_request, unavailable
from rewardlab_serve.metrics import Metrics

BODY_SECONDS = 60.0
"""that a body may take to arrive"""
Handler = Callable[[Any, Request], Coroutine[Any, Any, Any]]
"""(the body's JSON, the request) -> JSON values, or a response of another kind"""


def json_answer(values: Any, status: int = 200, after: float | None = None) -> Response:
    """Return a response of JSON values. after: seconds, for the header Retry-After, which has whole ones."""
    headers = {} if after is None else {"Retry-After": str(math.ceil(after))}
    return Response(to_line(values), status_code=status, headers=headers, media_type="application/json")


def json_endpoint(door: str, metrics: Metrics, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint that reads a body, calls `handler`, and answers its result or its RequestError."""

    async def answer(request: Request) -> Response:
        try:
            work = handler(await _body(request), request)
            result = await _unless_gone(work, request)
            response = result if isinstance(result, Response) else json_answer(result)
        except RequestError as error:
            response = json_answer(error.as_dict(), error.status, error.after)
        except ClientDisconnect:
            response = Response(status_code=HTTPStatus.BAD_REQUEST)
        except RecursionError:
            deep = bad_request("the JSON is nested too deeply")
            response = json_answer(deep.as_dict(), deep.status)
        except Exception as error:  # a fault of ours is told on the terminal, and is no reward
            traceback.print_exception(error)
            fault = RequestError(
                HTTPStatus.INTERNAL_SERVER_ERROR, "fault", f"a fault of the server: {one_line(error)}", 1.0
            )
            response = json_answer(fault.as_dict(), fault.status, fault.after)
        metrics.request(door, response.status_code)
        return response

    return answer


async def _body(request: Request) -> Any:
    if request.method != "POST":
        return None
    try:
        async with asyncio.timeout(BODY_SECONDS):
            body = b"".join([part async for part in request.stream()])  # Request.body would keep it until the answer
    except TimeoutError:
        message = f"the body has not come within {BODY_SECONDS:g} s"
        raise RequestError(HTTPStatus.REQUEST_TIMEOUT, "bad_request", message) from None
    if not body:
        return None
    try:
        return json_values(body.decode())
    except ValueError as error:
        raise bad_request(f"the body is not JSON in UTF-8: {error}") from None


async def _unless_gone(work: Coroutine[Any, Any, Any], request: Request) -> Any:
    """Return the result of `work`; raise ClientDisconnect, and end it, once nobody waits for it.

    A client that asks, leaves and comes again would otherwise take one place after another.
    """
    asking, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait([asking, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            raise ClientDisconnect
        return asking.result()
    finally:
        asking.cancel()
        leaving.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def number_of(value: float | None, door: str) -> float:
    """Return a reward for a door that has no word for a missing one; raise a RequestError for that."""
    if value is None:
        message = f"a component has no value, so there is no reward, and the door {door!r} cannot say so by a number"
        raise unavailable("missing_reward", message)
    return value
