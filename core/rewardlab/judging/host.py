"""The handle that rewards see: one question after another from the same judge, whoever asks.

A question goes: is it answered already, is the same one under way, is there a place, is the judge down, may it go
by the pace, does the budget bear it, ask, and again after a failure.
"""

import asyncio
import inspect
import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rewardlab.errors import JobError, RewardlabError, TryAgain, one_line
from rewardlab.judging.answers import Answers, identity
from rewardlab.judging.budget import Budget, cost
from rewardlab.judging.form import FormWatch
from rewardlab.judging.group_clock import GROUP
from rewardlab.judging.keeping import Keeping
from rewardlab.judging.outage import Outage
from rewardlab.judging.pace import Pace
from rewardlab.judging.usage import Usage, UsageFile
from rewardlab.loops import LoopThread, is_ours
from rewardlab.redaction import redact
from rewardlab.specs import JudgeSpec
from rewardlab.types import Ask, Reply
from rewardlab.uses import JudgeUse

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 20.0
LONGEST_WAIT_S = 120.0
"""a server that asks for a longer pause than this has refused"""
PATIENCE_A_RETRY_S = 12.0
"""a judge that is down is waited for as long as this for each of its retries, and at least for its timeout"""
PROBES = 3
PROBE = Ask(messages=({"role": "user", "content": "Please reply with the single word: ready"},))


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why there is no reply; another try may bring one."""

    why: str
    after: float | None = None
    may_cost: bool = False
    busy: bool = False


class HostedJudge:
    """A declared judge as rewards see it: `await judge.ask(Ask(...))`, from any event loop."""

    def __init__(
        self,
        name: str,
        judge: Any,
        spec: JudgeSpec,
        settings: JudgeUse,
        home: LoopThread,
        options: Any = None,
        keeping: Keeping | None = None,
    ):
        self.name = name
        self.stopped: JobError | None = None
        self._judge = judge
        self._spec = spec
        self._settings = settings
        self._home = home
        self._keeping = keeping or Keeping()
        self._tries = 1 if spec.local else 1 + settings.retries
        self._places = asyncio.Semaphore(settings.concurrency)
        self._form = FormWatch(name)
        self._outage = Outage(max(settings.timeout, PATIENCE_A_RETRY_S * settings.retries), self._waits)
        self._pace = Pace(settings.requests_per_minute, settings.tokens_per_minute)
        folder = None if spec.local else self._keeping.folder
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        stem = quote(name, safe=" ")
        self._usage = UsageFile(folder and folder / f"{stem}.usage.json")
        self.before = self.usage.minus(Usage())
        self._budget: Budget | None = None
        if settings.budget is not None and not spec.local:
            most = spec.most_tokens(options) if spec.most_tokens is not None else None
            spent = self._usage.spent()
            self._budget = Budget(name, settings.budget, settings.price, most, spent, self._usage.save)
        cassette = None if spec.local else settings.cassette
        kept = folder and folder / f"{stem}.answers.jsonl"
        self._answers = Answers(name, identity(spec, settings, options), cassette, kept)

    @property
    def usage(self) -> Usage:
        """Counts over all attempts of the job."""
        return self._usage.usage

    @property
    def kept_in(self) -> Path | None:
        """The file that new answers go into; None where they go nowhere."""
        return self._answers.kept_in

    async def ask(self, ask: Ask) -> Reply:
        """The judge's reply; never raises for what the judge does.

        A judge that raises or takes too long is asked again; a Reply with `error` is its last word. An equal
        question (model, messages, parameters and draw) that is under way is waited for and not asked again.
        """
        return await self._home.here(self._local(ask) if self._spec.local else self._asked(ask))

    def understood(self, reply: Reply, ok: bool) -> None:
        """Whoever asked says whether the reply has the form that was asked for; call it once for each reply.

        A judge that is local is no model that could be the wrong one: it may have no opinion of what an untrained
        policy writes, and is only told of.
        """
        told = self._form.count(reply, ok)
        if told is None:
            return
        if self._keeping.stop_on_form and not self._spec.local:
            kept = self.kept_in
            where = f"\nThey are kept in {kept}; to ask anew, move it away" if kept is not None else ""
            self._stop(JobError(told + where))
        else:
            self._keeping.say(redact(f"warning: {told}"))

    async def probe(self) -> str | None:
        """Ask a trivial question; why there is no answer, or None. An answer that a cassette keeps will do.

        A judge that is busy is asked up to PROBES times, for it is there.
        """
        if self._spec.local or self._answers.replays:
            return None
        reply, _ = await self._answers.get(PROBE, self._probed)
        return reply.error

    async def _probed(self, ask: Ask) -> Reply:
        probes = 0
        while True:
            outcome = await self._try(ask)
            if isinstance(outcome, Reply):
                return outcome
            probes += 1
            if probes == PROBES or not outcome.busy or (outcome.after or 0.0) > LONGEST_WAIT_S:
                return self._gave_up(outcome, probes)
            await asyncio.sleep(_pause(probes, outcome.after))

    async def _once(self, ask: Ask) -> Reply:
        outcome = await self._try(ask)
        return outcome if isinstance(outcome, Reply) else self._gave_up(outcome, 1)

    async def aclose(self) -> None:
        """Close what the judge holds open and the files; idempotent. Belongs to the home loop."""
        self._stop(JobError(f"judge {self.name!r} is closed"))  # what is under way makes no further call
        self._answers.close()
        try:
            self._usage.save(self._budget.at_most() if self._budget is not None else None)
        finally:
            close = getattr(self._judge, "aclose", None)
            if close is not None:
                await close()

    async def _local(self, ask: Ask) -> Reply:
        async with self._places:
            return await self._once(ask)

    async def _asked(self, ask: Ask) -> Reply:
        try:
            reply, reused = await self._in_time(ask)
        except (RewardlabError, OSError) as error:  # a full disk, a budget that is used up
            told = str(error) if isinstance(error, RewardlabError) else f"judge {self.name!r}: {one_line(error)}"
            self._stop(JobError(told))
            reply, reused = Reply(error=told), False
        if reply.error is None:
            self.usage.reused += reused
            return reply
        if self._answers.strict:
            about = f" (sample {clock.sample_id!r})" if (clock := GROUP.get()) is not None else ""
            hint = "rows, prompt or parameters have changed since it was recorded; `mode: record` asks for it"
            self._stop(JobError(f"{reply.error}{about}: {hint}"))
        self.usage.failed += self.stopped is None  # what a stop cut off will be asked by the next attempt
        return replace(reply, error=redact(reply.error))

    async def _in_time(self, ask: Ask) -> tuple[Reply, bool]:
        """(the reply, whether it took no call); an error where the group's time is over before it comes."""
        seconds, clock = self._settings.group_timeout, GROUP.get()
        if seconds is None or clock is None:
            return await self._answers.get(ask, self._tried)
        try:
            async with clock.limited(self.name) as limit:
                return await self._answers.get(ask, self._tried)
        except TimeoutError:
            if not limit.expired():
                raise
            why = f"judge {self.name!r} did not answer all questions about the group within {seconds:g} s"
            return Reply(error=why), False

    def _stop(self, error: JobError) -> None:
        """No call is made any more."""
        self.stopped = self.stopped or error

    # --- Tries

    async def _tried(self, ask: Ask) -> Reply:
        failures = 0
        while True:
            # with a place: those that wait for one while a judge goes down would all go and fail
            async with self._places:
                trial = await self._outage.turn()
                if trial is None:
                    return self._is_down()
                outcome = await self._told(ask, failures > 0 or trial, trial)
            if outcome is None:
                continue
            if isinstance(outcome, Reply):
                return outcome
            if trial and self._outage.is_final:
                return self._is_down()
            # who tries whether a judge is back does not pay for it with a try of its own, where it has several
            failures += not trial or self._tries == 1
            if failures >= self._tries or (outcome.after or 0.0) > LONGEST_WAIT_S:
                return self._gave_up(outcome, failures)
            await asyncio.sleep(_pause(failures, outcome.after))

    async def _told(self, ask: Ask, again: bool, trial: bool) -> Reply | _Failure | None:
        """One call, of which the breaker hears; None where the judge went down before it was made."""
        outcome = None
        try:
            outcome = await self._sent(ask, again, trial)
        finally:
            if isinstance(outcome, Reply):
                self._outage.succeeded()
            elif outcome is not None:
                self._outage.failed(outcome.why, outcome.after, trial)
            elif trial:
                self._outage.untried()
        return outcome

    async def _sent(self, ask: Ask, again: bool, trial: bool) -> Reply | _Failure | None:
        """One call, by the pace, within the budget, counted."""

        def over() -> bool:
            return self.stopped is not None or (self._outage.is_open and not trial)

        taken = await self._pace.turn(ask, over)
        if self.stopped is not None:
            return Reply(error=str(self.stopped))
        if over():
            return None
        bound = await self._budget.hold(ask) if self._budget is not None else None
        if (clock := GROUP.get()) is not None and self._settings.group_timeout is not None:
            clock.sent(self.name, self._settings.group_timeout)
        self.usage.calls += 1
        self.usage.retries += again
        outcome: Reply | _Failure = _Failure("was interrupted", may_cost=True)
        try:
            outcome = await self._try(ask)
        finally:
            reply = outcome if isinstance(outcome, Reply) else None
            if self._budget is not None and bound is not None:
                self._budget.settle(bound, reply, unknown=isinstance(outcome, _Failure) and outcome.may_cost)
            if reply is not None:
                self._count(ask, taken, reply)
            self._usage.tick()
        return outcome

    def _count(self, ask: Ask, taken: float, reply: Reply) -> None:
        self._pace.settle(ask, taken, reply)
        prompt, completion = reply.prompt_tokens or 0, reply.completion_tokens or 0
        self.usage.answers += reply.error is None
        self.usage.prompt_tokens += prompt
        self.usage.completion_tokens += completion
        self.usage.usd += cost(self._settings.price, prompt, completion) or 0.0

    async def _try(self, ask: Ask) -> Reply | _Failure:
        limit = asyncio.timeout(self._settings.timeout)
        try:
            async with limit:
                answer = self._judge.ask(ask)
                reply = await answer if inspect.isawaitable(answer) else answer
        except TryAgain as error:
            return _Failure(" ".join(str(error).split()), error.after, busy=True)
        except BaseException as error:  # the one place where a judge's exception becomes a reply
            if is_ours(error):
                raise
            if limit.expired():
                return _Failure(f"gave no answer within {self._settings.timeout:g} s", may_cost=True)
            return _Failure(f"raised {one_line(error)}")
        problem = None
        if reply is answer:
            problem = "has an `ask` that is no coroutine function; write `async def ask`"
        elif not isinstance(reply, Reply):
            problem = f"returned {type(reply).__name__}, not a Reply"
        elif not isinstance(reply.text, str):
            problem = f"returned a text that is {type(reply.text).__name__}, not str"
        return reply if problem is None else Reply(error=f"judge {self.name!r} {problem}")

    def _waits(self, why: str, seconds: float) -> None:
        if self.stopped is not None:  # what fails because it is ended is no news
            return
        told = f"warning: judge {self.name!r} {why}; its questions wait for it, {seconds:.0f} s at most"
        self._keeping.say(redact(told))

    def _is_down(self) -> Reply:
        down, why = self._outage.seconds, self._outage.last_failure
        return Reply(error=f"judge {self.name!r} has been down for {down:.0f} s: it {why}")

    def _gave_up(self, failure: _Failure, failures: int) -> Reply:
        tries = f", {failures} tries" if failures > 1 else ""
        return Reply(error=f"judge {self.name!r} {failure.why}{tries}")


def _pause(failures: int, after: float | None) -> float:
    """Seconds before the next try: growing and spread, and never less than the server asked for."""
    grown = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** max(0, failures - 1))
    return max(after or 0.0, 0.0) + grown * random.uniform(0.5, 1.0)  # spreads retries; touches no score
