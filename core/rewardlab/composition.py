"""From component scores of a group to its totals and shaped rewards.

Missing values follow the recipe's policies here and nowhere else, so that a component's own `value` stays
what the component said.
"""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewardlab.errors import JobError, one_line
from rewardlab.expression import Expression
from rewardlab.recipe import ComponentUse
from rewardlab.types import Completion, Group, Sample, Score


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoredGroup:
    """A group with what its rewards said.

    components: name -> G scores. total: G numbers, None where a sample got zero advantage for want of a value.
    shaped: G numbers, what a trainer receives; equal to `total` where nothing normalizes and nothing is missing.
    """

    sample: Sample
    completions: Sequence[Completion]
    components: Mapping[str, Sequence[Score]]
    total: Sequence[float | None]
    shaped: Sequence[float]


@dataclass(frozen=True, kw_only=True)
class Composition:
    """The recipe's `total`, its policies for what is missing, and its normalizers (objects with `shape`)."""

    expression: Expression
    uses: Mapping[str, ComponentUse]
    normalizers: Sequence[tuple[str, Any]] = ()
    zero_truncated: bool = False

    def compose(self, group: Group, components: Mapping[str, Sequence[Score]], seed: int = 0) -> ScoredGroup:
        """Totals and shaped rewards of one group. A JobError where a policy says `fail`."""
        totals = self._totals(group, components)
        return ScoredGroup(
            sample=group.sample,
            completions=group.completions,
            components=components,
            total=totals,
            shaped=self._shaped(group, totals, seed),
        )

    def _totals(self, group: Group, components: Mapping[str, Sequence[Score]]) -> list[float | None]:
        names = self.expression.names
        columns = {name: self._column(name, components[name], group) for name in names}
        evaluate, size = self.expression.evaluate, len(group.completions)
        totals: list[float | None] = [None] * size
        if None in columns.values():
            return totals  # nobody has a value to take the mean of: zero advantage for the whole group
        for index in range(size):
            values = {name: column[index] for name, column in columns.items()}
            if self.zero_truncated and group.completions[index].truncated:
                totals[index] = 0.0
            elif None not in values.values():
                try:
                    totals[index] = evaluate(values)
                except ArithmeticError as error:
                    raise JobError(f"reward.total on {_place(group.sample, index)}: {error}") from error
        return totals

    def _column(self, name: str, scores: Sequence[Score], group: Group) -> list[float | None] | None:
        """The values that `total` sees; None inside for zero advantage, None in all for the whole group."""
        use = self.uses[name]
        column: list[float | None] = [score.value for score in scores]
        if None not in column:
            return column
        present = [value for value in column if value is not None]
        for index, score in enumerate(scores):
            if score.value is not None:
                continue
            if score.error is None:
                column[index] = self._abstained(name, use, score, group, index)
            elif isinstance(use.on_missing, float | int):
                column[index] = float(use.on_missing)
            elif use.on_missing == "fail":
                place = _place(group.sample, index)
                raise JobError(f"component {name!r} ({use.use}) failed on {place}: {score.error}")
            elif use.on_missing == "group_mean":
                if not present:
                    return None
                column[index] = math.fsum(present) / len(present)
        return column

    def _abstained(self, name: str, use: ComponentUse, score: Score, group: Group, index: int) -> float:
        if use.on_abstain == "fail":
            reason = score.info.get("reason") or "it gives no reason"
            raise JobError(
                f"component {name!r} ({use.use}) abstains on {_place(group.sample, index)}: {reason}; "
                f"set reward.components.{name}.on_abstain to a number to go on"
            )
        return float(use.on_abstain)

    def _shaped(self, group: Group, totals: Sequence[float | None], seed: int) -> list[float]:
        kept = [index for index, total in enumerate(totals) if total is not None]
        values = [total for total in totals if total is not None]
        if not values:
            return [0.0] * len(totals)
        counts = [group.completions[index].token_count for index in kept]
        tokens = None if None in counts else counts
        for use, normalizer in self.normalizers:
            try:
                shaped = normalizer.shape(values, tokens, list(range(len(values))), seed)
                values = [float(value) for value in shaped]
            except Exception as error:  # the one place where a normalizer's exception gets its name
                raise JobError(f"normalizer {use} on {_place(group.sample)}: {one_line(error)}") from error
            if len(values) != len(kept) or not all(map(math.isfinite, values)):
                raise JobError(f"normalizer {use} on {_place(group.sample)}: gave {values!r} for {len(kept)} values")
        if len(kept) == len(totals):
            return values
        result = [math.fsum(values) / len(values)] * len(totals)
        for index, value in zip(kept, values, strict=True):
            result[index] = value
        return result


class MissingGuard:
    """Stops a job when too large a share of a component's scores is missing.

    Keeps the last `window` scores of each component once there are `least`; with window None it counts until
    `reset`, which a trainer calls at every step.
    """

    def __init__(self, uses: Mapping[str, ComponentUse], window: int | None = None, least: int = 1):
        self._uses = {name: use for name, use in uses.items() if use.on_missing != "fail"}
        self._least = least
        self._failed: dict[str, deque[bool]] = {name: deque(maxlen=window) for name in self._uses}
        self._causes: dict[str, str] = {}

    def reset(self) -> None:
        """Forget what was counted."""
        for failed in self._failed.values():
            failed.clear()
        self._causes.clear()

    def count(self, scored: ScoredGroup) -> None:
        """Count one group's failures; abstentions do not count."""
        for name, failed in self._failed.items():
            for index, score in enumerate(scored.components[name]):
                failed.append(score.value is None and score.error is not None)
                if failed[-1]:
                    self._causes[name] = f"{_place(scored.sample, index)}: {score.error}"

    def check(self) -> None:
        """A JobError that names the component, the share and the last cause, where the share is too large."""
        for name, failed in self._failed.items():
            if len(failed) < self._least:
                continue
            share, most = sum(failed) / len(failed), self._uses[name].max_missing
            if share > most:
                raise JobError(
                    f"component {name!r} ({self._uses[name].use}) has no value for {sum(failed)} of the last "
                    f"{len(failed)} completions ({share:.1%}; max_missing is {most:.1%}); last: {self._causes[name]}"
                )


def _place(sample: Sample, index: int | None = None) -> str:
    place = f"sample {sample.id!r}" + (f" ({sample.source})" if sample.source else "")
    return place if index is None else f"{place}, completion {index}"
