"""The movement of the reward in a run's ledger."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from rewardlab_records.ledger import CurrentSteps, is_discarded

from rewardlab_measure.causes.movement import Movement
from rewardlab_measure.causes.records import record_of_ledger


def ledger_movement(lines: Iterable[Mapping[str, Any]], current: CurrentSteps) -> Movement:
    """Return the movement of a ledger's groups that were trained on, or that of evaluations if none was.

    Lines that are not current do not count, and neither do those that were discarded and those without contributions,
    which an older version wrote.
    """
    movement = LedgerMovement()
    for _, group in groupby(lines, key=lambda line: (line["attempt"], line["group"], line["trained"])):
        rows = list(group)
        if rows[0] in current:
            movement.add(rows)
    return movement.movement


class LedgerMovement:
    """The movement of a ledger's groups as `ledger_movement` counts it, for one who takes them as they come."""

    def __init__(self) -> None:
        self._trained, self._evaluated = Movement(learned=True), Movement()

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Take the lines of a group that is current."""
        if not is_discarded(rows[0]) and any("contribution" in entry for entry in rows[0]["components"].values()):
            (self._evaluated if rows[0]["trained"] == "no" else self._trained).add(record_of_ledger(rows))

    @property
    def movement(self) -> Movement:
        """The movement of the groups that were trained on, or that of evaluations if none was."""
        return self._trained if self._trained.groups else self._evaluated
