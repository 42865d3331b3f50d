"""The movement of the reward in a run's ledger."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from rewardlab_studies.causes.movement import Movement
from rewardlab_studies.causes.records import record_of_ledger
from rewardlab_studies.ledger.superseded_steps import CurrentSteps, is_discarded


def ledger_movement(lines: Iterable[Mapping[str, Any]], current: CurrentSteps) -> Movement:
    """Return the movement of a ledger's groups that were trained on, or that of evaluations if none was.

    Lines that are not current do not count, and neither do those that were discarded and those without contributions,
    which an older version wrote.
    """
    trained, evaluated = Movement(learned=True), Movement()
    used = (line for line in lines if not is_discarded(line))
    for (*_, use), group in groupby(used, key=lambda line: (line["attempt"], line["group"], line["trained"])):
        rows = list(group)
        if rows[0] in current and any("contribution" in entry for entry in rows[0]["components"].values()):
            (evaluated if use == "no" else trained).add(record_of_ledger(rows))
    return trained if trained.groups else evaluated
