"""The check of a row before it is scored: it becomes a group, or it is said why it cannot be scored."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rewardlab.data import to_group
from rewardlab.plan import Plan
from rewardlab.types import Group, Sample


@dataclass(frozen=True, kw_only=True, slots=True)
class InputRow:
    """A good row of the input. given_id: the id as the file has it, or the derived one if it has none."""

    given_id: int | str
    group: Group


class RowCheck:
    """The check of rows against a plan: the fields and token counts that they need, and who would abstain on them."""

    def __init__(self, plan: Plan) -> None:
        self.fields: Mapping[str, str] = plan.recipe.dataset.fields if plan.recipe.dataset else {}
        self.abstentions: dict[str, Counter[str]] = {}
        self._needs = plan.row_needs
        self._counting = [planned.use.use for planned in plan.normalizers if planned.spec.needs_tokens]

    def group(self, row: Mapping[str, Any], source: str) -> Group:
        """Return the row as a group, whose sample may have no id yet. ValueError with everything that is wrong."""
        group = to_group(row, self.fields, source)
        if problems := [*self._lacking(group.sample), *self._uncounted(group), *self._silent(group.sample)]:
            raise ValueError("; ".join(problems))
        return group

    def given_id(self, row: Mapping[str, Any]) -> int | str | None:
        """Return the id as the row has it; None if it has none."""
        theirs = self.fields.get("id", "id")
        return row[theirs] if theirs in row else row.get("id")

    def _lacking(self, sample: Sample) -> Iterator[str]:
        for wanted, readers in self._needs.lacking(sample):
            found = "it is null" if wanted in sample.fields else "the row has none"
            hint = "" if wanted in self.fields else f"; map its column with `dataset: fields: {{{wanted}: <column>}}`"
            yield f"field {wanted!r} is needed by {readers}, but {found}{hint}"

    def _uncounted(self, group: Group) -> Iterator[str]:
        uncounted = [index for index, c in enumerate(group.completions) if c.token_count is None]
        if self._counting and uncounted:
            yield f"completions[{uncounted[0]}].token_count is needed by {', '.join(self._counting)}"

    def _silent(self, sample: Sample) -> Iterator[str]:
        for name, reason in self._needs.abstentions(sample):
            self.abstentions.setdefault(name, Counter())[reason] += 1
            yield f"{name} ({self._needs.uses[name]}) will abstain: {reason}"
