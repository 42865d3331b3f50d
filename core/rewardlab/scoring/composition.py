"""The composition of a group's component scores into totals and shaped rewards.

Only this file applies the recipe's policies for missing values, so that a component's own `value` stays as the
component gave it.
"""

import hashlib
import math
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rewardlab.errors import PLUGIN_FAULTS, JobError, one_line
from rewardlab.plan.plan import UNSTABLE
from rewardlab.recipe.expression import Expression
from rewardlab.recipe.terms import terms_of
from rewardlab.recipe.use import ComponentUse
from rewardlab.scoring.decomposition import Decomposition, mean
from rewardlab.scoring.failed_rollouts import is_no_answer
from rewardlab.scoring.group_attribution import Column, GroupAttribution, ScoredTotals
from rewardlab.scoring.scored_completion import ScoredCompletion, component_score, line_of, table_of
from rewardlab.types import Completion, Group, Sample, Score


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoredGroup:
    """A group with the scores of its components, its totals and its shaped rewards.

    Args:
        components: name -> G scores.
        totals: G numbers, None if a completion without a value gets zero advantage.
        shaped: G numbers, for a trainer; equal to `totals` if nothing normalizes and nothing is missing. Empty for what
            no trainer gets.
        causes: what each component contributed to `shaped`; None if that is not known any more.
        centred: whether a normalizer has taken a mean off `shaped`, such as that of a whole pool: no trainer takes
            another.
        progress: what `progress` in the total was; None if it has none.
        left_out: why a training leaves the group out, by the recipe's `teach`; None if it teaches.
    """

    sample: Sample
    completions: Sequence[Completion]
    components: Mapping[str, Sequence[Score]]
    totals: Sequence[float | None]
    shaped: Sequence[float]
    causes: GroupAttribution | None = field(default=None, compare=False, repr=False)
    centred: bool = False
    progress: float | None = None
    left_out: str | None = None

    def __repr__(self) -> str:
        return f"<{line_of(self.sample.id, self.totals)}>"

    def _repr_html_(self) -> str:
        """Return the group as a table, for notebooks."""
        return table_of(line_of(self.sample.id, self.totals), self.by_completion())

    def by_completion(self) -> Sequence[ScoredCompletion]:
        """Return the G completions in order, each with the value, reason and contribution of every component."""
        return [self._scored_completion(index) for index in range(len(self.completions))]

    def _scored_completion(self, index: int) -> ScoredCompletion:
        causes = self.causes
        return ScoredCompletion(
            sample=self.sample,
            completion=self.completions[index],
            total=self.totals[index],
            shaped=self.shaped[index],
            components={
                name: component_score(scores[index], {} if causes is None else causes.entry(name, index))
                for name, scores in self.components.items()
            },
            rest=None if causes is None else causes.attribution.rest[index],
        )


@dataclass(frozen=True, kw_only=True)
class Composition:
    """The recipe's `total`, its policies for missing values, and its normalizers (objects with `shape`).

    Args:
        decomposition: each component's part of the total; without it, groups have no causes.
        centred: whether one of the normalizers takes a mean off.
        by_component: whether the first normalizer shapes each component of the total by itself.
    """

    expression: Expression
    uses: Mapping[str, ComponentUse]
    normalizers: Sequence[tuple[str, Any]] = ()
    zero_truncated: bool = False
    decomposition: Decomposition | None = None
    centred: bool = False
    by_component: bool = False

    def at(self, progress: float | None) -> "Composition":
        """Return the composition at a progress of a training; it is the same one if the total has none, or None."""
        if progress is None or self.expression.progress is None:
            return self
        expression = self.expression.at(progress)
        decomposition = None if self.decomposition is None else self.decomposition.at(expression)
        return replace(self, expression=expression, decomposition=decomposition)

    def compose(self, group: Group, components: Mapping[str, Sequence[Score]], seed: int = 0) -> ScoredGroup:
        """Return one group with totals and shaped rewards. JobError if a policy says `fail`."""
        return self._compose(group, range(len(group.completions)), components, components, seed)

    def compose_kept(
        self,
        pool: Group,
        kept: Sequence[int],
        alone: Mapping[str, Sequence[Score]],
        in_group: Mapping[str, Sequence[Score]],
        seed: int = 0,
    ) -> ScoredGroup:
        """Return the group of the G completions of a pool of P that `kept` names, in that order.

        alone: name -> P scores, of the components that score each completion by itself.
        in_group: name -> G scores, of those that see the kept completions as a group.
        Where `alone` holds every component that the total names, the whole pool has totals: stand-ins for missing
        values and normalizers go by all P, and a policy `fail` applies to all of them. Else they go by the G kept.
        """
        of_kept = {**{name: [scores[place] for place in kept] for name, scores in alone.items()}, **in_group}
        components = {name: of_kept[name] for name in self.uses}
        if set(self.expression.names) <= set(alone):
            return self._compose(pool, kept, alone, components, seed)
        group = Group(sample=pool.sample, completions=tuple(pool.completions[place] for place in kept))
        return self.compose(group, components, seed)

    def _compose(
        self,
        pool: Group,
        kept: Sequence[int],
        known: Mapping[str, Sequence[Score]],
        components: Mapping[str, Sequence[Score]],
        seed: int,
    ) -> ScoredGroup:
        """Return the kept completions as a group; known: the scores of the whole pool, which has the totals."""
        columns = self.columns(pool.sample, known)
        totals = self.totals(pool, columns)
        parts = self.parts(pool, columns, totals, seed)
        shaped = self._shaped(pool, totals if parts is None else _sums(parts, totals), kept, seed)
        own = {name: [score.value for score in components[name]] for name in self.expression.names}
        causes = self.attribution(pool, kept, columns, totals, parts, shaped, own)
        return ScoredGroup(
            sample=pool.sample,
            completions=tuple(pool.completions[place] for place in kept),
            components=components,
            totals=[totals[place] for place in kept],
            shaped=shaped,
            causes=causes,
            centred=self.centred,
            progress=self.expression.progress,
        )

    def columns(self, sample: Sample, components: Mapping[str, Sequence[Score]]) -> dict[str, list[float | None]]:
        """Return the values that the total sees: name -> a value a completion, None for zero advantage.

        A name is left out if its whole group gets zero advantage. JobError if a policy says `fail`.
        """
        columns = {name: self._column(name, components[name], sample) for name in self.expression.names}
        return {name: column for name, column in columns.items() if column is not None}

    def totals(self, group: Group, columns: Mapping[str, Sequence[float | None]]) -> list[float | None]:
        """Return the totals that `columns` make, None without one. JobError where the expression has no number."""
        totals: list[float | None] = [None] * len(group.completions)
        if len(columns) < len(self.expression.names):
            return totals
        for index, completion in enumerate(group.completions):
            values = {name: value for name, column in columns.items() if (value := column[index]) is not None}
            if self.zero_truncated and completion.truncated and completion.failure is None:
                totals[index] = 0.0
            elif len(values) == len(columns) and completion.failure is None:
                try:
                    totals[index] = self.expression.evaluate(values)
                except ArithmeticError as error:
                    raise JobError(f"reward.total on {group.sample.place(index)}: {error}") from error
        return totals

    def _column(self, name: str, scores: Sequence[Score], sample: Sample) -> list[float | None] | None:
        """Return the values that `total` sees, None for zero advantage; no list if the whole group gets that."""
        column: list[float | None] = [score.value for score in scores]
        if None not in column:
            return column
        present = [value for value in column if value is not None]
        for index, score in enumerate(scores):
            if score.value is None and not is_no_answer(score):
                column[index] = self._stand_in(name, score, present, sample.place(index))
        lost = any(v is None and not is_no_answer(s) for v, s in zip(column, scores, strict=True))
        return None if lost and not present and self.uses[name].on_missing == "group_mean" else column

    def _stand_in(self, name: str, score: Score, present: Sequence[float], place: str) -> float | None:
        """Return what `total` sees if a component has no value; None for zero advantage."""
        use = self.uses[name]
        if score.error is None:
            if use.on_abstain == "fail":
                reason = score.info.get("reason") or "it gives no reason"
                raise JobError(
                    f"component {name!r} ({use.use}) abstains on {place}: {reason}; "
                    f"set reward.components.{name}.on_abstain to a number to go on"
                )
            return float(use.on_abstain)
        if use.on_unstable is not None and use.on_unstable.then == "zero_advantage" and UNSTABLE in score.info:
            return None
        if use.on_missing == "fail":
            raise JobError(f"component {name!r} ({use.use}) failed on {place}: {score.error}")
        if use.on_missing == "group_mean":
            return mean(present) if present else None
        return None if use.on_missing == "zero_advantage" else float(use.on_missing)

    def parts(
        self, pool: Group, columns: Mapping[str, Column], totals: Column, seed: int = 0
    ) -> dict[str, list[float | None]] | None:
        """Return each component's weighted values as the first normalizer shapes them; None if none goes by component.

        A completion without a total has None, and is in no statistic; one with a total of 0 since it was cut counts 0.
        """
        if not self.by_component:
            return None
        zeroed, present = self._zeroed(pool), [place for place, total in enumerate(totals) if total is not None]
        known = Group(sample=pool.sample, completions=[pool.completions[place] for place in present])
        parts: dict[str, list[float | None]] = {}
        for name, weight in terms_of(self.expression.tree).weights.items():
            parts[name] = [None] * len(totals)
            values = [0.0 if zeroed[place] else columns[name][place] or 0.0 for place in present]
            shaped = self._called(self.normalizers[0], known, values, range(len(values)), seed) if values else ()
            for place, value in zip(present, shaped, strict=True):
                parts[name][place] = weight * value
        return parts

    def attribution(
        self,
        pool: Group,
        kept: Sequence[int],
        columns: Mapping[str, Column],
        totals: Column,
        parts: Mapping[str, Column] | None,
        shaped: Sequence[float],
        own: Mapping[str, Column],
    ) -> GroupAttribution | None:
        """Return what each component, which `own` gave the kept, contributed to them; None without a decomposition."""
        if self.decomposition is None:
            return None
        seen = ScoredTotals(
            decomposition=self.decomposition,
            columns=columns,
            totals=totals if parts is None else _sums(parts, totals),
            parts=parts,
            decided=[total is not None and not zero for total, zero in zip(totals, self._zeroed(pool), strict=True)],
            kept=kept,
            shaped=shaped,
            own=own,
            normalized=len(self.normalizers) > self.by_component,
        )
        return GroupAttribution(seen)

    def _zeroed(self, pool: Group) -> list[bool]:
        return [self.zero_truncated and completion.truncated for completion in pool.completions]

    def _shaped(self, pool: Group, totals: Sequence[float | None], kept: Sequence[int], seed: int) -> list[float]:
        """Return the shaped rewards of the kept completions; one without a total gets the mean of the others."""
        present = [place for place, total in enumerate(totals) if total is not None]
        rank = {place: index for index, place in enumerate(present)}
        chosen = [place for place in kept if place in rank]
        if not chosen:
            return [0.0] * len(kept)
        given = Group(sample=pool.sample, completions=[pool.completions[place] for place in present])
        known = [total for total in totals if total is not None]
        values = self._normalized(given, known, [rank[place] for place in chosen], seed)
        shaped = dict(zip(chosen, values, strict=True))
        others = mean(values)
        return [shaped.get(place, others) for place in kept]

    def _normalized(self, pool: Group, totals: Sequence[float], kept: Sequence[int], seed: int) -> list[float]:
        """Return the shaped totals of the kept: each normalizer but the last shapes the whole pool."""
        values, shapers = list(totals), self.normalizers[self.by_component :]
        for named in shapers[:-1]:
            values = self._called(named, pool, values, range(len(totals)), seed)
        return self._called(shapers[-1], pool, values, kept, seed) if shapers else [values[place] for place in kept]

    def _called(
        self, named: tuple[str, Any], pool: Group, values: Sequence[float], kept: Sequence[int], seed: int
    ) -> list[float]:
        """Return what a normalizer makes of the values at the places `kept`."""
        use, normalizer = named
        counts = [completion.token_count for completion in pool.completions]
        own_seed = int.from_bytes(hashlib.sha256(f"{seed}:{pool.sample.id}".encode()).digest()[:4])
        try:
            shaped = normalizer.shape(list(values), None if None in counts else counts, list(kept), own_seed)
            made = [float(value) for value in shaped]
        except PLUGIN_FAULTS as error:  # the one place where a normalizer's exceptions get their name
            raise JobError(f"normalizer {use} on {pool.sample.place()}: {one_line(error)}") from error
        if len(made) != len(kept) or not all(map(math.isfinite, made)):
            problem = f"gave {reprlib.repr(made)} for {len(kept)} values"
            raise JobError(f"normalizer {use} on {pool.sample.place()}: {problem}")
        return made


def _sums(parts: Mapping[str, Column], totals: Column) -> list[float | None]:
    """Return the sum of the parts of each completion; None without a total."""
    return [
        None if total is None else math.fsum(column[place] or 0.0 for column in parts.values())
        for place, total in enumerate(totals)
    ]
