"""The share of one process in judges that several processes ask: limits on loan, and replies that have owners."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress

from rewardlab.errors import JobError, one_line
from rewardlab.judging import HostedJudge, JudgeUse, Limits, ReplyStore, Usage

from rewardlab_leases.lease_messages import LeaseGrant, LeaseReport
from rewardlab_leases.leased_limits import LeasedLimits
from rewardlab_leases.shared_replies import ReplyLine, SharedReplies

Lease = Callable[[dict[str, LeaseReport]], Awaitable[Mapping[str, LeaseGrant]]]
MAX_PAUSE_S = 5.0
"""between two reports if there is no lender"""


class JudgeShare:
    """The share of this process: give it to `open_judges` as `sharing`, then call `start`, on the judges' loop.

    lease: takes reports to the lender, however often that is restarted. A JobError if it stays away ends the job.
    owners: the owners of each judge's replies; a judge that has none keeps no reply.
    """

    def __init__(self, lease: Lease, owners: Mapping[str, Sequence[ReplyLine]]) -> None:
        self._lease = lease
        self._owners = owners
        self._leased: dict[str, LeasedLimits] = {}
        self._judges: Mapping[str, HostedJudge] = {}
        self._wanted = asyncio.Event()
        self._soonest, self._pause = 0.0, 0.0
        self._one = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._reported: dict[str, Usage] = {}

    def limits(self, name: str, settings: JudgeUse, most_tokens: int | None) -> Limits:
        """Return this process's part of a judge's limits."""
        self._leased[name] = LeasedLimits(settings, most_tokens, self._wanted.set)
        return self._leased[name].limits

    def replies(self, name: str) -> ReplyStore | None:
        """Return the replies of a judge that all processes share; None if none are kept."""
        owners = self._owners.get(name)
        return SharedReplies(name, owners) if owners else None

    async def start(self, judges: Mapping[str, HostedJudge]) -> None:
        """Begin to report what these judges want."""
        self._judges = judges
        if judges:
            self._task = asyncio.ensure_future(self._go_on())

    async def report(self) -> None:
        """Report what was counted since the last report; do nothing if that is nothing."""
        if any(judge.usage != self._reported.get(name, Usage()) for name, judge in self._judges.items()):
            await self._exchange()

    async def close(self) -> None:
        """Give everything back, with the last counts, before the judges are closed; calling it again does nothing."""
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        for owners in self._owners.values():
            for line in owners:
                await line.flush()
        await self._exchange(last=True)

    async def _go_on(self) -> None:
        while True:
            await asyncio.sleep(self._soonest)
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, self._pause - self._soonest)):
                    await self._wanted.wait()
            await self._exchange()

    async def _exchange(self, last: bool = False) -> None:
        async with self._one:
            self._wanted.clear()
            reports = {name: self._report(name, judge, last) for name, judge in self._judges.items()}
            sent = time.monotonic()
            try:
                self._take(await self._lease(reports), sent)
                self._reported = {name: report.usage for name, report in reports.items()}
            except Exception as error:  # whatever is wrong with the way to the lender is not a failure of a reward
                self._stop(error)

    def _take(self, grants: Mapping[str, LeaseGrant], sent: float) -> None:
        for name, grant in grants.items():
            self._leased[name].take(grant, sent)
            if grant.stopped is not None:
                self._stop_one(name, grant.stopped, grant.unreadable)
        if grants:
            self._soonest = min(grant.soonest for grant in grants.values())
            self._pause = min(grant.pause for grant in grants.values())

    def _report(self, name: str, judge: HostedJudge, last: bool) -> LeaseReport:
        why = None if judge.stopped is None or last else str(judge.stopped)
        return self._leased[name].report(judge.usage.minus(Usage()), why, judge.unreadable, last)

    def _stop(self, error: Exception) -> None:
        for name in self._judges:
            self._stop_one(name, str(error) if isinstance(error, JobError) else f"judge {name!r}: {one_line(error)}")
        self._soonest = self._pause = MAX_PAUSE_S

    def _stop_one(self, name: str, why: str, unreadable: bool = False) -> None:
        self._judges[name].stop(why, unreadable)
        self._leased[name].stop(why)
