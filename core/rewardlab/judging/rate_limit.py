"""The limits of requests and tokens a minute, and the token counts of servers that can be true."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from rewardlab.types import Ask, Reply

SECONDS = 60.0
FIRST_ANSWER_TOKENS = 256.0
"""the estimate of an answer's tokens before the first answer"""
BYTES_A_TOKEN = 3.0
LEARNING = 0.1
SOON = 1e-6  # seconds too short to wait for


class Bucket:
    """A token bucket: evenly spaced, with a burst of one second's worth; no minute gets more than `per_minute`.

    Args:
        over: seconds in which no more than `per_minute` is given out, if it may be used some seconds later.
        full: whether the burst is there at the start.
    """

    def __init__(self, per_minute: float, over: float = SECONDS, full: bool = True) -> None:
        self._burst = max(1.0, per_minute / SECONDS)
        self._rate = (per_minute - (self._burst - 1.0)) / over
        self._level = self._burst if full else 0.0
        self._then = time.monotonic()

    def give(self, cost: float) -> None:
        """Give back what was taken and not used; a negative `cost` takes."""
        now = time.monotonic()
        self._level = min(self._burst, min(self._burst, self._level + (now - self._then) * self._rate) + cost)
        self._then = now

    def wait(self) -> float:
        """Return the seconds until everything that was taken is paid for."""
        self.give(0.0)
        return max(0.0, -self._level / self._rate)


class TokenEstimate:
    """An estimate of the tokens of a question and its answer, learnt from those that a server counted."""

    def __init__(self) -> None:
        self._answer = FIRST_ANSWER_TOKENS
        self._per_byte = 1.0 / BYTES_A_TOKEN

    def of(self, ask: Ask) -> float:
        """Return the tokens that the question will take."""
        return question_bytes(ask) * self._per_byte + self._answer

    def learn(self, ask: Ask, reply: Reply) -> None:
        """Learn from a reply whose tokens were counted."""
        self._answer += LEARNING * ((reply.completion_tokens or 0) - self._answer)
        self._per_byte += LEARNING * ((reply.prompt_tokens or 0) / max(1, question_bytes(ask)) - self._per_byte)


class RateLimit:
    """The rate limits of a judge, each a number a minute or None. Questions go in the order in which they came."""

    def __init__(self, requests: int | None, tokens: int | None) -> None:
        self._requests = Bucket(requests) if requests else None
        self._tokens = Bucket(tokens) if tokens else None
        self._line = asyncio.Lock()
        self._given = asyncio.Event()
        self._estimate = TokenEstimate()

    async def turn(self, ask: Ask, is_moot: Callable[[], bool] = lambda: False) -> float:
        """Wait until the question may go; return the tokens that were taken for it, for `settle`.

        Once `is_moot()` is true, the question need not go: it takes nothing and only waits until it is first in line.
        """
        if self._requests is None and self._tokens is None:
            return 0.0
        async with self._line:  # one at a time, so that what a cancelled question gives back disturbs no other's turn
            estimate = self._estimate.of(ask)
            takes = [(bucket, cost) for bucket, cost in ((self._requests, 1.0), (self._tokens, estimate)) if bucket]
            for bucket, cost in takes:
                bucket.give(-cost)
            gone = False
            try:
                while (wait := max(bucket.wait() for bucket, _ in takes)) > SOON:
                    self._given.clear()
                    with suppress(TimeoutError):
                        async with asyncio.timeout(wait):
                            await self._given.wait()
                gone = not is_moot()
            finally:
                for bucket, cost in () if gone else takes:
                    bucket.give(cost)
            return estimate if gone else 0.0

    def settle(self, ask: Ask, taken: float, reply: Reply) -> None:
        """Replace the estimate by the tokens that the server counted, and learn from them."""
        if self._tokens is None or reply.prompt_tokens is None:
            return
        answer = reply.completion_tokens or 0
        self._tokens.give(taken - reply.prompt_tokens - answer)
        self._given.set()
        self._estimate.learn(ask, reply)


def question_bytes(ask: Ask) -> int:
    """Return the number of bytes of the messages in UTF-8."""
    return sum(len(message["content"].encode("utf-8", "surrogatepass")) for message in ask.messages)


HIDDEN_TOKENS = 32_768
"""tokens that a server may put before a question by itself"""
MAX_ANSWER_TOKENS = 1 << 20
"""more than any model writes, thoughts included"""
CACHED = ("cache_read_tokens", "cache_write_tokens")
"""counts of parts of the prompt"""


def plausible_counts(ask: Ask, reply: Reply) -> tuple[Reply, str | None]:
    """Return the reply without the counts that cannot be true, and what is odd about them, or None.

    A server that counts 10^18 tokens would stall the rate limit for ever and use up any budget. A count that is left
    out is one that was not given.
    """
    most = {"prompt_tokens": question_bytes(ask) + HIDDEN_TOKENS, "completion_tokens": MAX_ANSWER_TOKENS}
    wrong = [name for name, limit in most.items() if not _is_count(getattr(reply, name), limit)]
    if reply.cache_read_tokens is not None or reply.cache_write_tokens is not None:
        cached = [given for name in CACHED if (given := getattr(reply, name)) is not None]
        prompt = 0 if "prompt_tokens" in wrong else reply.prompt_tokens or 0
        if not all(_is_count(given, prompt) for given in cached) or sum(cached) > prompt:
            most |= dict.fromkeys(CACHED, prompt)
            wrong += CACHED
    if not wrong:
        return reply, None
    odd = f"reports {wrong[0]} that cannot be true (at most {most[wrong[0]]:,} are believed)"
    without: dict[str, Any] = dict.fromkeys(wrong)
    return replace(reply, **without), odd


def _is_count(given: object, most: int) -> bool:
    return given is None or (type(given) is int and 0 <= given <= most)
