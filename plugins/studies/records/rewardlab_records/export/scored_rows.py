"""The rows of a file, each beside the scores that `rewardlab score` wrote for it, in one reading of both."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from rewardlab import Group
from rewardlab.data import Identifier, read_lines, to_group
from rewardlab.errors import Problem, UserError
from rewardlab.text import counted

from rewardlab_records.scored_lines import scored_lines


@dataclass(frozen=True, kw_only=True)
class ScoredRow:
    """A row as a group, and its line of scores."""

    group: Group
    scores: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ScoredRows:
    """The scored rows of a file. origin: what made the scores, as `score` keeps it beside them; None if it is gone."""

    rows: str
    scored: str
    origin: Mapping[str, Any] | None

    def components(self) -> list[str]:
        """Return the names of the components. Raises UserError if there are no scores."""
        for _, line in self._lines():
            return list(line["components"])
        raise UserError("it has no rows", where=self.scored)

    def talks(self) -> bool:
        """Return whether a completion is a conversation."""
        return any(completion.messages for group in self._groups() for completion in group.completions)

    def __iter__(self) -> Iterator[ScoredRow]:
        """Yield the rows that have scores, in their order; those that --skip-bad left out have none.

        Raises UserError for scores without a row, and for a row with another number of completions.
        """
        groups, identify = self._groups(), Identifier()
        for place, line in self._lines():
            for group in groups:
                sample = identify(group.sample)
                if sample.id == str(line["id"]):
                    break
                if not group.sample.id:
                    problem = (
                        "has no scores and no id, so that scores after it could be another row's; give the rows ids"
                    )
                    raise UserError(problem, where=sample.source)
            else:
                raise UserError(
                    f"no row of {self.rows} has the id {line['id']!r}; name the rows of these scores", place
                )
            if len(line["total"]) != len(group.completions):
                problem = (
                    f"{len(line['total'])} totals, but its row has {counted(len(group.completions), 'completion')}"
                )
                raise UserError(problem, where=place)
            yield ScoredRow(group=Group(sample=sample, completions=group.completions), scores=line)

    def _groups(self) -> Iterator[Group]:
        fields = ((self.origin or {}).get("recipe", {}).get("dataset") or {}).get("fields", {})
        for number, row in read_lines(self.rows):
            if not isinstance(row, Problem):
                with suppress(ValueError):  # it could not be scored, either
                    yield to_group(row, fields, f"{self.rows}:{number}")

    def _lines(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for number, line in scored_lines(self.scored):
            if isinstance(line, Problem):
                raise UserError([line])
            yield f"{self.scored}:{number}", line


def columns_of_members(fields: Mapping[str, Any], size: int) -> dict[str, list[Any]]:
    """Return what a tool recorded of each completion, name -> values; nothing for rows of another origin."""
    recorded = fields.get("recorded")
    columns = recorded.items() if isinstance(recorded, Mapping) else ()
    return {name: values for name, values in columns if isinstance(values, list) and len(values) == size}
