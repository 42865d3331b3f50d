"""Asking a judge as a host does, on an event loop in a thread of its own, and what came of it."""

import asyncio
import inspect
import json
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import Any, TypeVar

from rewardlab.errors import one_line
from rewardlab.loops import LoopThread
from rewardlab.specs import Config
from rewardlab.testing.outcome import Broken, Untried
from rewardlab.testing.told import cut
from rewardlab.testing.trial import Trial
from rewardlab.types import Ask, Reply

LIMIT_S = 120.0
"""for one answer of a judge"""
COUNTS = ("prompt_tokens", "completion_tokens")
TEXTS = ("reasoning", "finish_reason", "error")

T = TypeVar("T")
Run = Callable[[Coroutine[Any, Any, Any]], Any]


@contextmanager
def a_loop() -> Iterator[Run]:
    """Runs coroutines on one loop, each within LIMIT_S; a TimeoutError tells of one that took longer."""
    home = LoopThread("rewardlab-laws")
    try:
        yield lambda work: home.submit(_limited(work)).result(LIMIT_S + 5)
    finally:
        home.close()


@contextmanager
def opened(tested: Trial, options: Config | None = None) -> Iterator[tuple[Any, Run]]:
    """A judge, built anew, and what runs coroutines on its loop."""
    judge = tested.built(options)
    with a_loop() as run:
        try:
            yield judge, run
        finally:
            with suppress(Exception):  # the law `close` looks at that
                run(closed(judge))


async def reply_of(judge: Any, ask: Ask) -> Reply:
    """The reply, whose parts have their types. Raises what `ask` raises, and Broken where there is no Reply."""
    try:
        answer = judge.ask(ask)
        if not inspect.isawaitable(answer):
            raise Broken(f"asked {told(ask)}\ngot {cut(answer)}\nexpected `ask` to be a coroutine function: async def")
        reply = await answer
    except SystemExit as error:  # it would end the loop
        raise Broken(f"asked {told(ask)}\ngot {one_line(error)}\nexpected a Reply, or an Exception") from error
    if wrong := _wrong(reply):
        raise Broken(f"asked {told(ask)}\ngot {shown(reply)}\nexpected {wrong}")
    return reply


async def closed(judge: Any) -> None:
    """Close it, where it can be closed."""
    close = getattr(judge, "aclose", None)
    if close is not None:
        await close()


async def outcome_of(judge: Any, ask: Ask) -> Reply:
    """The reply; what `ask` raises as its error."""
    try:
        return await reply_of(judge, ask)
    except Broken:
        raise
    except Exception as error:
        return Reply(error=one_line(error))


def answered(ask: Ask, reply: Reply) -> Reply:
    """The reply; Untried where it is none."""
    if reply.error is not None:
        raise Untried(f"needs a judge that answers: asked {told(ask)}, its error is {cut(reply.error)}")
    return reply


def questions(tested: Trial) -> list[Ask]:
    """The example's; Untried where it has none."""
    if not tested.example.asks:
        raise Untried("needs an example with questions that the judge understands: asks=[Ask(...)]")
    return list(tested.example.asks)


def _wrong(reply: Any) -> str | None:
    """What it should be instead."""
    if not isinstance(reply, Reply):
        return "a rewardlab.Reply"
    if not isinstance(reply.text, str):
        return f"a text that is a str, not {type(reply.text).__name__}"
    for name in TEXTS:
        if not isinstance(value := getattr(reply, name), str | None):
            return f"{name} to be a str or None, not {type(value).__name__}"
    for name in COUNTS:
        value = getattr(reply, name)
        if value is not None and (type(value) is not int or value < 0):
            return f"{name} to be a whole number of 0 or above, or None, not {value!r}"
    try:
        json.dumps(reply.logprobs, allow_nan=False)
    except (TypeError, ValueError) as error:
        return f"logprobs to be JSON values, for cassettes: {error}"
    return None


def told(ask: Ask) -> str:
    """A question in a failing example."""
    said = [f"{message.get('role')}: {cut(message.get('content'))}" for message in ask.messages]
    parts = [f"{name}={cut(value)}" for name, value in ask.parts.items()]
    more = [f"params={dict(ask.params)!r}"] if ask.params else []
    more += [f"draw={ask.draw}"] if ask.draw else []
    return f"Ask({'; '.join([*said, *parts, *more]) or 'without messages and parts'})"


def shown(reply: Any) -> str:
    """A reply in a failing example: what of it is there."""
    if not isinstance(reply, Reply):
        return cut(reply)
    there = {name: value for name, value in asdict(reply).items() if value not in (None, "")}
    return f"Reply({', '.join(f'{name}={cut(value)}' for name, value in there.items())})"


async def _limited(work: Coroutine[Any, Any, T]) -> T:
    async with asyncio.timeout(LIMIT_S):
        return await work


def as_json(ask: Ask) -> dict[str, Any]:
    """For another process."""
    return {
        "messages": [dict(message) for message in ask.messages],
        "parts": dict(ask.parts),
        "params": dict(ask.params),
        "draw": ask.draw,
    }
