"""The output of `rewardlab score` as lines of a ledger: a group for each row, with its texts if the rows are named."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab import Completion, Group, Sample
from rewardlab.errors import JobError, Problem, UserError
from rewardlab.scorefile import StateFolder
from rewardlab.text import counted
from rewardlab_measure.causes import GroupRecord, OutputRecords
from rewardlab_records.export import ScoredRows
from rewardlab_records.scored_lines import scored_lines

from rewardlab_viewer.read.source import Line, Source, is_line

COMMON = {"attempt": 0, "stage": 0, "step": None, "trained": "no", "phase": "scored"}


class ScoredSource(Source):
    """A file that `score` wrote. rows: those that were scored; without them it has numbers only."""

    def __init__(self, path: Path, rows: str | None = None) -> None:
        """Raise a UserError if the first row is not one that `score` wrote."""
        super().__init__(name=path.name)
        self._path, self._rows = path, rows
        state = StateFolder(path)
        self._origin = state.read() if state.path.is_dir() else None
        self.scored_by, self.replies = (self._origin or {}).get("recipe"), state.judges
        self.reward = (self.scored_by or {}).get("reward")
        correctness = self.reward.get("correctness") if isinstance(self.reward, Mapping) else None
        self.correctness = correctness if isinstance(correctness, str) else None
        fields = ((self.scored_by or {}).get("dataset") or {}).get("fields") or {}
        self.names = [(field, column) for field, column in fields.items() if isinstance(column, str)]
        for _, row in scored_lines(path):
            if isinstance(row, Problem):
                raise UserError(
                    f"{row.what}; name a file of `rewardlab score`, or the folder of a run", where=row.where
                )
            return
        raise UserError("has no rows", where=str(path))

    def lines(self) -> Iterator[Line]:
        """Yield a line for each completion. See Source."""
        self._bad = 0
        causes = RowCauses(self)
        for number, (group, scores) in enumerate(self._scored()):
            lines = list(_lines(number, group, scores, causes.of(scores)))
            if all(map(is_line, lines)):
                yield from lines
            else:
                self._bad += 1
        if self._bad:
            self.notes.append(
                f"Left out: {counted(self._bad, 'line')} of {self._path.name} that `score` did not write."
            )
        if causes.unknown:
            note = f"What components contributed is not known of {counted(causes.unknown, 'row')} of {self._path.name}"
            self.notes.append(f"{note}: the recipe beside it makes another total of the values.")

    def _scored(self) -> Iterator[tuple[Group | None, Mapping[str, Any]]]:
        if self._rows is not None:
            rows = ScoredRows(rows=self._rows, scored=str(self._path), origin=self._origin)
            yield from ((row.group, row.scores) for row in rows)
            return
        for _, row in scored_lines(self._path):
            if isinstance(row, Problem):
                self._bad += 1
            else:
                yield None, row


class RowCauses:
    """The contributions of each component in rows that `score` wrote, computed by the recipe beside them.

    unknown: of how many rows it does not follow, as of an edited file.
    """

    def __init__(self, source: Source) -> None:
        plan, _ = source.planned
        self._components = [] if plan is None else list(plan.components)
        self._records = None if plan is None or plan.expression is None else OutputRecords(plan)
        self.unknown = 0

    def of(self, row: Mapping[str, Any]) -> GroupRecord | None:
        """Return the record of a row; None if it is not known."""
        if self._records is None:
            return None
        try:
            if set(row["components"]) == set(self._components) and self._records.differing(row) is None:
                return self._records.of(row)
        except (ValueError, LookupError, TypeError, JobError, ArithmeticError):
            pass  # a damaged row, or one of other policies
        self.unknown += 1
        return None


def _lines(number: int, group: Group | None, scores: Mapping[str, Any], causes: GroupRecord | None) -> Iterator[Line]:
    asked = {} if group is None else _asked(group.sample)
    completions: Sequence[Completion | None] = [None] * len(scores["total"]) if group is None else group.completions
    for index, completion in enumerate(completions):
        components = {
            name: {key: column[index] for key, column in columns.items() if isinstance(column, list) and column[index:]}
            for name, columns in scores["components"].items()
        }
        given = {} if causes is None else _given(causes, index)
        components = {name: {**entry, **given.get(name, {})} for name, entry in components.items()}
        line: dict[str, Any] = {**COMMON, "group": number, "index": index, "id": str(scores["id"])}
        line |= {"components": components, "total": scores["total"][index], "shaped": scores["shaped"][index]}
        line |= {} if causes is None else {"rest": causes.rest[index]}
        yield line | (asked if index == 0 else {}) | ({} if completion is None else _answered(completion))


def _asked(sample: Sample) -> dict[str, Any]:
    return {"prompt": list(sample.prompt), "fields": dict(sample.fields)}


def _answered(completion: Completion) -> dict[str, Any]:
    conversation = {"messages": list(completion.messages)} if completion.messages else {}
    fields = {"completion": completion.text, "tokens": completion.token_count, "truncated": completion.truncated}
    more = {"seconds": completion.seconds, "error": completion.failure}
    return fields | conversation | {name: value for name, value in more.items() if value is not None}


def _given(causes: GroupRecord, index: int) -> Mapping[str, Mapping[str, Any]]:
    """Return what each component contributed to the reward of a completion, and by which use in the total."""
    return {name: {**causes.uses[name], "contribution": given[index]} for name, given in causes.contributions.items()}
