"""The part of a recipe that decides results: what a job that goes on must share with its first attempt."""

from collections.abc import Collection, Mapping
from typing import Any

from rewardlab.plan import Plan
from rewardlab.uses import JudgeUse, Use

HOW_ASKED = frozenset(info.alias or name for name, info in JudgeUse.model_fields.items()) - frozenset(
    info.alias or name for name, info in Use.model_fields.items()
)
"""keys of a judge that say how it is asked and not who: limits, budget, price, cassette"""


def decisive(plan: Plan) -> dict[str, Any]:
    """The recipe as written, without what may change between attempts.

    That is how a judge is asked, such as a budget that was raised, and where it is reached; and what `probe` is told.
    """
    raw = _without(plan.document.raw, ("probe",))
    judges = raw.get("judges")
    if not isinstance(judges, dict):
        return raw
    address = {name: planned.spec.address for name, planned in plan.judges.items()}
    return {**raw, "judges": {name: who(judge, address.get(name, ())) for name, judge in judges.items()}}


def who(judge: Any, address: Collection[str]) -> Any:
    """A judge as written, without how it is asked and the options (`address`) that say where it is reached."""
    named = _without(judge, HOW_ASKED)
    return {**named, "with": _without(named["with"], address)} if isinstance(named, dict) and "with" in named else named


def _without(mapping: Any, keys: Collection[str]) -> Any:
    return {k: v for k, v in mapping.items() if k not in keys} if isinstance(mapping, Mapping) else mapping
