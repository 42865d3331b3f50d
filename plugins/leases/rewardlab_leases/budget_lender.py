"""The budget of a judge, lent: what each process may spend before it asks for more."""

import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from rewardlab.judging import AHEAD, UNITS, BudgetUse, Price, cost, limits_by_unit, refusal

from rewardlab_leases.lease_messages import LeaseReport, Tokens

SILENT_S = 5.0
"""seconds after which a borrower that has said nothing keeps nobody waiting for the last of the budget"""


@dataclass
class _Account:
    """The amount that a borrower has spent, and what it has beside that."""

    spent: Tokens = (0, 0)
    unspent: Tokens = (0, 0)

    @property
    def total(self) -> Tokens:
        """All that was lent; a server that counts more than a question can have makes `unspent` negative."""
        return self.spent[0] + max(0, self.unspent[0]), self.spent[1] + max(0, self.unspent[1])


class BudgetLender:
    """The budget of one judge, for all processes that ask it.

    What is lent counts as spent until its borrower gives it back or says that it is spent, and for ever if the
    borrower is killed. `spent` and `save` are as in Budget: what is lent was saved before. A borrower that is unknown
    here has what it has from this lender's predecessor, in whose saved amounts it was counted.
    """

    def __init__(
        self,
        name: str,
        limits: BudgetUse,
        price: Price | None,
        spent: Mapping[str, float],
        save: Callable[[Mapping[str, float]], None],
    ) -> None:
        self._name = name
        self._limits = limits_by_unit(limits)
        self._price = price
        self._base = dict.fromkeys(UNITS, 0.0) | dict(spent)
        self._saved = dict(self._base)
        self._save = save
        self._accounts: dict[Hashable, _Account] = {}
        self._waiting: dict[Hashable, float] = {}
        """borrowers that wait for others to give back, with the time of their last report"""
        self.refusal: str | None = None

    def exchange(self, borrower: Hashable, report: LeaseReport, lends: bool = True) -> tuple[Tokens, bool]:
        """Return (what is lent, whether everybody is to give back what no question under way needs).

        `refusal` says so from when a question can never be paid for. Raises JobError if the amounts cannot be saved.
        """
        account = self._accounts.get(borrower)
        if account is None:
            account = self._accounts[borrower] = _Account(report.spent, report.unspent)
            for unit, amount in cost(self._price, account.total).items():
                self._base[unit] -= amount
        account.spent, account.unspent = report.spent, report.unspent
        lent = self._lend(borrower, report) if lends and self.refusal is None else (0, 0)
        account.unspent = _plus(account.unspent, lent)
        if any(lent):
            self._save_ahead()
        return lent, bool(self._waiting)

    def suspend(self, borrower: Hashable) -> None:
        """Let nobody give back for a borrower that says nothing."""
        self._waiting.pop(borrower, None)

    def forget(self, borrower: Hashable) -> None:
        """Count as spent what a borrower that has ended did not give back."""
        self._waiting.pop(borrower, None)
        account = self._accounts.pop(borrower, None)
        if account is not None:
            for unit, amount in cost(self._price, account.total).items():
                self._base[unit] += amount

    def at_most(self) -> dict[str, float]:
        """Return what may have been spent of each limited unit, all that is lent included."""
        return {unit: self._total(unit, lent=True) for unit in self._limits}

    def _lend(self, borrower: Hashable, report: LeaseReport) -> Tokens:
        lent = (0, 0)
        now = time.monotonic()
        for bound in report.needs:
            needed = _plus(lent, bound)
            if not self._fits(needed) or not self._is_first(borrower, now):
                if not any(lent):
                    self._refuse_if_hopeless(report.first)
                    self._waiting[borrower] = now
                return lent
            lent = needed
        self._waiting.pop(borrower, None)
        ahead = _plus(lent, report.ahead)
        extra = cost(self._price, report.ahead)
        small = all(extra[unit] <= AHEAD * limit for unit, limit in self._limits.items())
        return ahead if small and not self._waiting and self._fits(ahead) else lent

    def _is_first(self, borrower: Hashable, now: float) -> bool:
        """Return whether no other waits longer: else a large question would wait while small ones pass it."""
        first = next((one for one, seen in self._waiting.items() if now - seen <= SILENT_S), borrower)
        return first == borrower

    def _fits(self, tokens: Tokens) -> bool:
        more = cost(self._price, tokens)
        return all(self._total(unit, lent=True) + more[unit] <= limit for unit, limit in self._limits.items())

    def _refuse_if_hopeless(self, bound: Tokens) -> None:
        amounts = cost(self._price, bound)
        for unit, limit in self._limits.items():
            spent = self._total(unit, lent=False)
            if spent + amounts[unit] > limit:
                self.refusal = refusal(self._name, unit, limit, spent, amounts[unit])
                return

    def _total(self, unit: str, lent: bool) -> float:
        tokens = (0, 0)  # whole numbers, so that the sum is exact
        for account in self._accounts.values():
            tokens = _plus(tokens, account.total if lent else account.spent)
        return self._base[unit] + cost(self._price, tokens)[unit]

    def _save_ahead(self) -> None:
        now = self.at_most()
        if any(amount > self._saved[unit] for unit, amount in now.items()):
            ahead = {unit: min(limit, now[unit] + AHEAD * limit) for unit, limit in self._limits.items()}
            self._saved |= ahead
            self._save(ahead)


def _plus(one: Tokens, other: Tokens) -> Tokens:
    return one[0] + other[0], one[1] + other[1]
