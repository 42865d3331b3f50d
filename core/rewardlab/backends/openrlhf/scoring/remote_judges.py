"""The judges of a job as its scorers see them: at the desk, which all scorers share."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from rewardlab.backends.openrlhf.scoring.job_desk import JobDesk
from rewardlab.errors import JobError, one_line
from rewardlab.judging.form import FIRST
from rewardlab.judging.judges import NamedJudges
from rewardlab.planned import Planned
from rewardlab.types import Ask, Reply


@dataclass
class Asking:
    """The group that questions are about; `complete` once all of its completions are there."""

    key: str = ""
    sample: str = ""
    complete: bool = False


ASKING: ContextVar[Asking | None] = ContextVar("the group that is being scored", default=None)


class RemoteJudge:
    """A judge at the desk: `await judge.ask(Ask(...))`, from any event loop."""

    def __init__(self, name: str, planned: Planned, desk: JobDesk):
        self.name = name
        self.stopped: JobError | None = None
        """Why the desk must end the job, once it has said so."""
        self._desk = desk
        self._reads_messages = planned.spec.reads == "messages"
        self._concurrency = planned.use.concurrency
        self._loop: asyncio.AbstractEventLoop | None = None
        # more than the desk can ask at once wait here: there, each would be a call of Ray that takes 70 kB
        self._places: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
        self._told = 0
        self._telling: set[Future] = set()

    async def ask(self, ask: Ask) -> Reply:
        """The judge's reply; never raises for what the judge does. A desk that is restarted is asked again."""
        about = ASKING.get() or Asking()
        if self._reads_messages and ask.messages:
            ask = replace(ask, parts={})  # they hold the same texts once more
        self._loop = loop = asyncio.get_running_loop()
        try:
            async with self._places.setdefault(loop, asyncio.Semaphore(self._concurrency)):
                if self.stopped is not None:
                    return Reply(error=str(self.stopped))
                return await self._desk.call("ask", self.name, ask, about.key, about.complete, about.sample)
        except Exception as error:  # whatever is wrong with the cluster is no failure of the reward that asks
            told = error if isinstance(error, JobError) else JobError(f"judge {self.name!r}: {one_line(error)}")
            self.stopped = self.stopped or told
            return Reply(error=str(told))

    def understood(self, reply: Reply, ok: bool) -> None:
        """Whoever asked says whether the reply has the form that was asked for; call it once for each reply.

        From any thread. The desk looks at a judge's first replies, so that it need not hear of more from each scorer.
        """
        self._told += 1
        if self._told > FIRST or self._loop is None:  # nobody has asked: there is no reply
            return
        telling = asyncio.run_coroutine_threadsafe(self._desk.call("understood", self.name, reply, ok), self._loop)
        self._telling.add(telling)  # the loop alone would let it go
        telling.add_done_callback(self._telling.discard)  # a desk that dies loses a remark on form, no more


class RemoteJudges(NamedJudges[RemoteJudge]):
    """The judges of a recipe that are not local, by name."""

    def __init__(self, planned: Mapping[str, Planned], desk: JobDesk):
        hosted = {name: one for name, one in planned.items() if not one.spec.local}
        super().__init__({name: RemoteJudge(name, one, desk) for name, one in hosted.items()})
