"""The handle by which rewards ask a judge; all of them share it.

Chat markers in a question are escaped on its way, and in the reply as they were: what a completion holds is no turn of
the judge's conversation. A question first looks for a kept answer, and for the same question under way (reply_cache);
only then is the judge asked, several times if need be (retries).
"""

import asyncio
from collections.abc import Coroutine
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rewardlab.concurrency.threads import LoopThread
from rewardlab.errors import JobError, RewardlabError, one_line
from rewardlab.judging.budget import Budget
from rewardlab.judging.group_deadline import GROUP_CLOCK, UNANSWERED, GroupTimeout
from rewardlab.judging.kept_replies import reply_files
from rewardlab.judging.rate_limit import RateLimit
from rewardlab.judging.refusal_watch import SMALL, RefusalWatch, small_question
from rewardlab.judging.reply_cache import ReplyCache, judge_identity
from rewardlab.judging.retries import Limits, RetryingJudge
from rewardlab.judging.settings import JudgingSettings
from rewardlab.judging.share import WHOLE
from rewardlab.judging.unparsable import UnparsableWatch
from rewardlab.judging.usage import Usage, UsageFile
from rewardlab.plan.policy_judge import POLICY
from rewardlab.recipe.use import JudgeUse
from rewardlab.specs import JudgeSpec
from rewardlab.text.chat_markers import escape_chat_markers, unescape_chat_markers
from rewardlab.text.redaction import redact
from rewardlab.types import Ask, Reply

PROBE_QUESTION = Ask(messages=({"role": "user", "content": SMALL},))


def escaped_question(ask: Ask) -> Ask:
    """Return a question as its judge's server gets it, the chat markers in its messages escaped."""
    messages = [
        {**message, "content": escape_chat_markers(message["content"])} if message.get("content") else message
        for message in ask.messages
    ]
    return ask if messages == list(ask.messages) else replace(ask, messages=messages)


class HostedJudge:
    """A recipe's judge as rewards see it: `await judge.ask(Ask(...))`, from any event loop."""

    def __init__(
        self,
        name: str,
        judge: Any,
        spec: JudgeSpec,
        settings: JudgeUse,
        home: LoopThread,
        options: Any = None,
        judging: JudgingSettings | None = None,
    ) -> None:
        self.name = name
        self.stopped: JobError | None = None
        self._judge = judge
        self._spec = spec
        self._settings = settings
        self._home = home
        self._judging = judging or JudgingSettings()
        self._unparsable = UnparsableWatch(name, spec.local)
        self._refusals = RefusalWatch()
        folder = None if spec.local else self._judging.folder
        self._usage = UsageFile(folder, name, self._judging.share)
        self.earlier_usage = self._saved = self._usage.earlier
        self.most_tokens = spec.most_tokens(options) if spec.most_tokens is not None else None
        """The most tokens of an answer; None if nothing bounds it."""
        limits = self._limits()
        self._budget = limits.budget
        self._retrying = RetryingJudge(name, judge, settings, self._usage, limits, lambda: self.stopped, self._tell)
        cassette = None if spec.local else settings.cassette
        # the policy's weights change, and its answers with them
        files = None
        if folder is not None and settings.use != POLICY:
            files = reply_files(folder, name, spec, settings, options, self._judging.share)
        self._cache = ReplyCache(name, judge_identity(spec, settings, options), cassette, files)
        if folder is not None:  # only now: a cassette that is missing leaves nothing behind
            folder.mkdir(parents=True, exist_ok=True)

    def _limits(self) -> Limits:
        """Return this process's part of the judge's limits."""
        share = WHOLE if self._spec.local else self._judging.share
        use, budget = share.limits(self.name, self._settings), None
        if use.budget is not None and not self._spec.local:
            budget = Budget(
                self.name,
                use.budget,
                use.price,
                self.most_tokens,
                self._usage.spent(),
                self._usage.save,
                share,
                self._usage.spent_before,
            )
        rate = RateLimit(use.requests_per_minute, use.tokens_per_minute)
        return Limits(slots=asyncio.Semaphore(use.concurrency), rate=rate, budget=budget)

    @property
    def usage(self) -> Usage:
        """The judge's counts over all attempts of the job."""
        return self._usage.usage

    @property
    def kept_in(self) -> Path | None:
        """The file that new answers are written to; None if they are not kept."""
        return self._cache.kept_in

    def ask(self, ask: Ask) -> Coroutine[Any, Any, Reply]:
        """Return a coroutine for the judge's reply; whatever the judge does, it does not raise.

        A judge that raises TryAgain or another exception, or takes too long, is asked again; a Reply with `error` that
        it returns is final. An equal question (model, messages, parameters and draw) under way is waited for instead.
        """
        return self._home.here(self._retrying.local(ask) if self._spec.local else self._ask_remote(ask))

    def report_parsed(self, reply: Reply, ok: bool) -> None:
        """Count whether the asker could use a reply; to be called once for each reply.

        One that it could not use is not replayed to a job that goes on, unless it comes from the recipe's cassette.
        If too many of the first replies are unreadable, a warning is given or the job ends, as the job's settings say.
        A judge that is local only gets the warning: it is not a model that could be the wrong one, and may well have
        no opinion of what an untrained policy writes.
        """
        warning = self._unparsable.count(reply, ok)
        with suppress(RuntimeError):  # the judges are closed: nothing is kept any more
            self._home.submit(self._heard(reply, ok))
        if warning is not None and self._judging.stop_on_unparsable and not self._spec.local:
            self._stop(JobError(warning + self._home.call(self._forget_unread)))
        elif warning is not None:
            self._judging.say(redact(f"warning: {warning}"))
        if self._unparsable.is_over:
            self._cache.trust()

    def save_usage(self) -> None:
        """Write the counts now if they have changed. Raises JobError if that fails."""
        if self.usage != self._saved:
            self._usage.save()
            self._saved = self.usage.minus(Usage())

    async def _heard(self, reply: Reply, ok: bool) -> None:
        """Let a job that goes on ask again for a reply that was of no use; on the home loop, whose the replies are."""
        try:
            self._cache.read(reply) if ok else self._cache.unusable(reply)
        except (JobError, OSError) as error:
            self._stop(JobError(f"judge {self.name!r}: {one_line(error)}"))

    def _forget_unread(self) -> str:
        """Let a job that goes on ask again for the answers that could not be read; return how the user reads of it."""
        try:
            if self._cache.forget_unread():
                return "\nThey are not kept: a resumed job asks for them again"
        except JobError as error:
            return f"\n{error}"
        replayed = self._settings.cassette
        return f"\nThey are from the cassette {replayed.path}; record it anew" if replayed is not None else ""

    async def probe(self, question: Ask = PROBE_QUESTION, patient: bool = False) -> str | None:
        """Ask a small question and return why there is no answer, or None. An answer in a cassette will do.

        A judge that is busy is asked a few times; if `patient`, one that is down is waited for as questions of a job
        wait for it. An answer without the log-probabilities that were asked for is none.
        """
        if self._spec.local or self._cache.replays:
            return None
        reply, _ = await self._cache.get(question, partial(self._retrying.first, patient=patient))
        if reply.error is None and question.params.get("logprobs") and reply.logprobs is None:
            return "answers without the log-probabilities of its tokens, which a question asks for"
        return reply.error

    async def aclose(self) -> None:
        """Close the judge and its files, on the home loop; calling it again does no harm."""
        self._stop(JobError(f"judge {self.name!r} is closed"))  # questions under way make no further call
        self._retrying.close()
        self._cache.close()
        try:
            self._usage.save(self._budget.at_most() if self._budget is not None else None)
        finally:
            close = getattr(self._judge, "aclose", None)
            if close is not None:
                await close()

    async def _ask_remote(self, ask: Ask) -> Reply:
        reused, seconds, clock = False, self._settings.group_timeout, GROUP_CLOCK.get()
        limit = nullcontext() if seconds is None or clock is None else clock.limited(self.name, seconds)
        asked = escaped_question(ask)
        try:
            async with limit:
                reply, reused = await self._cache.get(asked, self._retrying.ask if asked is ask else self._ask_escaped)
            if not reused and self._judging.stop_on_refusals:
                await self._watch_refusals(ask, reply)
        except GroupTimeout as error:
            reply = Reply(error=str(error))
        except (RewardlabError, OSError) as error:  # a full disk, a budget that is used up
            why = str(error) if isinstance(error, RewardlabError) else f"judge {self.name!r}: {one_line(error)}"
            self._stop(error if isinstance(error, JobError) else JobError(why))
            reply = Reply(error=why)
        if reply.error is None:
            self.usage.reused += reused
            return reply
        if self._cache.strict:
            about = f" (sample {clock.sample_id!r})" if clock is not None else ""
            hint = "rows, prompt or parameters have changed since it was recorded; `mode: record` asks for it"
            self._stop(JobError(f"{reply.error}{about}: {hint}"))
        if (lost := UNANSWERED.get()) is not None:
            lost.append(reply.error)
        self.usage.failed += self.stopped is None  # what a stop cuts off is asked again by the next attempt
        return replace(reply, error=redact(reply.error))

    async def _ask_escaped(self, ask: Ask) -> Reply:
        """Return the reply to a question with escaped chat markers as if it had quoted them as they are."""
        reply = await self._retrying.ask(ask)
        reasoning = reply.reasoning and unescape_chat_markers(reply.reasoning)
        return replace(reply, text=unescape_chat_markers(reply.text), reasoning=reasoning)

    async def _watch_refusals(self, ask: Ask, reply: Reply) -> None:
        """End the job if the server refuses every question for good: also a small one, after several in a row."""
        if reply.error is None:
            self._refusals.answered()
        elif reply.refused and self._refusals.refused():
            small = await self._retrying.first(small_question(ask))  # before the questions that wait for a place
            if small.refused:
                problem = f"judge {self.name!r} refuses every question, also one of a few words: {small.error}"
                self._stop(JobError(redact(problem)))
            else:
                self._refusals.answered()

    def _stop(self, error: JobError) -> None:
        """Make no further call; the first reason counts."""
        self.stopped = self.stopped or error

    def _tell(self, text: str, warns: bool) -> None:
        if self.stopped is None:  # failures of a judge that is being closed are not news
            self._judging.say(redact(f"{'warning: ' if warns else ''}judge {self.name!r} {text}"))
