"""The groups of one stage and attempt that the coordinator has recorded: the index of the ledger's shards."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rewardlab import Completion, Sample, Score, ScoredGroup
from rewardlab.scoring import GroupNumbers
from rewardlab_training import Phase

from rewardlab_ray.ledger_shards import LedgerIndex, read_span
from rewardlab_ray.messages import GroupPlace, WrittenGroup
from rewardlab_ray.rendered_rows import Row
from rewardlab_ray.scoring.service_settings import ServiceSettings


class RecordedGroups:
    """The groups that were recorded, by key. A coordinator that Ray has restarted finds them again."""

    def __init__(self, settings: ServiceSettings, evaluation: Sequence[Row]) -> None:
        """Open the index. A JobError if that cannot be."""
        self._index = LedgerIndex(settings.run, settings.attempt, settings.stage)
        self._evaluation = evaluation

    def __contains__(self, key: str) -> bool:
        return key in self._index

    def add(self, place: GroupPlace, written: WrittenGroup, step: int | None, trained: str, phase: Phase) -> None:
        """Record a group, which counts from then on. A JobError if the disk refuses."""
        note = {"place": asdict(place), "numbers": written.numbers.as_dict()}
        where = place.row if place.evaluation else place.position
        self._index.add(place.key, written.span, step=step, trained=trained, phase=phase, place=where, note=note)

    def written_again(self, place: GroupPlace, written: WrittenGroup) -> None:
        """Let what was written last of a recorded group count: the engine gets these rewards."""
        self._index.move(place.key, written.span)

    def earlier(self) -> Iterator[tuple[GroupPlace, WrittenGroup]]:
        """Yield the groups that are there, in order."""
        for span, note in self._index.earlier():
            numbers = GroupNumbers.from_dict(note["numbers"])
            yield GroupPlace(**note["place"]), WrittenGroup(span=span, numbers=numbers)

    def evaluated(self, place: GroupPlace, written: WrittenGroup) -> ScoredGroup:
        """Return a group of an evaluation with its texts, from its shard. A JobError if it is not there."""
        rows = read_span(self._index.folder, place.key, written.span)
        return _scored_group(self._evaluation[place.row].sample, rows)

    def close(self) -> None:
        """Close the index; calling it again does nothing."""
        self._index.close()


def _scored_group(sample: Sample, lines: Sequence[Mapping[str, Any]]) -> ScoredGroup:
    names = lines[0]["components"]
    return ScoredGroup(
        sample=sample,
        completions=tuple(
            Completion(
                text=line["completion"],
                token_count=line["tokens"],
                truncated=line["truncated"],
                messages=line.get("messages", ()),
            )
            for line in lines
        ),
        components={name: [_score(line["components"][name]) for line in lines] for name in names},
        totals=[line["total"] for line in lines],
        shaped=[line["shaped"] for line in lines],
    )


def _score(entry: Mapping[str, Any]) -> Score:
    """Return the component's score; its contributions to the total stay in the ledger."""
    return Score(value=entry["value"], error=entry["error"], info=entry["info"])
