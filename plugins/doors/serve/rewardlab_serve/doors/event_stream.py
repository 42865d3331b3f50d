"""Answers as server-sent events, as OpenReward's client reads them: `task_id`, `chunk`, and `end` or `error`."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from starlette.responses import StreamingResponse

from rewardlab_serve.errors import RequestError

HEARTBEAT = 10.0
"""seconds between signs of life of an answer that is not there; the client waits 30"""
PART = 4096
"""characters of an event: a line has a bound where it is read"""


def event_stream(task: str, answer: Any) -> StreamingResponse:
    """Return the response of an answer's JSON, which is there."""
    return _response(_events(task, answer))


def event_stream_of(task: str, work: "asyncio.Future[Any]", answer: Callable[[Any], Any]) -> StreamingResponse:
    """Return the response of `answer` of a result that is to come; a RequestError becomes the event `error`."""
    return _response(_later(task, work, answer))


async def _later(task: str, work: "asyncio.Future[Any]", answer: Callable[[Any], Any]) -> AsyncIterator[str]:
    yield _event("task_id", task)
    try:
        while not work.done():
            await asyncio.wait([work], timeout=HEARTBEAT)
            yield ": under way\n\n"
        for event in _parts(answer(work.result())):
            yield event
    except RequestError as error:
        yield _event("error", " ".join(error.as_dict()["error"]["message"].split()))
    finally:
        work.cancel()


def _events(task: str, answer: Any) -> Iterator[str]:
    yield _event("task_id", task)
    yield from _parts(answer)


def _parts(answer: Any) -> Iterator[str]:
    text = json.dumps(answer, separators=(",", ":"), allow_nan=False)
    for start in range(0, len(text), PART):
        yield _event("end" if start + PART >= len(text) else "chunk", text[start : start + PART])


def _event(kind: str, data: str) -> str:
    return f"event: {kind}\ndata: {data}\n\n"


def _response(events: Any) -> StreamingResponse:
    return StreamingResponse(events, media_type="text/event-stream", headers={"Cache-Control": "no-cache"})
