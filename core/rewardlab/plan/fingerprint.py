"""The part of a recipe that decides results, which a resumed job must share with its first attempt."""

from collections.abc import Collection, Mapping
from typing import Any

from rewardlab.plan import Plan
from rewardlab.recipe.use import JudgeUse, Use

HOW_ASKED = frozenset(info.alias or name for name, info in JudgeUse.model_fields.items()) - frozenset(
    info.alias or name for name, info in Use.model_fields.items()
)
"""keys of a judge that say how it is asked and not who: limits, budget, price, cassette"""
WATCH = ("on_divergence", "divergence")
"""keys of a stage that say when its training counts as diverged and what happens then"""
MISSING = ("on_missing", "max_missing")
"""keys of a component, and of a served policy, that say what happens to completions without a score"""


def decisive(plan: Plan, earlier: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the recipe as written, without the settings that may change between attempts.

    Those say how a judge is asked (a budget may be raised) and where it is reached, what counts as diverged, what
    happens to a completion without a score, or set the options of `probe`.
    earlier: the recipe of an earlier attempt, which is returned so instead.
    """
    raw: dict[str, Any] = _without(plan.document.raw if earlier is None else earlier, ("probe",))
    if isinstance(stages := raw.get("stages"), list):
        raw |= {"stages": [_without_in(_without(stage, WATCH), "policy", MISSING) for stage in stages]}
    reward = raw.get("reward")
    if isinstance(reward, Mapping) and isinstance(components := reward.get("components"), Mapping):
        kept = {name: _without(component, MISSING) for name, component in components.items()}
        raw |= {"reward": {**reward, "components": kept}}
    judges = raw.get("judges")
    if not isinstance(judges, dict):
        return raw
    address = {name: planned.spec.address for name, planned in plan.judges.items()}
    return {**raw, "judges": {name: who(judge, address.get(name, ())) for name, judge in judges.items()}}


def who(judge: Any, address: Collection[str]) -> Any:
    """Return a judge as written, without the keys that say how it is asked or (`address`) where it is reached."""
    named = _without(judge, HOW_ASKED)
    return {**named, "with": _without(named["with"], address)} if isinstance(named, dict) and "with" in named else named


def _without_in(mapping: Any, key: str, keys: Collection[str]) -> Any:
    inside = isinstance(mapping, Mapping) and key in mapping
    return {**mapping, key: _without(mapping[key], keys)} if inside else mapping


def _without(mapping: Any, keys: Collection[str]) -> Any:
    return {k: v for k, v in mapping.items() if k not in keys} if isinstance(mapping, Mapping) else mapping
