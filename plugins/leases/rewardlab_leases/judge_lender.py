"""The lender of a judge that several processes ask: it holds the limits, the budget and the counts for all of them."""

import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from rewardlab.errors import JobError
from rewardlab.judging import NamedJudges, Usage, UsageFile, format_summary
from rewardlab.plan import Component, Plan

from rewardlab_leases.budget_lender import BudgetLender
from rewardlab_leases.lease_messages import LeaseGrant, LeaseReport
from rewardlab_leases.permit_lender import PermitLender
from rewardlab_leases.turn_lender import TurnLender

Borrower = tuple[int, str]
"""its number, and what its process is known by: another one after each restart"""
RESTART_GRACE_S = 30.0
IDLE_PAUSE_S, BUSY_PAUSE_S = 0.5, 0.05
MIN_PAUSE_S = 0.005
REPORT_COST_S = 0.002
"""of a lender for a report, about twice over: the more borrowers, the more seldom each of them comes"""


def shared_judges(plan: Plan) -> dict[str, Component]:
    """Return the judges of a plan that all processes share: those that are not local."""
    return {name: planned for name, planned in plan.judges.items() if not planned.spec.local}


class JudgeLender:
    """The lender of one judge to `borrowers` processes, numbered from 0.

    folder: where its counts are kept; None: nowhere. restarted: whether borrowers may have something of a predecessor,
    of which it knows what may have been spent: it lends nothing until each has said what it has, or RESTART_GRACE_S
    are over.
    """

    def __init__(
        self, name: str, planned: Component, folder: Path | None, borrowers: int, restarted: bool = False
    ) -> None:
        self.name = name
        self.stopped: JobError | None = None
        use = planned.use
        self._file = UsageFile(folder and folder / f"{quote(name, safe=' ')}.usage.json", restarted)
        self.earlier_usage = self._file.earlier
        self._permits = PermitLender(use.concurrency)
        self._turns = TurnLender(use.requests_per_minute, use.tokens_per_minute)
        self._budget: BudgetLender | None = None
        if use.budget is not None:
            self._budget = BudgetLender(name, use.budget, use.price, self._file.spent(), self._file.save)
        self._known: dict[int, str] = {}
        self._unknown = set(range(borrowers)) if restarted else set[int]()
        self._unreadable = False
        self._borrowers = borrowers
        self._lends_from = time.monotonic() + RESTART_GRACE_S

    @property
    def usage(self) -> Usage:
        """The judge's counts over all attempts of the job."""
        return self._file.usage

    def exchange(self, borrower: Borrower, report: LeaseReport) -> LeaseGrant:
        """Note a report and return what its sender may have. Raises JobError if a file cannot be written."""
        number, process = borrower
        if self._known.get(number, process) != process:
            self.forget((number, self._known[number]))
        self._known[number] = process
        self._unknown.discard(number)
        self._file.count(process, report.usage)
        if report.stopped is not None:
            self.stop(report.stopped, report.unreadable)
        lends = self.stopped is None and (not self._unknown or time.monotonic() > self._lends_from)
        held, cap = self._permits.exchange(borrower, report.permits, report.wanted, lends)
        self._turns.refund(borrower, report.refund)
        turns, wait = self._turns.exchange(borrower, report.turns if lends else ())
        lent, recall, refused = (0, 0), False, None
        if self._budget is not None:
            lent, recall = self._budget.exchange(borrower, report, lends)
            refused = self._budget.refusal
        unmet = held < report.wanted or turns < len(report.turns) or (bool(report.needs) and not any(lent)) or recall
        soonest, pause = self._pauses(unmet, wait)
        self._file.tick()
        return LeaseGrant(
            permits=held,
            cap=cap,
            turns=turns,
            lent=lent,
            recall=recall,
            refused=refused,
            stopped=None if self.stopped is None else str(self.stopped),
            unreadable=self._unreadable,
            soonest=soonest,
            pause=pause,
        )

    def forget(self, borrower: Borrower) -> None:
        """Take back what a borrower had that has ended; what it did not give back of the budget is spent."""
        self.suspend(borrower)
        if self._budget is not None:
            self._budget.forget(borrower)
        self._file.close_share(borrower[1])

    def suspend(self, borrower: Borrower) -> None:
        """Take back the places and turns of a borrower that says nothing; it may come back, with what it has spent."""
        self._known.pop(borrower[0], None)
        self._permits.forget(borrower)
        self._turns.forget(borrower)
        if self._budget is not None:
            self._budget.suspend(borrower)

    def stop(self, why: str, unreadable: bool = False) -> None:
        """Let all borrowers end; the first reason counts. unreadable: their unread answers are not to be kept."""
        if self.stopped is None:
            self.stopped, self._unreadable = JobError(why), unreadable

    def close(self) -> None:
        """Save the counts and what may have been spent, lent parts included. Raises JobError if that fails.

        The file keeps what each borrower counted, since one that lives on reports that to the next lender, too.
        """
        self._file.save(self._budget.at_most() if self._budget is not None else None)

    def _pauses(self, unmet: bool, wait: float) -> tuple[float, float]:
        """Return how soon and how late the next report may come; wait: seconds until there is another turn."""
        soonest = max(MIN_PAUSE_S, REPORT_COST_S * max(self._borrowers, len(self._known)))
        if not unmet:
            return soonest, max(IDLE_PAUSE_S, soonest)
        pause = max(soonest, min(wait, BUSY_PAUSE_S))
        return pause, pause


class JudgeLenders(NamedJudges[JudgeLender]):
    """The lenders of a job's judges, by name."""

    @classmethod
    def open(
        cls, judges: Mapping[str, Component], folder: Path, borrowers: int, restarted: bool = False
    ) -> "JudgeLenders":
        """Open the lenders of these judges; see JudgeLender. Raises JobError if counts in `folder` cannot be read."""
        folder.mkdir(parents=True, exist_ok=True)
        return cls({name: JudgeLender(name, one, folder, borrowers, restarted) for name, one in judges.items()})

    def usage(self) -> dict[str, Usage]:
        """Return the usage of each judge that was asked, over all attempts of the job."""
        return {name: lender.usage.minus(Usage()) for name, lender in self.items() if lender.usage.asked}

    def summary(self) -> list[str]:
        """Return a line for each judge that was asked in this attempt."""
        return format_summary({name: (lender.usage, lender.earlier_usage) for name, lender in self.items()})

    def exchange(self, borrower: Borrower, reports: Mapping[str, LeaseReport]) -> dict[str, LeaseGrant]:
        """Return what the sender may have of each judge. Raises JobError if a file cannot be written."""
        return {name: self[name].exchange(borrower, report) for name, report in reports.items()}

    def suspend(self, borrower: Borrower) -> None:
        """Take back what a borrower that says nothing keeps others from."""
        for lender in self.values():
            lender.suspend(borrower)

    def close(self) -> None:
        """Save all counts. Raises JobError if that fails."""
        for lender in self.values():
            lender.close()
