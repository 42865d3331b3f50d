"""Groups of the training that are scored, while the engine has not said whether it trains on them.

For engines that leave groups out by themselves, and generate more than a step needs.
"""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from rewardlab.scoring import GroupNumbers

from rewardlab_ray.ledger_shards import LedgerSpan
from rewardlab_ray.messages import GroupPlace, WrittenGroup
from rewardlab_ray.scoring.journal import Journal


class UndecidedGroups:
    """The groups by key, in a journal: a recorder that is opened again in the same attempt has them, too."""

    def __init__(self, journal: Path) -> None:
        self._journal = Journal(journal)
        self._groups: dict[str, tuple[GroupPlace, WrittenGroup]] = {}
        for fact in self._journal.earlier:
            written = WrittenGroup(span=LedgerSpan(**fact["span"]), numbers=GroupNumbers.from_dict(fact["numbers"]))
            self._groups[fact["place"]["key"]] = GroupPlace(**fact["place"]), written

    def __iter__(self) -> Iterator[tuple[GroupPlace, WrittenGroup]]:
        return iter(self._groups.values())

    def __contains__(self, key: str) -> bool:
        return key in self._groups

    def add(self, place: GroupPlace, written: WrittenGroup) -> None:
        """Add a group; of one that was written again, what was written last counts."""
        fact = {"place": asdict(place), "span": asdict(written.span), "numbers": written.numbers.as_dict()}
        self._journal.add(fact)
        self._groups[place.key] = place, written

    def remove(self, key: str) -> None:
        """Forget a group that is recorded elsewhere."""
        self._groups.pop(key, None)

    def of_step(self, step: int | None = None) -> Iterator[tuple[GroupPlace, WrittenGroup]]:
        """Yield the groups of a step, or all of them, in the order in which they came, and forget each."""
        for key, (place, written) in list(self._groups.items()):
            if step in (None, place.step):
                yield place, written
                del self._groups[key]

    def close(self) -> None:
        """Close the journal; calling it again does nothing."""
        self._journal.close()
