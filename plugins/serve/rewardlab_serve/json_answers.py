"""JSON in and out: bodies as Python values that mean the same, and answers.

The standard parser is used on purpose: faster ones read a whole number beyond 64 bits as a float, and so another answer
than the row has.
"""

import asyncio
import json
import math
import traceback
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from rewardlab.errors import one_line
from rewardlab.scorefile import to_line
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from rewardlab_serve.errors import RequestError, bad_request, unavailable
from rewardlab_serve.metrics import Metrics

BODY_SECONDS = 60.0
"""that a body may take to arrive"""
Handler = Callable[[Any, Request], Awaitable[Any]]
"""(the body's JSON, the request) -> JSON values"""


def json_answer(values: Any, status: int = 200, after: float | None = None) -> Response:
    """Return a response of JSON values. after: seconds, for the header Retry-After, which has whole ones."""
    headers = {} if after is None else {"Retry-After": str(math.ceil(after))}
    return Response(to_line(values), status_code=status, headers=headers, media_type="application/json")


def json_endpoint(door: str, metrics: Metrics, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint that reads a body, calls `handler`, and answers its result or its RequestError."""

    async def answer(request: Request) -> Response:
        try:
            response = json_answer(await handler(await _body(request), request))
        except RequestError as error:
            response = json_answer(error.as_dict(), error.status, error.after)
        except ClientDisconnect:
            response = Response(status_code=HTTPStatus.BAD_REQUEST)
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
            body = await request.body()
    except TimeoutError:
        what = f"the body has not come within {BODY_SECONDS:g} s"
        raise RequestError(HTTPStatus.REQUEST_TIMEOUT, "bad_request", what) from None
    try:
        return json.loads(body, parse_constant=_refuse)
    except RecursionError:
        raise bad_request("the JSON is nested too deeply") from None
    except ValueError as error:
        raise bad_request(f"the body is not JSON in UTF-8: {error}") from None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def number_of(value: float | None, door: str) -> float:
    """Return a reward for a door that has no word for a missing one; raise a RequestError for that."""
    if value is None:
        what = f"a component has no value, so there is no reward, and the door {door!r} cannot say so by a number"
        raise unavailable("missing_reward", what)
    return value
