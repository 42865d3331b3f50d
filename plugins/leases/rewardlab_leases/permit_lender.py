"""The permits of a judge, lent: how many questions each process may have under way at once."""

from collections.abc import Hashable


class PermitLender:
    """Permits for questions under way; no more than `count` are lent at any time.

    They are divided by what borrowers want: a permit that one does not want goes to another. If there are more
    borrowers than permits, they take turns. Borrowers are known by a key that a restarted process does not share with
    its predecessor.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._held: dict[Hashable, int] = {}
        self._wanted: dict[Hashable, int] = {}
        self._served: dict[Hashable, int] = {}
        self._services = 0

    @property
    def lent(self) -> int:
        """The permits that borrowers have."""
        return sum(self._held.values())

    def exchange(self, borrower: Hashable, held: int, wanted: int, lends: bool = True) -> tuple[int, int]:
        """Note what a borrower has and wants; return (the permits that it has now, how many it may keep).

        lends: false if nothing may be lent yet.
        """
        self._held[borrower], self._wanted[borrower] = held, wanted
        target = self._targets()[borrower]
        granted = max(0, min(target - held, self._count - self.lent)) if lends else 0
        self._held[borrower] += granted
        if granted or held > target:  # it has had its turn
            self._services += 1
            self._served[borrower] = self._services
        return self._held[borrower], target if self._is_short() else max(target, held)

    def forget(self, borrower: Hashable) -> None:
        """Take back the permits of a borrower that has ended."""
        for known in (self._held, self._wanted, self._served):
            known.pop(borrower, None)

    def _is_short(self) -> bool:
        """Return whether a borrower wants more than it has, so that permits nobody uses have to come back."""
        return any(wanted > self._held[one] for one, wanted in self._wanted.items())

    def _targets(self) -> dict[Hashable, int]:
        targets = dict.fromkeys(self._wanted, 0)
        left, wanting = self._count, [one for one, wanted in self._wanted.items() if wanted]
        while left and wanting:
            share = left // len(wanting)
            if not share:  # one each for those that were served longest ago
                for one in sorted(wanting, key=lambda one: self._served.get(one, 0))[:left]:
                    targets[one] += 1
                break
            for one in wanting:
                added = min(share, self._wanted[one] - targets[one])
                targets[one] += added
                left -= added
            wanting = [one for one in wanting if targets[one] < self._wanted[one]]
        return targets
