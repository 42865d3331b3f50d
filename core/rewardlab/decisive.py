"""The part of a recipe that decides results: what a job that goes on must share with its first attempt."""

from collections.abc import Mapping
from typing import Any

from rewardlab.uses import JudgeUse, Use

HOW_ASKED = frozenset(info.alias or name for name, info in JudgeUse.model_fields.items()) - frozenset(
    info.alias or name for name, info in Use.model_fields.items()
)
"""keys of a judge that say how it is asked and not who: limits, budget, price, cassette"""


def decisive(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The recipe as written, without what may change between attempts, such as a budget that was raised."""
    judges = raw.get("judges")
    if not isinstance(judges, dict):
        return dict(raw)
    return {**raw, "judges": {name: _who(judge) for name, judge in judges.items()}}


def _who(judge: Any) -> Any:
    return {k: v for k, v in judge.items() if k not in HOW_ASKED} if isinstance(judge, dict) else judge
