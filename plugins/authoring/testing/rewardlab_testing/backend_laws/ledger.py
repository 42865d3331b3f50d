"""The ledger of a run as groups and steps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewardlab_records.ledger import find_ledger

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class LedgerGroup:
    """The completions of one prompt, scored together. rows: as they stand in the file, one a completion."""

    rows: Sequence[Row]

    @property
    def stage(self) -> int:
        return self.rows[0]["stage"]

    @property
    def attempt(self) -> int:
        return self.rows[0]["attempt"]

    @property
    def step(self) -> int | None:
        return self.rows[0]["step"]

    @property
    def sample(self) -> str:
        return self.rows[0]["id"]

    @property
    def trained(self) -> bool:
        """Whether a step trained on it, as far as the engine knows; else it belongs to an evaluation."""
        return self.rows[0]["trained"] != "no"

    @property
    def evaluated(self) -> bool:
        """Whether it belongs to an evaluation; what is neither that nor trained was discarded, or failed."""
        return self.rows[0]["phase"] != "training"

    @property
    def place(self) -> str:
        """Say where the group is, for a failing example."""
        keys = ("attempt", "stage", "step", "group")
        return ", ".join(f"{key} {self.rows[0][key]}" for key in keys)

    @property
    def indices(self) -> list[int]:
        """The places of the completions in the group, as the rows say."""
        return [row["index"] for row in self.rows]


def read_groups(directory: Path) -> list[LedgerGroup]:
    """Return the groups of a run's ledger, in its order; rows of one group need not stand together."""
    by_group: dict[tuple[int, ...], list[Row]] = {}
    for row in read_rows(directory):
        by_group.setdefault((row["attempt"], row["stage"], row["group"]), []).append(row)
    return [LedgerGroup(rows=rows) for rows in by_group.values()]


def read_rows(directory: Path) -> Iterator[Row]:
    """Yield the rows of a run's ledger, in its order."""
    ledger = find_ledger(directory)
    yield from (row for _, row in (() if ledger is None else ledger.rows()) if isinstance(row, dict))


def steps_that_stand(groups: Sequence[LedgerGroup], stage: int) -> dict[int | None, list[LedgerGroup]]:
    """Return step -> its groups, of those that stage `stage` trained on: of the last attempt that made the step."""
    steps: dict[int | None, list[LedgerGroup]] = {}
    for group in groups:
        if group.trained and group.stage == stage:
            steps.setdefault(group.step, []).append(group)
    return {step: _of_last_attempt(of_step) if step is not None else of_step for step, of_step in steps.items()}


def _of_last_attempt(groups: Sequence[LedgerGroup]) -> list[LedgerGroup]:
    last = max(group.attempt for group in groups)
    return [group for group in groups if group.attempt == last]
