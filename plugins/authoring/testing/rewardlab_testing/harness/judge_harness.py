"""Ask a judge as a host does, on an event loop in a thread of its own, and check what it replies."""

import asyncio
import inspect
import json
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import Any, TypeVar

from rewardlab import Ask, Config, Reply
from rewardlab.concurrency import LoopThread
from rewardlab.errors import one_line

from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.outcomes.messages import cut
from rewardlab_testing.outcomes.outcome import LawViolation, UnmetNeed

LIMIT_S = 120.0
"""seconds for one answer of a judge"""
COUNTS = ("prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens")
TEXTS = ("reasoning", "finish_reason", "error")

T = TypeVar("T")
Run = Callable[[Coroutine[Any, Any, Any]], Any]


@contextmanager
def running_loop() -> Iterator[Run]:
    """Yield a function that runs coroutines on one loop, each within LIMIT_S; it raises TimeoutError beyond that."""
    home = LoopThread("rewardlab-laws")
    try:
        yield lambda work: home.submit(_limited(work)).result(LIMIT_S + 5)
    finally:
        home.close()


@contextmanager
def open_judge(tested: ComponentUnderTest, options: Config | None = None) -> Iterator[tuple[Any, Run]]:
    """Yield a judge, built anew, and a function that runs coroutines on its loop; close the judge at the end."""
    judge = tested.build(options)
    with running_loop() as run:
        try:
            yield judge, run
        finally:
            with suppress(Exception):  # the law `close` looks at that
                run(close_judge(judge))


async def ask_strictly(judge: Any, ask: Ask) -> Reply:
    """Return the judge's Reply, whose fields have their types.

    Raises what `ask` raises, and LawViolation if the answer is not such a Reply.
    """
    asked = f"asked {describe_ask(ask)}"
    try:
        answer = judge.ask(ask)
        if not inspect.isawaitable(answer):
            raise LawViolation(f"{asked}\ngot {cut(answer)}\nexpected `ask` to be a coroutine function: async def")
        reply = await answer
    except SystemExit as error:  # it would end the loop
        raise LawViolation(f"{asked}\ngot {one_line(error)}\nexpected a Reply, or an Exception") from error
    if expected := _expected(reply):
        raise LawViolation(f"{asked}\ngot {describe_reply(reply)}\nexpected {expected}")
    return reply


async def close_judge(judge: Any) -> None:
    """Close the judge, if it can be closed."""
    close = getattr(judge, "aclose", None)
    if close is not None:
        await close()


async def ask_judge(judge: Any, ask: Ask) -> Reply:
    """Return the judge's Reply; if `ask` raises, a Reply with that error. Raises LawViolation as `ask_strictly`."""
    try:
        return await ask_strictly(judge, ask)
    except LawViolation:
        raise
    except Exception as error:
        return Reply(error=one_line(error))


def require_answer(ask: Ask, reply: Reply) -> Reply:
    """Return the reply; raise UnmetNeed if it is an error."""
    if reply.error is not None:
        raise UnmetNeed(f"needs a judge that answers: asked {describe_ask(ask)}, its error is {cut(reply.error)}")
    return reply


def questions(tested: ComponentUnderTest) -> list[Ask]:
    """Return the example's questions; raise UnmetNeed if it has none."""
    if not tested.example.asks:
        raise UnmetNeed("needs an example with questions that the judge understands: asks=[Ask(...)]")
    return list(tested.example.asks)


def _expected(reply: Any) -> str | None:
    """Return what the reply should be instead; None if nothing is wrong with it."""
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


def describe_ask(ask: Ask) -> str:
    """Return a question as it stands in a failing example."""
    messages = [f"{message.get('role')}: {cut(message.get('content'))}" for message in ask.messages]
    parts = [f"{name}={cut(value)}" for name, value in ask.parts.items()]
    more = [f"params={dict(ask.params)!r}"] if ask.params else []
    more += [f"draw={ask.draw}"] if ask.draw else []
    return f"Ask({'; '.join([*messages, *parts, *more]) or 'without messages and parts'})"


def describe_reply(reply: Any) -> str:
    """Return a reply as it stands in a failing example, without its empty fields."""
    if not isinstance(reply, Reply):
        return cut(reply)
    filled = {name: value for name, value in asdict(reply).items() if value not in (None, "", False)}
    return f"Reply({', '.join(f'{name}={cut(value)}' for name, value in filled.items())})"


async def _limited(work: Coroutine[Any, Any, T]) -> T:
    async with asyncio.timeout(LIMIT_S):
        return await work


def ask_as_json(ask: Ask) -> dict[str, Any]:
    """Return a question as JSON values, for another process."""
    return {
        "messages": [dict(message) for message in ask.messages],
        "parts": dict(ask.parts),
        "params": dict(ask.params),
        "draw": ask.draw,
    }
