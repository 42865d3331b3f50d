"""The coordinator of an rl stage: one process that hands out prompts in order and writes the ledger.

It also keeps the reason why the job has to end. A plain class; `service` makes it a Ray actor. What an actor that Ray
restarts has to know again is in files.
"""

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from rewardlab.concurrency import CallThread
from rewardlab.errors import RewardlabError

from rewardlab_ray.messages import FinishedGroup, GroupPlace, GroupRewards, RolloutPrompt
from rewardlab_ray.scoring.journal import Journal
from rewardlab_ray.scoring.reading_order import Prompts, ReadingOrder
from rewardlab_ray.scoring.recorder import Recorder
from rewardlab_ray.scoring.service_settings import ServiceSettings
from rewardlab_ray.scoring.training_steps import ReleaseOrder


class Coordinator:
    """The coordinator of an rl stage, which opens its files at its first call.

    Where they cannot be opened, every call raises the same UserError or JobError. Files are written in threads: nothing
    here holds the event loop. Every method may be called again after a restart.
    """

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings
        self._engines: list[Any] = []
        self._opening: asyncio.Future[_CoordinatorParts] | None = None
        self._failure = settings.read_failure()

    async def ready(self) -> None:
        """Return once the files are open. UserError or JobError: a key or a file."""
        await self._parts()

    async def rollout_prompt(self, label: str) -> RolloutPrompt:
        """Return the prompt that a row of the engine stands for; the same row always stands for the same prompt.

        JobError if there is none.
        """
        parts = await self._parts()
        return await parts.thread.call(parts.reading_order.rollout_prompt, label)

    async def engines(self) -> list[Any]:
        """Return the actor handles of the rollout engines that policy/self may ask."""
        return self._engines

    async def record(self, place: GroupPlace, group: FinishedGroup) -> GroupRewards | None:
        """Return once the group is in the ledger; the rewards that the engine gets instead, if the key is there.

        A JobError if the job must end.
        """
        parts = await self._parts()
        recorded, earlier = await parts.thread.call(parts.recorder.record, place, group)
        if parts.release_order is not None and recorded is not None and recorded.trains:
            parts.release_order.add(place.key, recorded.step)
        return earlier

    async def recorded(self, key: str) -> GroupRewards | None:
        """Return the rewards with which a group's key came first; None if it has not come yet."""
        parts = await self._parts()
        return await parts.thread.call(parts.recorder.rewards, key)

    async def may_go(self, key: str, seconds: float) -> bool:
        """Return whether a recorded group may be handed to the engine; False, after `seconds`, is to ask again."""
        release_order = (await self._parts()).release_order
        return release_order is None or await release_order.may_go(key, seconds)

    async def claim_evaluation(self, claim: str) -> RolloutPrompt | None:
        """Return a prompt to evaluate on before the first step, which no other claim gets; None once all are taken."""
        parts = await self._parts()
        row = parts.claim_row(claim)
        return None if row is None else await parts.thread.call(parts.reading_order.prompt_before_training, row)

    async def scored_of(self, keys: Sequence[str]) -> int:
        """Return how many completions of these recorded groups have a total; keys that are not known count nothing."""
        return (await self._parts()).recorder.scored_of(keys)

    async def trained(self, step: int, keys: Sequence[str]) -> None:
        """Note on which groups of a step its engine trains, where it says so (`ServiceSettings.says_trained`)."""
        parts = await self._parts()
        await parts.thread.call(parts.recorder.trained, step, {*keys})

    async def weights_exchanged(self, step: int) -> None:
        """Note that the engines have the weights after this step."""
        parts = await self._parts()
        await parts.thread.call(parts.recorder.weights_exchanged, step)

    async def evaluation_is_due(self, step: int, final: bool = False) -> bool:
        """Return whether the weights after this step are still to be evaluated; final: the training has ended."""
        parts = await self._parts()
        return await parts.thread.call(parts.recorder.evaluation_is_due, step, final)

    async def received(self, key: str) -> None:
        """Note that the engine has received a group."""
        parts = await self._parts()
        if parts.release_order is not None:
            await parts.thread.call(parts.received.add, {"key": key})
            parts.release_order.received(key)

    async def open_step(self) -> tuple[int, int]:
        """Return the step that the next group of the training belongs to, from 1, and how many groups it has."""
        return (await self._parts()).recorder.training_steps.open

    async def engine_here(self, handle: Any) -> None:
        """Note the actor handle of a rollout engine that policy/self may ask."""
        if handle not in self._engines:
            self._engines.append(handle)

    async def engine_lost(self, handle: Any) -> None:
        """Forget an engine that was found dead; one that is started in its place makes itself known."""
        self._engines = [engine for engine in self._engines if engine != handle]

    async def fail(self, message: str) -> None:
        """Note why the job has to end; the first reason counts."""
        if self._failure is None:
            self._failure = message
            await asyncio.to_thread(self._settings.write_failure, message)

    async def failure(self) -> str | None:
        """Return the first reason why the job has to end; None if there is none."""
        return self._failure

    async def waiting(self) -> None:
        """Return at once: an answer says that this process is in reach."""

    async def close(self) -> None:
        """Close the files; a further call does nothing."""
        if self._opening is None:
            return
        try:
            parts = await self._parts()
        except RewardlabError:  # nothing is open, as every other call says
            return
        await asyncio.to_thread(parts.closing.close)

    async def _parts(self) -> "_CoordinatorParts":
        if self._opening is None:
            self._opening = asyncio.ensure_future(asyncio.to_thread(_open, self._settings))
        return await asyncio.shield(self._opening)


@dataclass(frozen=True, kw_only=True)
class _CoordinatorParts:
    """The open parts of a coordinator."""

    reading_order: ReadingOrder
    recorder: Recorder
    release_order: ReleaseOrder | None
    """given if the engine receives the groups of several steps at once"""
    received: Journal
    """keys of the groups that it has received then"""
    rows_before_training: list[int]
    """to evaluate on before the first step; nobody has claimed them"""
    claimed_rows: dict[str, int] = field(default_factory=dict)
    """rows that were claimed, by claim: a call that was made again gets the same"""
    thread: CallThread
    """for `reading_order`, `recorder` and `received`"""
    closing: ExitStack

    def claim_row(self, claim: str) -> int | None:
        """Return the row that belongs to a claim; None if none is left for it."""
        if claim not in self.claimed_rows and self.rows_before_training:
            self.claimed_rows[claim] = self.rows_before_training.pop()
        return self.claimed_rows.get(claim)


def _release_order(settings: ServiceSettings, batch_size: int, recorder: Recorder, received: Journal) -> ReleaseOrder:
    """Return the order of a coordinator that begins, or goes on after what is recorded and received."""
    order = ReleaseOrder(batch_size, settings.trained + 1)
    for key, step in recorder.steps_at_start.items():
        order.add(key, step)
    for fact in received.earlier:
        order.received(fact["key"])
    return order


def _open(settings: ServiceSettings) -> _CoordinatorParts:
    plan = settings.plan()
    prompts = Prompts.read(settings.folder)
    stage = settings.stage_of(plan)
    with ExitStack() as closing:
        ahead = settings.generates_ahead
        by_position = not ahead and (not settings.replaces or settings.says_trained)
        journal = settings.journal("reading_order")
        reading_order = ReadingOrder(prompts, stage.batch_size, journal, settings.consumed, by_position)
        closing.callback(reading_order.close)
        recorder = Recorder(settings, plan, prompts)
        closing.callback(recorder.close)
        received = Journal(settings.journal("received"))
        closing.callback(received.close)
        thread = CallThread("rewardlab-coordinator-files")
        closing.callback(thread.close)
        return _CoordinatorParts(
            reading_order=reading_order,
            recorder=recorder,
            release_order=_release_order(settings, stage.batch_size, recorder, received) if ahead else None,
            received=received,
            rows_before_training=recorder.rows_before_training()[::-1],
            thread=thread,
            closing=closing.pop_all(),
        )
