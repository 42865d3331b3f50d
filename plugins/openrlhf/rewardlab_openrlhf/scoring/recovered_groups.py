"""The groups of one stage and attempt that are in the ledger already, for a coordinator that Ray has restarted."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from rewardlab import Completion, Sample, Score
from rewardlab.data import read_lines
from rewardlab.training import ScoredGroup

from rewardlab_openrlhf.messages import GroupPlace
from rewardlab_openrlhf.rendered_rows import Row
from rewardlab_openrlhf.scoring.journal import Journal


class RecoveredGroups:
    """The groups that were recorded already, by key.

    The ledger has no keys: a journal beside it gets the key before the ledger gets the group, so that the first n keys
    belong to the n groups that the ledger has of this stage and attempt.
    """

    def __init__(self, journal: Path, ledger: Path, attempt: int, stage: int):
        self._journal = Journal(journal)
        self._of_stage = {"attempt": attempt, "stage": stage}
        self._ledger = ledger
        self._journal.keep(sum(1 for _ in self._groups()) if self._journal.earlier else 0)
        self._places = [GroupPlace(**fact) for fact in self._journal.earlier]
        self._keys = {place.key for place in self._places}

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def note(self, place: GroupPlace) -> None:
        """Note a group that is about to be written to the ledger. A JobError where the disk refuses."""
        self._journal.add({name: getattr(place, name) for name in GroupPlace.__dataclass_fields__})
        self._keys.add(place.key)

    def earlier(self, rows: Sequence[Row], evaluation: Sequence[Row]) -> Iterator[tuple[GroupPlace, ScoredGroup]]:
        """Yield the groups that were there when this was opened, in order."""
        if not self._places:
            return
        for place, lines in zip(self._places, self._groups(), strict=False):
            row = (evaluation if place.evaluation else rows)[place.row]
            yield place, _scored_group(row.sample, lines)

    def close(self) -> None:
        """Close the journal; calling it again does nothing."""
        self._journal.close()

    def _groups(self) -> Iterator[list[Mapping[str, Any]]]:
        if not self._ledger.exists():
            return
        lines = (row for _, row in read_lines(self._ledger, any_text=True) if isinstance(row, Mapping))
        of_stage = (row for row in lines if self._of_stage.items() <= row.items())
        for _, group in groupby(of_stage, key=lambda row: row["group"]):
            yield list(group)


def _scored_group(sample: Sample, lines: Sequence[Mapping[str, Any]]) -> ScoredGroup:
    names = lines[0]["components"]
    return ScoredGroup(
        sample=sample,
        completions=tuple(
            Completion(text=line["completion"], token_count=line["tokens"], truncated=line["truncated"])
            for line in lines
        ),
        components={name: [_score(line["components"][name]) for line in lines] for name in names},
        totals=[line["total"] for line in lines],
        shaped=[line["shaped"] for line in lines],
    )


def _score(entry: Mapping[str, Any]) -> Score:
    """Return the component's score; its contributions to the total stay in the ledger."""
    return Score(value=entry["value"], error=entry["error"], info=entry["info"])
