"""From component scores of a group to its totals and shaped rewards.

Missing values follow the recipe's policies here and nowhere else, so that a component's own `value` stays
what the component said.
"""

import hashlib
import math
import reprlib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rewardlab.causes.causes import Causes, Seen
from rewardlab.causes.parts import Decomposition, mean
from rewardlab.errors import JobError, one_line
from rewardlab.expression import Expression
from rewardlab.types import Completion, Group, Sample, Score
from rewardlab.uses import ComponentUse


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoredGroup:
    """A group with what its rewards said.

    components: name -> G scores.
    total: G numbers, None where a sample got zero advantage for want of a value.
    shaped: G numbers, for a trainer; equal to `total` where nothing normalizes and nothing is missing.
    causes: what each component contributed to `shaped`; None where nobody can tell any more.
    """

    sample: Sample
    completions: Sequence[Completion]
    components: Mapping[str, Sequence[Score]]
    total: Sequence[float | None]
    shaped: Sequence[float]
    causes: Causes | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Composition:
    """The recipe's `total`, its policies for what is missing, and its normalizers (objects with `shape`).

    decomposition: how the total comes apart; without it groups have no causes.
    """

    expression: Expression
    uses: Mapping[str, ComponentUse]
    normalizers: Sequence[tuple[str, Any]] = ()
    zero_truncated: bool = False
    decomposition: Decomposition | None = None

    def compose(self, group: Group, components: Mapping[str, Sequence[Score]], seed: int = 0) -> ScoredGroup:
        """Totals and shaped rewards of one group. A JobError where a policy says `fail`."""
        columns = self.columns(group.sample, components)
        totals = self._totals(group, columns)
        kept = range(len(totals))
        shaped = self._shaped(group, totals, kept, seed)
        return ScoredGroup(
            sample=group.sample,
            completions=group.completions,
            components=components,
            total=totals,
            shaped=shaped,
            causes=self._causes(group, columns, totals, kept, shaped, components),
        )

    def compose_kept(
        self,
        pool: Group,
        kept: Sequence[int],
        alone: Mapping[str, Sequence[Score]],
        in_group: Mapping[str, Sequence[Score]],
        seed: int = 0,
    ) -> ScoredGroup:
        """Totals and shaped rewards of the G completions of a pool of P that `kept` names, in that order.

        alone: name -> P scores, of the components that score each completion by itself.
        in_group: name -> G scores, of those that see the kept completions as a group.
        Where `alone` holds all that the total names, the whole pool has totals: stand-ins for missing values and
        normalizers go by all P, and a policy `fail` counts for all of them. Else they go by the G kept.
        """
        group = Group(sample=pool.sample, completions=tuple(pool.completions[place] for place in kept))
        components: dict[str, Sequence[Score]] = {n: [scores[place] for place in kept] for n, scores in alone.items()}
        components |= in_group
        components = {name: components[name] for name in self.uses}
        if not set(self.expression.names) <= set(alone):
            return self.compose(group, components, seed)
        columns = self.columns(pool.sample, alone)
        totals = self._totals(pool, columns)
        shaped = self._shaped(pool, totals, kept, seed)
        return ScoredGroup(
            sample=pool.sample,
            completions=group.completions,
            components=components,
            total=[totals[place] for place in kept],
            shaped=shaped,
            causes=self._causes(pool, columns, totals, kept, shaped, components),
        )

    def columns(self, sample: Sample, components: Mapping[str, Sequence[Score]]) -> dict[str, list[float | None]]:
        """name -> the values that the total sees, None for zero advantage; fewer names where the whole group gets it.

        A JobError where a policy says `fail`.
        """
        columns = {name: self._column(name, components[name], sample) for name in self.expression.names}
        return {name: column for name, column in columns.items() if column is not None}

    def _causes(
        self,
        pool: Group,
        columns: Mapping[str, Sequence[float | None]],
        totals: Sequence[float | None],
        kept: Sequence[int],
        shaped: Sequence[float],
        components: Mapping[str, Sequence[Score]],
    ) -> Causes | None:
        if self.decomposition is None:
            return None
        zeroed = [self.zero_truncated and completion.truncated for completion in pool.completions]
        return Causes(
            Seen(
                decomposition=self.decomposition,
                columns=columns,
                totals=totals,
                decided=[total is not None and not zero for total, zero in zip(totals, zeroed, strict=True)],
                kept=kept,
                shaped=shaped,
                own={name: [score.value for score in components[name]] for name in self.expression.names},
                normalized=bool(self.normalizers),
            )
        )

    def _totals(self, group: Group, columns: Mapping[str, Sequence[float | None]]) -> list[float | None]:
        totals: list[float | None] = [None] * len(group.completions)
        if len(columns) < len(self.expression.names):
            return totals
        for index, completion in enumerate(group.completions):
            values = {name: value for name, column in columns.items() if (value := column[index]) is not None}
            if self.zero_truncated and completion.truncated:
                totals[index] = 0.0
            elif len(values) == len(columns):
                try:
                    totals[index] = self.expression.evaluate(values)
                except ArithmeticError as error:
                    raise JobError(f"reward.total on {place_of(group.sample, index)}: {error}") from error
        return totals

    def _column(self, name: str, scores: Sequence[Score], sample: Sample) -> list[float | None] | None:
        """The values that `total` sees; None inside for zero advantage, None in all for the whole group."""
        column: list[float | None] = [score.value for score in scores]
        if None not in column:
            return column
        present = [value for value in column if value is not None]
        for index, score in enumerate(scores):
            if score.value is None:
                column[index] = self._stand_in(name, score, present, place_of(sample, index))
        nobody = None in column and self.uses[name].on_missing == "group_mean"
        return None if nobody else column

    def _stand_in(self, name: str, score: Score, present: Sequence[float], place: str) -> float | None:
        """What `total` sees where a component has no value; None for zero advantage."""
        use = self.uses[name]
        if score.error is None:
            if use.on_abstain == "fail":
                reason = score.info.get("reason") or "it gives no reason"
                raise JobError(
                    f"component {name!r} ({use.use}) abstains on {place}: {reason}; "
                    f"set reward.components.{name}.on_abstain to a number to go on"
                )
            return float(use.on_abstain)
        if use.on_missing == "fail":
            raise JobError(f"component {name!r} ({use.use}) failed on {place}: {score.error}")
        if use.on_missing == "group_mean":
            return mean(present) if present else None
        return None if use.on_missing == "zero_advantage" else float(use.on_missing)

    def _shaped(self, pool: Group, totals: Sequence[float | None], kept: Sequence[int], seed: int) -> list[float]:
        """Of those that `kept` names; whoever has no total gets the mean of theirs."""
        present = [place for place, total in enumerate(totals) if total is not None]
        rank = {place: index for index, place in enumerate(present)}
        chosen = [place for place in kept if place in rank]
        if not chosen:
            return [0.0] * len(kept)
        given = Group(sample=pool.sample, completions=[pool.completions[place] for place in present])
        known = [total for total in totals if total is not None]
        values = self._normalized(given, known, [rank[place] for place in chosen], seed)
        if len(chosen) == len(kept):
            return values
        shaped = dict(zip(chosen, values, strict=True))
        others = mean(values)
        return [shaped.get(place, others) for place in kept]

    def _normalized(self, pool: Group, totals: Sequence[float], kept: Sequence[int], seed: int) -> list[float]:
        """Each normalizer but the last shapes the whole pool, so that all of them see it."""
        counts = [completion.token_count for completion in pool.completions]
        own_seed = int.from_bytes(hashlib.sha256(f"{seed}:{pool.sample.id}".encode()).digest()[:4])
        values, last = list(totals), len(self.normalizers) - 1
        for index, (use, normalizer) in enumerate(self.normalizers):
            tokens = None if None in counts else list(counts)
            wanted = list(kept) if index == last else list(range(len(totals)))
            try:
                shaped = normalizer.shape(list(values), tokens, list(wanted), own_seed)
                values = [float(value) for value in shaped]
            except (Exception, SystemExit) as error:  # the one place where its exceptions get their name
                raise JobError(f"normalizer {use} on {place_of(pool.sample)}: {one_line(error)}") from error
            if len(values) != len(wanted) or not all(map(math.isfinite, values)):
                what = f"gave {reprlib.repr(values)} for {len(wanted)} values"
                raise JobError(f"normalizer {use} on {place_of(pool.sample)}: {what}")
        return values if self.normalizers else [values[place] for place in kept]


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
                    self._causes[name] = f"{place_of(scored.sample, index)}: {score.error}"

    def check(self) -> None:
        """A JobError that names the component, the share and the last cause, where the share is too large."""
        for name, failed in self._failed.items():
            if len(failed) < self._least:
                continue
            use, share = self._uses[name], sum(failed) / len(failed)
            if share > use.max_missing:
                raise JobError(
                    f"component {name!r} ({use.use}) has no value for {sum(failed)} of the last "
                    f"{len(failed)} completions ({share:.1%}; max_missing is {use.max_missing:.1%}); "
                    f"last: {self._causes[name]}"
                )

    def check_end(self) -> None:
        """A JobError where a component gave nothing but failures, however few were counted."""
        for name, failed in self._failed.items():
            use = self._uses[name]
            if failed and all(failed) and use.max_missing < 1:
                raise JobError(
                    f"component {name!r} ({use.use}) has no value for any of {len(failed)} completions; "
                    f"last: {self._causes[name]}"
                )


def place_of(sample: Sample, index: int | None = None) -> str:
    """A sample, or its completion `index`, as messages tell where something happened."""
    place = f"sample {sample.id!r}" + (f" ({sample.source})" if sample.source else "")
    return place if index is None else f"{place}, completion {index}"
