"""Scoring each row's honest and degenerate completions in groups, by the recipe's own reward.

The honest one is in each group. They are groups so that rewards of group scope compare them with one another as they
would a policy's completions: a win rate is the share of the row's other completions, degenerate ones too, that a
completion beats. The comparison is by totals and not by shaped rewards, which order a group as totals do but cannot be
compared between groups.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rewardlab import Group, Sample, Score, redact
from rewardlab.plan import Component, Plan
from rewardlab.recipe import Family
from rewardlab.scoring import InputRow, ScoredGroup, Scorer, scored_in_order

from rewardlab_probe.attempts.degenerate import Attempt, ProbeRow

GROUP_SIZE = 23
"""Completions of a group: beside many more an honest one would lose its place in what compares them."""


@dataclass(frozen=True, kw_only=True)
class CompletionResult:
    """The rewards of one completion.

    Args:
        total: None if it has none; `why` then says the reason.
        fatal: by the recipe the missing value would end a run.
        values: component -> its value.
        instead: component of the total -> the total if this component had the value that it gave the honest
            completion; None if that is not a number.
        unpaid: component of the total -> the total if this component gave the least that it can; likewise.
    """

    total: float | None
    values: Mapping[str, float | None]
    why: str = ""
    fatal: bool = False
    instead: Mapping[str, float | None] = field(default_factory=dict)
    unpaid: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class MeasuredRow:
    """A row with the rewards of a group of its completions.

    Args:
        lost: component of the total -> why it has no value for the honest completion, even if the recipe has a
            substitute for a missing one. honest.total is None then and the row counts nowhere: with a judge that is
            down all completions would be equal.
        first: whether it is the row's first group.
        degenerate: (family, variant) -> rewards.
    """

    sample: Sample
    honest: CompletionResult
    lost: Mapping[str, str] = field(default_factory=dict)
    first: bool = True
    degenerate: Mapping[tuple[Family, str], CompletionResult]
    absent: Mapping[Family, str]


def probing_plan(plan: Plan) -> Plan:
    """Return the plan without normalizers, in which a missing value leaves a gap instead of ending the job.

    Values that the recipe substitutes for missing ones are substituted here, too.
    """
    assert plan.recipe.reward is not None
    components = {name: _going_on(planned) for name, planned in plan.components.items()}
    uses = {name: planned.use for name, planned in components.items()}
    reward = plan.recipe.reward.model_copy(update={"components": uses})
    recipe = plan.recipe.model_copy(update={"reward": reward})
    return replace(plan, recipe=recipe, components=components, normalizers=())


def _going_on(planned: Component) -> Component:
    policies: dict[str, Any] = {}
    if planned.use.on_missing == "fail":
        policies["on_missing"] = "zero_advantage"
    if planned.use.on_abstain == "fail":
        policies["on_abstain"] = float(planned.spec.range[0])  # any value: `_result` does not count it
    return replace(planned, use=planned.use.model_copy(update=policies))


@dataclass(frozen=True, kw_only=True)
class ProbeGroup:
    """A row's honest completion and some of its degenerate ones. first: whether it is the row's first group."""

    probe: ProbeRow
    attempts: Sequence[Attempt]
    first: bool

    @property
    def texts(self) -> list[str]:
        """The texts of the group without repetitions, the honest one first; families may share a text."""
        return list(dict.fromkeys([self.probe.row.honest, *(attempt.text for attempt in self.attempts)]))

    def input_row(self) -> InputRow:
        """Return the group as a row to score."""
        row = self.probe.row
        group = Group(sample=row.sample, completions=tuple(map(row.completion, self.texts)))
        return InputRow(given_id=row.sample.id, group=group)


def probe_groups(probes: Sequence[ProbeRow], thorough: int) -> Iterator[ProbeGroup]:
    """Yield the groups of the rows: all that the first `thorough` rows have, and one group of each other row."""
    for place, probe in enumerate(probes):
        attempts = probe.attempts
        every = [attempts[start : start + GROUP_SIZE - 1] for start in range(0, len(attempts), GROUP_SIZE - 1)]
        for number, batch in enumerate(every if place < thorough else every[:1]):
            yield ProbeGroup(probe=probe, attempts=batch, first=number == 0)


def measure_groups(plan: Plan, scorer: Scorer, groups: Iterable[ProbeGroup]) -> Iterator[MeasuredRow]:
    """Yield each group with its rewards, in order. `plan` is the recipe's own, `scorer` that of its `probing_plan`."""
    waiting: list[ProbeGroup] = []

    def rows() -> Iterator[InputRow]:
        for probe_group in groups:
            waiting.append(probe_group)
            yield probe_group.input_row()

    for _, scored in scored_in_order(scorer, rows()):
        yield _measured(plan, scorer, waiting.pop(0), scored)


def _measured(plan: Plan, scorer: Scorer, asked: ProbeGroup, scored: ScoredGroup) -> MeasuredRow:
    names = plan.expression.names if plan.expression else ()
    places = {text: place for place, text in enumerate(asked.texts)}
    group = Group(sample=scored.sample, completions=scored.completions)
    instead = {name: _with(scorer, group, scored.components, name, scored.components[name][0]) for name in names}
    least = {name: Score(value=float(plan.components[name].spec.range[0])) for name in names}
    unpaid = {name: _with(scorer, group, scored.components, name, least[name]) for name in names}
    results = [_result(plan, scored, place, instead, unpaid) for place in range(len(places))]
    lost = {name: why for name in names if (why := _lost(plan, name, scored.components[name][0]))}
    return MeasuredRow(
        sample=scored.sample,
        honest=replace(results[0], total=None, why="; ".join(lost.values())) if lost else results[0],
        lost=lost,
        first=asked.first,
        degenerate={(attempt.family, attempt.variant): results[places[attempt.text]] for attempt in asked.attempts},
        absent=asked.probe.absent,
    )


def _with(scorer: Scorer, group: Group, components: Mapping[str, Any], name: str, score: Score) -> list[float | None]:
    """Return the totals (G,) if one component gave every completion this score."""
    same = [score] * len(group.completions)
    return list(scorer.composition.compose(group, {**components, name: same}).totals)


Totals = Mapping[str, list[float | None]]
"""component -> totals (G,)"""


def _result(plan: Plan, scored: ScoredGroup, place: int, instead: Totals, unpaid: Totals) -> CompletionResult:
    scores = {name: column[place] for name, column in scored.components.items()}
    missing = [why for name in instead if (why := _missing(plan, name, scores[name]))]
    total = None if missing else scored.totals[place]
    return CompletionResult(
        total=total,
        values={name: score.value for name, score in scores.items()},
        why="; ".join(missing) or ("" if total is not None else "the recipe leaves it out of its group"),
        fatal=bool(missing),
        instead={name: totals[place] for name, totals in instead.items()},
        unpaid={name: totals[place] for name, totals in unpaid.items()},
    )


def _missing(plan: Plan, name: str, score: Score) -> str | None:
    """Return why this score would end a run; None if it would not."""
    use = plan.components[name].use
    if score.value is not None or (use.on_missing if score.error else use.on_abstain) != "fail":
        return None
    if score.error:
        return f"{name} fails: {redact(score.error)}"
    return f"{name} abstains: {score.info.get('reason') or 'it gives no reason'}"


def _lost(plan: Plan, name: str, score: Score) -> str | None:
    """Return why a component has no value for an honest completion; None if it has one, or may abstain."""
    if score.value is None and score.error:
        return f"{name} fails: {redact(score.error)}"
    return _missing(plan, name, score)
