"""A data stage with `--on`: hosts of a cluster ask its judges, before this process writes the rows.

Each host runs the stage's steps on shards of the source rows, for the sake of the answers alone, which are kept beside
the file. The stage then runs here as ever, on all rows, and finds them. So the file is that of one machine, whatever
steps do with all rows at once.
"""

import asyncio
import os
import platform
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from rewardlab.errors import JobError, RewardlabError, UserError
from rewardlab.files import read_json, write_json
from rewardlab.judging import JudgingSettings, Share, Usage, format_summary
from rewardlab.plan import Plan
from rewardlab.recipe import RecipePath
from rewardlab.text import Progress
from rewardlab.workers import Workers
from rewardlab_shards.actor_pool import ActorPool
from rewardlab_shards.ray_hosts import HostWork, OpenPool

from rewardlab_training.data_rows import step_rows
from rewardlab_training.dataset_checks import with_sources
from rewardlab_training.opened_judges import judges_of, opened_judges

SHARDS = 4
"""shards of the rows for each host, so that a slow one does not hold up the others"""
NOTE = "on_hosts.json"
LOOK_S = 0.5


def asks_served_judges(plan: Plan, place: RecipePath) -> bool:
    """Return whether the steps of the dataset at `place` ask judges whose answers are kept."""
    return any(not plan.judges[name].spec.local for name in judges_of(plan, place))


@dataclass(frozen=True)
class OpensAsking:
    """What a host is opened with, to ask for the dataset at `place`; folder: from which paths of the recipe begin."""

    place: RecipePath
    folder: Path

    def __call__(self, plan: Plan, judging: JudgingSettings) -> "Asking":
        """Open it. UserError if this node has not the folder, or cannot read the rows."""
        try:
            os.chdir(self.folder)
        except OSError as error:
            problem = f"node {platform.node()} has no folder {self.folder}, where this command runs: {error.strerror}"
            raise UserError(f"{problem}; run it in a folder that all nodes see", where="--on") from error
        return Asking(plan, self.place, judging)


class Asking:
    """The questions of a data stage in a host: its steps run on shards of the rows, which are dropped."""

    def __init__(self, plan: Plan, place: RecipePath, judging: JudgingSettings) -> None:
        self._plan, self._place = plan, place
        with ExitStack() as stack:
            self._workers = stack.enter_context(Workers(seed=plan.recipe.seed))
            self._read_first_rows()
            named = judges_of(plan, place)
            with opened_judges(plan, named, judging):
                pass  # so that all hosts' files of answers are there, and each searches them
            self._judges, _ = stack.enter_context(opened_judges(plan, named, judging))
            self._open = stack.pop_all()

    async def results(self, items: Sequence[Share]) -> Sequence[None]:
        """Ask for the rows of these shards. JobError: what must end the job, or this host."""
        for share in items:
            await asyncio.to_thread(self._ask, share)
        return [None] * len(items)

    def usage(self) -> Mapping[str, Usage]:
        """Return what each judge was asked in this process."""
        return self._judges.attempt_usage()

    def close(self) -> None:
        """Close the judges, so that their usage is written, and the steps' processes."""
        self._open.close()

    def _ask(self, share: Share) -> None:
        try:
            with closing(step_rows(self._plan, self._place, self._judges, self._workers, share)) as rows:
                for _ in rows:
                    self._judges.check()  # a step may take an error for one more row to drop
        except RewardlabError:
            self._judges.check()  # which says more than the step that met it
            raise
        self._judges.check()

    def _read_first_rows(self) -> None:
        """Raise a UserError if rows cannot be read on this node."""
        for at, planned in with_sources(self._plan.datasets, self._place):
            if planned.use.source is None:
                try:
                    with closing(step_rows(self._plan, at, {}, self._workers)) as rows:
                        next(rows, None)
                except UserError as error:
                    raise UserError(f"node {platform.node()} cannot read the rows: {error}", where="--on") from error


class HostedQuestions:
    """The shards that hosts ask for, as a note beside the file says, so that a stage that goes on has those left.

    made_of: what the rows are made of, as the stage says; with another the shards begin anew.
    """

    def __init__(self, target: Path, state: Path, made_of: Mapping[str, Any]) -> None:
        self._target, self._note, self._made_of = target, state / NOTE, made_of

    def ask(
        self, plan: Plan, place: RecipePath, open_pool: OpenPool, judging: JudgingSettings, stop: Event | None
    ) -> dict[str, Usage]:
        """Have the shards that are left asked for; return the usage of judges. KeyboardInterrupt once `stop` is set."""
        shards, done = self._read()
        if shards and len(done) == shards:
            return {}
        opens, asked = OpensAsking(place, Path.cwd()), judges_of(plan, place)
        work = HostWork(opens=opens, plan=plan, asked=asked, distributions=["rewardlab-training"])
        with closing(open_pool(work, judging)) as pool:
            shards = shards or SHARDS * pool.hosts  # those of an attempt before stay, whatever the cluster has become
            left = f"{shards - len(done)} of {shards} shards"
            judging.say(f"asks on {pool.hosts} {'host' if pool.hosts == 1 else 'hosts'} of Ray: {left}")
            finished = asyncio.run(self._all(pool, shards, done, stop))
            usage = dict(pool.usage())
        if not finished:
            raise KeyboardInterrupt
        for line in format_summary({name: (of_hosts, Usage()) for name, of_hosts in usage.items()}):
            judging.say(f"hosts: {line}")
        return usage

    def forget(self) -> None:
        """Remove the note once all rows are written, so that rows that are added to the source are asked about."""
        self._note.unlink(missing_ok=True)

    async def _all(self, pool: ActorPool[Share, None], shards: int, done: set[int], stop: Event | None) -> bool:
        """Have shards asked for, and note each that is done; return whether all are, and `stop` ended nothing."""
        left = [number for number in range(1, shards + 1) if number not in done]
        waiting = {asyncio.ensure_future(pool.result(Share(number, shards))): number for number in left}
        try:
            with Progress(f"{self._target}: questions", shards, unit="shard", initial=len(done)) as progress:
                while waiting and not (stop is not None and stop.is_set()):
                    ended, _ = await asyncio.wait(waiting, timeout=LOOK_S, return_when=asyncio.FIRST_COMPLETED)
                    for task in sorted(ended, key=lambda task: task.exception() is not None):  # what is done is noted
                        task.result()
                        done.add(waiting.pop(task))
                        write_json(self._note, {"made_of": self._made_of, "shards": shards, "done": sorted(done)})
                        progress.update()
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
        return not waiting

    def _read(self) -> tuple[int, set[int]]:
        """Return (number of shards, those that are done); 0 if none was begun. JobError if the note is damaged."""
        try:
            note = read_json(self._note)
            if note["made_of"] != self._made_of:
                return 0, set()
            return int(note["shards"]), {int(number) for number in note["done"]}
        except FileNotFoundError:
            return 0, set()
        except (ValueError, KeyError, TypeError) as error:
            raise JobError(f"{self._note} is damaged; remove it, and hosts ask for all shards again") from error
