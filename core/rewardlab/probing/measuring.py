"""Scoring each row's honest and degenerate completions as one group, by the recipe's own reward.

One group, so that rewards of group scope compare them with one another as they would a policy's: a win rate is
the share of all others of the row, degenerate ones too, that a completion beats. Totals are compared and not shaped
rewards, which order one group as totals do and say nothing between groups.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rewardlab.composition import ScoredGroup
from rewardlab.plan import Plan
from rewardlab.planned import Planned
from rewardlab.probing.degenerate import Probe
from rewardlab.probing.families import Family
from rewardlab.redaction import redact
from rewardlab.scorefile.rows import Row
from rewardlab.scorefile.window import scored_in_order
from rewardlab.scoring import Scorer
from rewardlab.types import Group, Sample, Score


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a completion got.

    total: None where it has none; `why` then says so. fatal: the recipe lets what is missing end a run.
    values: component -> what it said. instead: component of the total -> the total if this one had said what it
    said of the honest completion; None where that is no number.
    """

    total: float | None
    values: Mapping[str, float | None]
    why: str = ""
    fatal: bool = False
    instead: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A row with what its completions got.

    lost: component of the total -> why it says nothing of the honest completion, whatever the recipe lets stand in for
    that; honest.total is None then, and the row says nothing: with a judge that is down all would be equal.
    """

    sample: Sample
    honest: Outcome
    lost: Mapping[str, str] = field(default_factory=dict)
    degenerate: Mapping[Family, Outcome]
    absent: Mapping[Family, str]


def probing_plan(plan: Plan) -> Plan:
    """The plan without normalizers, and where a missing value leaves a gap instead of ending the job.

    Whatever the recipe lets stand in for a missing value stands in here, too.
    """
    assert plan.recipe.reward is not None
    components = {name: _going_on(planned) for name, planned in plan.components.items()}
    uses = {name: planned.use for name, planned in components.items()}
    reward = plan.recipe.reward.model_copy(update={"components": uses})
    recipe = plan.recipe.model_copy(update={"reward": reward})
    return replace(plan, recipe=recipe, components=components, normalizers=())


def _going_on(planned: Planned) -> Planned:
    policies: dict[str, Any] = {}
    if planned.use.on_missing == "fail":
        policies["on_missing"] = "zero_advantage"
    if planned.use.on_abstain == "fail":
        policies["on_abstain"] = float(planned.spec.range[0])  # any value: `_outcome` does not count it
    return replace(planned, use=planned.use.model_copy(update=policies))


def measured(plan: Plan, scorer: Scorer, probes: Iterable[Probe]) -> Iterator[Measured]:
    """What the completions of each probe got, in order. `plan` is the recipe's own, `scorer` of its `probing_plan`."""
    waiting: list[Probe] = []

    def rows() -> Iterator[Row]:
        for probe in probes:
            waiting.append(probe)
            group = Group(sample=probe.row.sample, completions=tuple(map(probe.row.completion, distinct(probe))))
            yield Row(given_id=probe.row.sample.id, group=group)

    for _, scored in scored_in_order(scorer, rows()):
        yield _measured(plan, scorer, waiting.pop(0), scored)


def distinct(probe: Probe) -> list[str]:
    """The texts of a row's group, the honest one first, none twice: a text that stands for two families is one."""
    return list(dict.fromkeys([probe.row.honest, *probe.texts.values()]))


def _measured(plan: Plan, scorer: Scorer, probe: Probe, scored: ScoredGroup) -> Measured:
    names = plan.expression.names if plan.expression else ()
    places = {text: place for place, text in enumerate(distinct(probe))}
    group = Group(sample=scored.sample, completions=scored.completions)
    instead = {name: _with_honest(scorer, group, scored.components, name) for name in names}
    outcomes = [_outcome(plan, scored, place, instead) for place in range(len(places))]
    lost = {name: why for name in names if (why := _lost(plan, name, scored.components[name][0]))}
    return Measured(
        sample=scored.sample,
        honest=replace(outcomes[0], total=None, why="; ".join(lost.values())) if lost else outcomes[0],
        lost=lost,
        degenerate={family: outcomes[places[text]] for family, text in probe.texts.items()},
        absent=probe.absent,
    )


def _with_honest(scorer: Scorer, group: Group, components: Mapping[str, Any], name: str) -> list[float | None]:
    """The totals if one component said of every completion what it says of the honest one."""
    same = [components[name][0]] * len(group.completions)
    return list(scorer.composition.compose(group, {**components, name: same}).total)


def _outcome(plan: Plan, scored: ScoredGroup, place: int, instead: Mapping[str, list[float | None]]) -> Outcome:
    scores = {name: column[place] for name, column in scored.components.items()}
    missing = [why for name in instead if (why := _missing(plan, name, scores[name]))]
    total = None if missing else scored.total[place]
    return Outcome(
        total=total,
        values={name: score.value for name, score in scores.items()},
        why="; ".join(missing) or ("" if total is not None else "the recipe leaves it out of its group"),
        fatal=bool(missing),
        instead={name: totals[place] for name, totals in instead.items()},
    )


def _missing(plan: Plan, name: str, score: Score) -> str | None:
    """Why this score would end a run."""
    use = plan.components[name].use
    if score.value is not None or (use.on_missing if score.error else use.on_abstain) != "fail":
        return None
    if score.error:
        return f"{name} fails: {redact(score.error)}"
    return f"{name} abstains: {score.info.get('reason') or 'it gives no reason'}"


def _lost(plan: Plan, name: str, score: Score) -> str | None:
    """Why this score of an honest completion says nothing; an abstention that the recipe provides for says enough."""
    if score.value is None and score.error:
        return f"{name} fails: {redact(score.error)}"
    return _missing(plan, name, score)
