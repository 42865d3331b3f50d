"""The judges of a job as its scorers see them: held by the coordinator, which all scorers share."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from rewardlab import Ask, Reply
from rewardlab.errors import JobError, one_line
from rewardlab.training import FIRST_REPLIES, Component, NamedJudges

from rewardlab_openrlhf.scoring.coordinator_client import CoordinatorClient


@dataclass
class QuestionContext:
    """The group that questions to a judge are about; `complete` once all of its completions are there."""

    key: str = ""
    sample: str = ""
    complete: bool = False


QUESTION_CONTEXT: ContextVar[QuestionContext | None] = ContextVar("the group that is being scored", default=None)


class RemoteJudge:
    """A judge that the coordinator holds: `await judge.ask(Ask(...))`, from any event loop."""

    def __init__(self, name: str, planned: Component, coordinator: CoordinatorClient):
        self.name = name
        self.stopped: JobError | None = None
        """why the coordinator must end the job, once it has said so"""
        self._coordinator = coordinator
        self._reads_messages = planned.spec.reads == "messages"
        self._concurrency = planned.use.concurrency
        self._loop: asyncio.AbstractEventLoop | None = None
        # more than the coordinator can ask at once wait here: there, each would be a call of Ray that takes 70 kB
        self._places: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
        self._reported = 0
        self._reports: set[Future] = set()

    async def ask(self, ask: Ask) -> Reply:
        """Return the judge's reply; a failure of the judge is a Reply with `error`. Asks again after a restart."""
        about = QUESTION_CONTEXT.get() or QuestionContext()
        if self._reads_messages and ask.messages:
            ask = replace(ask, parts={})  # they hold the same texts once more
        self._loop = loop = asyncio.get_running_loop()
        try:
            async with self._places.setdefault(loop, asyncio.Semaphore(self._concurrency)):
                if self.stopped is not None:
                    return Reply(error=str(self.stopped))
                return await self._coordinator.call("ask", self.name, ask, about.key, about.complete, about.sample)
        except Exception as error:  # whatever is wrong with the cluster is no failure of the reward that asks
            reason = error if isinstance(error, JobError) else JobError(f"judge {self.name!r}: {one_line(error)}")
            self.stopped = self.stopped or reason
            return Reply(error=str(reason))

    def understood(self, reply: Reply, ok: bool) -> None:
        """Report whether the reply has the form that was asked for; call it once for each reply, from any thread.

        The coordinator looks at a judge's first replies only, so each scorer reports no more than these.
        """
        self._reported += 1
        if self._reported > FIRST_REPLIES or self._loop is None:  # without a loop nobody has asked yet
            return
        call = self._coordinator.call("understood", self.name, reply, ok)
        report = asyncio.run_coroutine_threadsafe(call, self._loop)
        self._reports.add(report)  # the loop alone would not keep it alive
        report.add_done_callback(self._reports.discard)  # a coordinator that dies loses a report on form, no more


class RemoteJudges(NamedJudges[RemoteJudge]):
    """The judges of a recipe that are not local, by name."""

    def __init__(self, planned: Mapping[str, Component], coordinator: CoordinatorClient):
        hosted = {name: one for name, one in planned.items() if not one.spec.local}
        super().__init__({name: RemoteJudge(name, one, coordinator) for name, one in hosted.items()})
