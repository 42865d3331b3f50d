"""A job whose scorers share a judge, all in one process and on a clock that nobody waits for; parts get killed."""

import asyncio
import heapq
import random
import weakref
from collections import Counter
from contextvars import ContextVar
from types import SimpleNamespace

from rewardlab import Ask, Config, JudgeSpec, Reply
from rewardlab.judging import circuit_breaker, rate_limit, retries
from rewardlab.judging.hosted_judge import HostedJudge
from rewardlab.judging.settings import JudgingSettings
from rewardlab.plan.component import Component
from rewardlab_leases import budget_lender, judge_lender, judge_share, leased_limits, turn_lender
from rewardlab_leases.judge_lender import JudgeLenders
from rewardlab_leases.judge_share import JudgeShare
from rewardlab_leases.reply_owner import ReplyOwner
from rewardlab_leases.shared_replies import ReplyLine

TIMED = (retries, budget_lender, circuit_breaker, judge_lender, judge_share, leased_limits, rate_limit, turn_lender)
OF = ContextVar("the process that a task belongs to", default=None)
SPEC = JudgeSpec(name="made", summary="made", config=Config, build=lambda *_: None, most_tokens=lambda options: 8)
PROMPT_TOKENS, ANSWER_TOKENS = 5, 3
RESTART_S = 2.0


class Clock(asyncio.SelectorEventLoop):
    """An event loop on which waiting takes no time; `now` is what it added up to."""

    now = 1000.0

    def __init__(self):
        super().__init__()
        self.processes = weakref.WeakKeyDictionary()
        self.set_task_factory(self._make_task)

    def _make_task(self, loop, work, **more):
        task = asyncio.Task(work, loop=loop, **more)
        self.processes[task] = OF.get()
        return task

    def time(self):
        return self.now

    monotonic = time

    def _run_once(self):
        while self._scheduled and self._scheduled[0].cancelled():
            heapq.heappop(self._scheduled)._scheduled = False
            self._timer_cancelled_count -= 1
        if not self._ready and self._scheduled:
            self.now = max(self.now, self._scheduled[0].when())
        super()._run_once()


class Server:
    """A judge that notes when each question was sent; `lost` counts those whose asker was killed meanwhile."""

    def __init__(self, clock, seed, latency=0.3):
        self.clock, self.latency, self.random = clock, latency, random.Random(seed)
        self.sent, self.asked, self.lost = [], Counter(), Counter()
        self.under_way = self.most = self.tokens = 0

    async def ask(self, ask):
        question = ask.messages[0]["content"]
        self.sent.append(self.clock.now)
        self.asked[question] += 1
        self.tokens += PROMPT_TOKENS + ANSWER_TOKENS
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await asyncio.sleep(self.latency * self.random.uniform(0.5, 1.5))
        finally:
            self.under_way -= 1
        return Reply(text=f"yes to {question}", prompt_tokens=PROMPT_TOKENS, completion_tokens=ANSWER_TOKENS)


class Here:
    """A LoopThread whose loop is this one."""

    async def here(self, work):
        return await work

    def submit(self, work):
        return asyncio.ensure_future(work)


class Process:
    """A process of the job: what it sends after its death arrives nowhere."""

    def __init__(self, job):
        self.job, self.alive = job, True
        self.id = f"{job.random.getrandbits(64):x}"
        self.ready = asyncio.get_running_loop().create_future()

    def run(self, work):
        token = OF.set(self)
        try:
            return asyncio.ensure_future(work)
        finally:
            OF.reset(token)

    def kill(self):
        self.alive = False
        for task in asyncio.all_tasks():
            if self.job.clock.processes.get(task) is self:
                task.cancel()

    async def called(self, find, call):
        """Call a process of the job, again after its restart, as Ray does."""
        while True:
            other = find()
            await self.job.delay(self)
            while other.alive and not other.ready.done():
                await self.job.delay(self, 0.1)
            if other.alive:
                answer = call(other)
                await self.job.delay(self)
                if other.alive:
                    return answer
            await self.job.delay(self, 1.0)


class Scorer(Process):
    """A scorer that asks the judge, and owns a part of its replies."""

    def __init__(self, job, number):
        super().__init__(job)
        self.number, self.asker, self.processes = number, (number, self.id), {}

    async def open(self, restarted):
        job = self.job
        judges = {"main": Component(use=job.use, spec=SPEC, options=Config())}
        self.owner = ReplyOwner.open(judges, job.folder, self.number, job.count)
        self.lines = [self._line(number) for number in range(job.count)]
        self.share = JudgeShare(self._lease, {"main": self.lines})
        settings = JudgingSettings(sharing=self.share)
        self.judge = HostedJudge("main", job.server, SPEC, job.use, Here(), Config(), settings)
        if restarted:
            for number in range(job.count):
                if number != self.number:
                    (asker, claims) = await self.called(
                        lambda n=number: job.scorers[n], lambda other: other.claims(self.number, self.id)
                    )
                    if self.processes.get(asker[0], asker[1]) == asker[1]:
                        self.owner.adopt(asker, claims)
        self.ready.set_result(None)
        await self.share.start({"main": self.judge})

    def claims(self, owner, process):
        self.processes[owner] = process
        self.owner.free(owner, process)
        return self.asker, self.lines[owner].restarted()

    def _line(self, number):
        async def send(messages):
            if number == self.number:
                return self.owner.answer(self.asker, messages)
            return await self.called(
                lambda: self.job.scorers[number], lambda other: other.owner.answer(self.asker, messages)
            )

        return ReplyLine(send)

    async def _lease(self, reports):
        return await self.called(lambda: self.job.lender, lambda lender: lender.lenders.exchange(self.asker, reports))


class Lender(Process):
    """The process that lends the judge."""

    def open(self, restarted):
        planned = SimpleNamespace(use=self.job.use)
        self.lenders = JudgeLenders.open({"main": planned}, self.job.folder, self.job.count, restarted)
        self.ready.set_result(None)


class Job:
    """A job with `count` scorers; `ask` has one of them ask, and its successor if it dies."""

    def __init__(self, clock, folder, use, count, seed=0, latency=0.3):
        self.clock, self.folder, self.use, self.count = clock, folder, use, count
        self.random = random.Random(seed)
        self.server = Server(clock, seed, latency)

    async def start(self):
        self.lender = Lender(self)
        self.lender.open(False)
        self.scorers = [Scorer(self, number) for number in range(self.count)]
        for scorer in self.scorers:
            scorer.run(scorer.open(False))

    async def delay(self, process, most=0.02):
        """Let a message travel; those of the dead never arrive."""
        await asyncio.sleep(self.random.uniform(0.0, most))
        if not process.alive:
            await asyncio.get_running_loop().create_future()

    async def ask(self, number, question):
        while True:
            while not (scorer := self.scorers[number]).ready.done():
                await asyncio.sleep(0.1)
            ask = Ask(messages=({"role": "user", "content": question},))
            asking = scorer.run(scorer.judge.ask(ask))
            try:
                return await asyncio.shield(asking)
            except asyncio.CancelledError:
                if scorer.alive:
                    raise
                self.server.lost[question] += 1
                while self.scorers[number] is scorer:
                    await asyncio.sleep(0.1)

    async def kill_scorer(self, number):
        self.scorers[number].kill()
        await asyncio.sleep(RESTART_S)
        self.scorers[number] = successor = Scorer(self, number)
        await successor.run(successor.open(True))

    async def kill_lender(self):
        self.lender.kill()
        await asyncio.sleep(RESTART_S)
        self.lender = Lender(self)
        self.lender.open(True)

    async def close(self):
        for scorer in self.scorers:
            await scorer.run(scorer.share.close())
        lent = self.lender.lenders["main"]._permits.lent
        self.lender.lenders.close()
        for scorer in self.scorers:
            scorer.kill()
        return lent
