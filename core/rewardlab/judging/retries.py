"""The calls of one question: past the circuit breaker, by the rate limit, within the budget, with retries."""

import asyncio
import inspect
import math
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rewardlab.concurrency.threads import must_reraise, running_task
from rewardlab.errors import JobError, TryAgain, one_line
from rewardlab.judging.budget import Budget
from rewardlab.judging.circuit_breaker import CircuitBreaker, OutageNotice
from rewardlab.judging.group_deadline import GROUP_CLOCK
from rewardlab.judging.rate_limit import RateLimit, plausible_counts
from rewardlab.judging.usage import Usage, UsageFile
from rewardlab.recipe.use import JudgeUse
from rewardlab.types import Ask, Reply

FIRST_PAUSE_S = 0.5
MAX_PAUSE_S = 5.0
MAX_WAIT_S = 120.0
"""a server that asks for a longer pause than this counts as refusing"""
PATIENCE_A_RETRY_S = 12.0
"""a question is asked again for so long, times its retries; a judge that is down is waited for at least a timeout"""
MAX_STEPS_OF_PAUSE = 4
"""after so many failures the pauses have grown to MAX_PAUSE_S"""
BUSY_TRIES = 3
"""tries of the first call to a judge that is busy, and therefore up, and does not say for how long"""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of one judge. slots: entered by each question under way. budget: None without one."""

    slots: asyncio.Semaphore
    rate: RateLimit
    budget: Budget | None


@dataclass(frozen=True, slots=True)
class _Failure:
    """The reason why there is no reply; another try may bring one. sent: when it was asked, on the monotonic clock."""

    why: str
    after: float | None = None
    may_cost: bool = False
    busy: bool = False
    sent: float = math.inf


_INTERRUPTED = _Failure("was interrupted", may_cost=True)


class RetryingJudge:
    """A judge that is asked again where a call fails: every call to it goes through here and is counted.

    Args:
        stopped: returns why no further call may be made, or None.
        tell: called with what the user should know about the judge, and whether it is a warning: that it is down,
            for how long questions will wait for it, and that it is back; that its token counts are not believed.
    """

    def __init__(
        self,
        name: str,
        judge: Any,
        settings: JudgeUse,
        usage: UsageFile,
        limits: Limits,
        stopped: Callable[[], JobError | None],
        tell: Callable[[str, bool], None],
    ) -> None:
        self._name = name
        self._judge = judge
        self._settings = settings
        self._usage_file = usage
        self._budget = limits.budget
        self._stopped = stopped
        self._tries = 1 + settings.retries
        self._slots = limits.slots
        self._asking = 0
        self._outage = OutageNotice(lambda: self._asking, tell)
        self._patience = max(settings.timeout, PATIENCE_A_RETRY_S * settings.retries)
        self._breaker = CircuitBreaker(self._patience, self._outage.began, self._outage.ended)
        self._rate_limit = limits.rate
        self._tell = tell
        self._has_odd_counts = False

    @property
    def _usage(self) -> Usage:
        return self._usage_file.usage

    async def local(self, ask: Ask) -> Reply:
        """Ask a judge that makes no network call: once, counting nothing, with a limit only on concurrent questions."""
        async with self._slots:
            outcome = await self._try(ask)
            return outcome if isinstance(outcome, Reply) else self._failed_reply(outcome, 1)

    async def first(self, ask: Ask, patient: bool = False) -> Reply:
        """Ask before a job, outside of its counts; ask a judge that is busy up to BUSY_TRIES times.

        One that says when to come back (Retry-After) is waited for as long as a running job waits for one that is down;
        if `patient`, so is any that fails, and the user reads of it.
        """
        tries, end = 0, time.monotonic() + self._patience
        with self._waiting():
            try:
                while not isinstance(outcome := await self._try(ask), Reply):
                    tries += 1
                    after, left = outcome.after or 0.0, end - time.monotonic()
                    waits = left > 0 if patient else outcome.busy and (tries < BUSY_TRIES or 0 < after <= left)
                    if not waits or after > MAX_WAIT_S:
                        return self._failed_reply(outcome, tries)
                    if patient and tries == 1:
                        self._outage.began(outcome.why, self._patience)
                    pause = _pause(tries, after)
                    await asyncio.sleep(min(left, pause) if patient else pause)
                if patient and tries:
                    self._outage.ended()
                return outcome
            finally:
                self._outage.close()

    async def ask(self, ask: Ask) -> Reply:
        """Ask until there is an answer, the retries and their time are used up, or the judge is down for good."""
        failures, since = 0, math.inf
        with self._waiting():
            while True:
                # take a slot first: questions that wait for one while a judge goes down would all be sent and fail
                async with self._slots:
                    trial = await self._breaker.turn()
                    if trial is None:
                        return self._down_reply()
                    outcome = await self._call(ask, failures > 0 or trial, trial)
                if outcome is None:
                    continue
                if isinstance(outcome, Reply):
                    return outcome
                if trial and self._breaker.is_final:
                    return self._down_reply()
                # a question that tests whether a judge is back loses none of its tries by that, if it has several
                failures += not trial or self._tries == 1
                since = time.monotonic() if trial else min(since, time.monotonic())  # an outage is none of its time
                if self._is_hopeless(failures, since, outcome):
                    return self._failed_reply(outcome, failures)
                await asyncio.sleep(_pause(failures, outcome.after))

    def close(self) -> None:
        """Tell no more of an outage; to be called on the event loop that asks."""
        self._outage.close()

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """Count a question among those that an outage holds up."""
        self._asking += 1
        try:
            yield
        finally:
            self._asking -= 1

    def _is_hopeless(self, failures: int, since: float, last: _Failure) -> bool:
        """Return whether a question is given up: a count alone would lose one now and then if a tenth fails."""
        if (last.after or 0.0) > MAX_WAIT_S or self._tries == 1:
            return True
        return failures >= self._tries and time.monotonic() - since >= PATIENCE_A_RETRY_S * self._settings.retries

    async def _call(self, ask: Ask, again: bool, trial: bool) -> Reply | _Failure | None:
        """Make one call by the rate limit and within the budget, count it, and tell the breaker how it went.

        Returns None if the judge went down before it was made.
        """
        outcome: Reply | _Failure | None = None
        bound, taken, sent = None, 0.0, None

        def is_moot() -> bool:
            return self._stopped() is not None or (self._breaker.is_open and not trial)

        try:
            if not is_moot():
                bound = await self._budget.hold(ask) if self._budget is not None else None
                # last, so that no wait for the budget comes between a turn and the call
                taken = await self._rate_limit.turn(ask, is_moot)
            if is_moot():
                outcome = None if (stopped := self._stopped()) is None else Reply(error=str(stopped))
            else:
                sent, outcome = time.monotonic(), _INTERRUPTED
                self._note_sent(again)
                outcome = await self._try(ask)
        finally:
            self._tell_breaker(outcome, trial)
            self._settle(ask, bound, taken, sent, outcome if sent is not None else None)
        return outcome

    def _note_sent(self, again: bool) -> None:
        if (clock := GROUP_CLOCK.get()) is not None and self._settings.group_timeout is not None:
            clock.sent(self._name, self._settings.group_timeout)
        self._usage.calls += 1
        self._usage.retries += again

    def _tell_breaker(self, outcome: Reply | _Failure | None, trial: bool) -> None:
        if isinstance(outcome, Reply):
            self._breaker.succeeded()
        elif outcome is not None and outcome is not _INTERRUPTED:
            self._breaker.failed(outcome.why, outcome.after, trial, outcome.sent)
        elif trial:
            self._breaker.untried()

    def _settle(
        self,
        ask: Ask,
        bound: tuple[int, int] | None,
        taken: float,
        sent: float | None,
        outcome: Reply | _Failure | None,
    ) -> None:
        """Count what a call cost, and give back the rest of what was set aside; all of it if nothing was sent."""
        reply = outcome if isinstance(outcome, Reply) else None
        if self._budget is not None and bound is not None:
            self._budget.settle(bound, reply, unknown=isinstance(outcome, _Failure) and outcome.may_cost)
        if reply is not None and sent is not None:
            self._count(ask, taken, time.monotonic() - sent, reply)
        if outcome is not None:
            self._usage_file.tick()

    def _count(self, ask: Ask, taken: float, seconds: float, reply: Reply) -> None:
        self._rate_limit.settle(ask, taken, reply)
        prompt, completion = reply.prompt_tokens or 0, reply.completion_tokens or 0
        self._usage.answers += reply.error is None
        self._usage.seconds += seconds if reply.error is None else 0.0
        self._usage.prompt_tokens += prompt
        self._usage.completion_tokens += completion
        if self._settings.price is not None:
            self._usage.usd += self._settings.price.of(reply)

    async def _try(self, ask: Ask) -> Reply | _Failure:
        limit = asyncio.timeout(self._settings.timeout)
        task, sent = running_task(), time.monotonic()
        try:
            async with limit:
                answer = self._judge.ask(ask)
                reply = await answer if inspect.isawaitable(answer) else answer
        except TryAgain as error:
            return _Failure(" ".join(str(error).split()), error.after, busy=True, sent=sent)
        except BaseException as error:  # the one place where a judge's exception becomes a reply
            if must_reraise(error, task):
                raise
            if limit.expired():
                return _Failure(f"gave no answer within {self._settings.timeout:g} s", may_cost=True, sent=sent)
            return _Failure(f"raised {one_line(error)}", sent=sent)
        problem = None
        if reply is answer:
            problem = "has an `ask` that is not a coroutine function; write `async def ask`"
        elif not isinstance(reply, Reply):
            problem = f"returned {type(reply).__name__}, not a Reply"
        elif not isinstance(reply.text, str):
            problem = f"returned a text that is {type(reply.text).__name__}, not str"
        return self._believed(ask, reply) if problem is None else Reply(error=f"judge {self._name!r} {problem}")

    def _believed(self, ask: Ask, reply: Reply) -> Reply:
        reply, odd = plausible_counts(ask, reply)
        if odd is not None and not self._has_odd_counts:
            self._has_odd_counts = True
            self._tell(f"{odd}; they are left out of its limits and its usage", True)
        return reply

    def _down_reply(self) -> Reply:
        down, why = self._breaker.seconds, self._breaker.last_failure
        return Reply(error=f"judge {self._name!r} has been down for {down:.0f} s: it {why}")

    def _failed_reply(self, failure: _Failure, failures: int) -> Reply:
        tries = f", {failures} tries" if failures > 1 else ""
        return Reply(error=f"judge {self._name!r} {failure.why}{tries}")


def _pause(failures: int, after: float | None) -> float:
    """Return the seconds before the next try: growing, randomly spread, and never less than the server asked for."""
    grown: float = min(MAX_PAUSE_S, FIRST_PAUSE_S * 2 ** min(max(0, failures - 1), MAX_STEPS_OF_PAUSE))
    return max(after or 0.0, 0.0) + grown * random.uniform(0.5, 1.0)  # spreads retries; affects no score
