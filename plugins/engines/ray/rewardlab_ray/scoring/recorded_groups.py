"""The groups of one stage and attempt in the run's ledger, each once: what was recorded first of a group counts."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rewardlab import Completion, Sample, Score, ScoredGroup
from rewardlab.data import parse_row
from rewardlab.errors import JobError, Problem
from rewardlab.files import cut_torn_line
from rewardlab_training import GroupNumbers, Ledger, Phase, last_row, ledger_path

from rewardlab_ray.messages import FinishedGroup, GroupPlace, GroupRewards
from rewardlab_ray.rendered_rows import Row
from rewardlab_ray.scoring.journal import Journal
from rewardlab_ray.scoring.service_settings import ServiceSettings


class RecordedGroups:
    """The recorded groups by key, and the one writer of the ledger.

    A group counts once the journal has it: what a kill left in the ledger behind the last of these is taken back, and
    who had no answer records the group again. A coordinator that Ray has restarted finds them all.
    """

    def __init__(self, settings: ServiceSettings, evaluation: Sequence[Row]) -> None:
        """Open the files. UserError or JobError if that cannot be."""
        self._evaluation, self._stage = evaluation, settings.stage
        self._path = ledger_path(settings.run)
        try:
            self._ledger = Ledger(self._path, settings.attempt)
            uncounted = self._uncounted(settings)
            self._journal = Journal(settings.journal("recorded"))
        except OSError as error:
            raise JobError(f"{error.filename} cannot be written: {error.strerror}") from error
        if uncounted is not None:
            self._ledger.cut(uncounted)
        self._places = {fact["place"]["key"]: place for place, fact in self._journal.placed() if "place" in fact}
        if not self._places:
            self._journal.add({"end": self._ledger.size})

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def rewards(self, key: str) -> GroupRewards:
        """Return the rewards with which a group was recorded, which are the engine's."""
        return GroupRewards.from_dict(json.loads(self._journal.read(self._places[key])["rewards"]))

    def add(self, place: GroupPlace, group: FinishedGroup, step: int | None, trained: str, phase: Phase) -> None:
        """Record a group, which counts from then on. A JobError, and nothing is left of it, if the disk refuses."""
        groups = [*([("no", group.unchosen)] if group.unchosen else []), (trained, group.lines)]
        begin = self._ledger.size
        self._ledger.append(self._stage, step, groups, phase)
        fact = {"place": asdict(place), "begin": begin, "end": self._ledger.size}
        rewards = json.dumps(group.rewards.as_dict())  # as a text, which nobody parses before it is asked for
        fact |= {"numbers": group.numbers.as_dict(), "rewards": rewards}
        try:
            self._places[place.key] = self._journal.add(fact)
        except JobError:
            self._ledger.cut(begin)
            raise

    def earlier(self) -> Iterator[tuple[GroupPlace, GroupNumbers, ScoredGroup | None]]:
        """Yield the groups that are there, in order; those of evaluations with their texts."""
        for _, fact in self._journal.placed():
            if "place" in fact:
                place = GroupPlace(**fact["place"])
                texts = self.evaluated(place, self._lines(fact["begin"], fact["end"])) if place.evaluation else None
                yield place, GroupNumbers.from_dict(fact["numbers"]), texts

    def evaluated(self, place: GroupPlace, lines: Sequence[bytes]) -> ScoredGroup:
        """Return a group of an evaluation with its texts. lines: of `ledger_lines`."""
        return _scored_group(self._evaluation[place.row].sample, [json.loads(b"{" + line) for line in lines])

    def close(self) -> None:
        """Close the files; calling it again does nothing."""
        self._journal.close()
        self._ledger.close()

    def _lines(self, begin: int, end: int) -> list[bytes]:
        """Return lines of the ledger, without their first brackets."""
        with self._path.open("rb") as file:
            file.seek(begin)
            block = file.read(end - begin)
        if len(block) < end - begin:
            raise JobError(f"{self._path} ends before byte {end}, where a group stood that was recorded")
        return [line[1:] for line in block.splitlines()]

    def _uncounted(self, settings: ServiceSettings) -> int | None:
        """Return where the lines of this stage begin that were written and not recorded; None if there are none."""
        for attempt in range(settings.attempt, -1, -1):
            journal = settings.journal("recorded", attempt)
            cut_torn_line(journal)
            last = last_row(journal)
            if last is not None:
                is_ours = _belongs_to(self._path, last["end"], attempt, settings.stage)
                return last["end"] if is_ours else None
        return None


def _belongs_to(ledger: Path, place: int, attempt: int, stage: int) -> bool:
    """Return whether the line at a place of a ledger is of this attempt and stage."""
    with ledger.open("rb") as file:
        file.seek(place)
        line = file.readline()
    row = parse_row(line, str(ledger), any_text=True) if line else {}
    return not isinstance(row, Problem) and (row.get("attempt"), row.get("stage")) == (attempt, stage)


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
                seconds=line.get("seconds"),
                error=line.get("error"),
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
