"""What there is one of in an rl stage: the judges, the order of prompts, the ledger, the reason why it has to end.

A plain class; `service` makes it a Ray actor. What an actor that Ray restarts has to know again is in files.
"""

import asyncio
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from rewardlab.backends.openrlhf.scoring.book import Book
from rewardlab.backends.openrlhf.scoring.messages import Place, Turn
from rewardlab.backends.openrlhf.scoring.policy_judge import SPEC, Engines
from rewardlab.backends.openrlhf.scoring.service_settings import ServiceSettings
from rewardlab.backends.openrlhf.scoring.turns import Prompts, Turns
from rewardlab.composition import ScoredGroup
from rewardlab.errors import RewardlabError
from rewardlab.judging import Judges, Keeping, open_judges, require_secrets
from rewardlab.judging.group_clock import GROUP, GroupClock
from rewardlab.loops import CallThread, LoopThread
from rewardlab.plan import Plan
from rewardlab.specs import Context
from rewardlab.types import Ask, Reply, Sample


class Desk:
    """Opened at its first call; what cannot be opened is the UserError or JobError of every call.

    Files are written in a thread, one group after the other: nothing here holds the event loop.
    """

    def __init__(self, settings: ServiceSettings):
        self._settings = settings
        self._engines = Engines()
        self._opening: asyncio.Future[_Opened] | None = None
        self._groups: dict[str, tuple[_Seen, GroupClock]] = {}
        self._failure = _read(settings)

    async def ready(self) -> None:
        """Returns once it is open. UserError or JobError: a judge, a key or a file."""
        await self._opened()

    async def turn(self, label: str) -> Turn:
        """What a row of OpenRLHF stands for; the same row again, the same turn. JobError where there is none."""
        opened = await self._opened()
        return await opened.thread.call(opened.turns.turn, label)

    async def ask(self, judge: str, ask: Ask, group: str = "", complete: bool = False, sample: str = "") -> Reply:
        """The judge's reply to a question about the group with key `group`, of `sample`.

        complete: whether the group is, which starts its `group_timeout`. A JobError where a judge must end the job.
        """
        opened = await self._opened()
        token = GROUP.set(self._clock(group, complete, sample))
        try:
            reply = await opened.judges[judge].ask(ask)
        finally:
            GROUP.reset(token)
        opened.judges.check()
        return reply

    async def understood(self, judge: str, reply: Reply, ok: bool) -> None:
        """Whoever asked could read the reply, or not; once for each reply, at least for the first ones."""
        opened = await self._opened()
        opened.judges[judge].understood(reply, ok)

    async def record(self, place: Place, scored: ScoredGroup) -> None:
        """Returns once the group is in the ledger; once for each key. A JobError where the job must end."""
        self._groups.pop(place.key, None)
        opened = await self._opened()
        await opened.thread.call(opened.book.record, place, scored)
        opened.judges.check()

    async def engine_here(self, handle: Any) -> None:
        """A rollout engine that policy/self may ask."""
        self._engines.add(handle)

    async def fail(self, message: str) -> None:
        """The job has to end; the first reason counts."""
        if self._failure is None:
            self._failure = message
            await asyncio.to_thread(_write, self._settings, message)

    async def failure(self) -> str | None:
        """The first reason why the job has to end."""
        return self._failure

    async def close(self) -> list[str]:
        """Close judges and files; a line for each judge that was asked. Idempotent."""
        if self._opening is None:
            return []
        try:
            opened = await self._opened()
        except RewardlabError:  # nothing is open, as every other call says
            return []
        return await asyncio.to_thread(opened.close)

    async def _opened(self) -> "_Opened":
        if self._opening is None:
            self._opening = asyncio.ensure_future(asyncio.to_thread(_open, self._settings, self._engines))
        return await asyncio.shield(self._opening)

    def _clock(self, key: str, complete: bool, sample: str) -> GroupClock | None:
        if not key:
            return None
        if key not in self._groups:
            seen = _Seen(Sample(id=sample))
            self._groups[key] = seen, GroupClock(seen)
        seen, clock = self._groups[key]
        seen.complete |= complete
        return clock


@dataclass
class _Seen:
    """What a clock has to know of a group whose completions are elsewhere."""

    sample: Sample
    complete: bool = False


@dataclass(frozen=True, kw_only=True)
class _Opened:
    judges: Judges
    turns: Turns
    book: Book
    thread: CallThread
    """for `turns` and `book`"""
    closing: ExitStack

    def close(self) -> list[str]:
        """The judges' lines, also of a further call."""
        self.closing.close()
        return self.judges.summary()


def _open(settings: ServiceSettings, engines: Engines) -> _Opened:
    plan = settings.plan()
    prompts = Prompts.read(settings.folder)
    stage = settings.stage_of(plan)
    with ExitStack() as closing:
        home = LoopThread("rewardlab-desk-judges")
        closing.callback(home.close)
        judges = _judges(settings, plan, home, engines)
        closing.callback(judges.close)
        journal, filtering = settings.journal("turns"), plan.recipe.backend.engine.dynamic_filtering is not None
        turns = Turns(prompts, stage.batch_size, journal, settings.consumed, filtering)
        closing.callback(turns.close)
        book = Book(settings, plan, prompts, judges.usage)
        closing.callback(book.close)
        thread = CallThread("rewardlab-desk-files")
        closing.callback(thread.close)
        return _Opened(judges=judges, turns=turns, book=book, thread=thread, closing=closing.pop_all())


def _judges(settings: ServiceSettings, plan: Plan, home: LoopThread, engines: Engines) -> Judges:
    """All that are not local; what the policy itself answers is not kept, for its weights change."""
    require_secrets(plan, plan.asked_by_rewards)
    hosted = {name: planned for name, planned in plan.judges.items() if not planned.spec.local}
    policies = {name: planned for name, planned in hosted.items() if planned.spec is SPEC}
    others = {name: planned for name, planned in hosted.items() if name not in policies}
    context = Context(seed=plan.recipe.seed, policy=engines)
    kept = open_judges(others, home, context, Keeping(folder=settings.run / "judges", stop_on_form=True))
    fresh = open_judges(policies, home, context, Keeping(stop_on_form=True))
    return Judges({**kept, **fresh}, home)


def _read(settings: ServiceSettings) -> str | None:
    try:  # a full disk leaves an empty file
        return settings.failure.read_text(encoding="utf-8", errors="surrogatepass") or None
    except FileNotFoundError:
        return None


def _write(settings: ServiceSettings, message: str) -> None:
    settings.failure.write_text(message, encoding="utf-8", errors="surrogatepass")
