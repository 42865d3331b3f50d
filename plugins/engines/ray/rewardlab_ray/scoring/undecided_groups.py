"""Groups of the training that are scored, while the engine has not said whether it trains on them.

For engines that leave groups out by themselves, and generate more than a step needs.
"""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rewardlab_ray.messages import FinishedGroup, GroupPlace
from rewardlab_ray.scoring.journal import Journal

Undecided = tuple[GroupPlace, FinishedGroup]


class UndecidedGroups:
    """The groups by key, each as it came first, in a journal: a recorder that is opened again has them, too."""

    def __init__(self, journal: Path) -> None:
        self._journal = Journal(journal)
        self._groups: dict[str, Undecided] = {}
        for fact in self._journal.earlier:
            place = GroupPlace(**fact["place"])
            self._groups[place.key] = place, FinishedGroup.from_dict(fact["group"])

    def __iter__(self) -> Iterator[Undecided]:
        return iter(self._groups.values())

    def get(self, key: str) -> FinishedGroup | None:
        """Return the group with a key; None if none waits."""
        return self._groups[key][1] if key in self._groups else None

    def add(self, place: GroupPlace, group: FinishedGroup) -> None:
        """Add a group. A JobError if the disk refuses."""
        self._journal.add(_fact(place, group))
        self._groups[place.key] = place, group

    def remove(self, key: str) -> None:
        """Forget a group that is recorded elsewhere."""
        self._groups.pop(key, None)

    def of_step(self, step: int | None = None) -> Iterator[Undecided]:
        """Yield the groups of a step, or all of them, in the order in which they came, and forget each."""
        for key, (place, group) in list(self._groups.items()):
            if step in (None, place.step):
                yield place, group
                del self._groups[key]
        self._journal.keep(_fact(*waiting) for waiting in self)

    def close(self) -> None:
        """Close the journal; calling it again does nothing."""
        self._journal.close()


def _fact(place: GroupPlace, group: FinishedGroup) -> dict[str, Any]:
    return {"place": asdict(place), "group": group.as_dict()}
