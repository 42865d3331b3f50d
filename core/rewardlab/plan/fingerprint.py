"""The part of a recipe that decides results, which a resumed job must share with its first attempt."""

import json
from collections.abc import Collection, Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

from rewardlab.plan import Plan
from rewardlab.recipe.annotations import RecipePath
from rewardlab.recipe.use import JudgeUse, Use

HOW_ASKED = frozenset(info.alias or name for name, info in JudgeUse.model_fields.items()) - frozenset(
    ["repeats", *(info.alias or name for name, info in Use.model_fields.items())]
)
"""keys of a judge that say how it is asked, which decides no value: limits, budget, price, cassette"""
WATCH = ("on_divergence", "divergence")
"""keys of a stage that say when its training counts as diverged and what happens then"""
MISSING = ("on_missing", "max_missing")
"""keys of a component, and of a served policy, that say what happens to completions without a score"""


def decisive(plan: Plan, earlier: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the recipe as written, without the settings that may change between attempts.

    Those say how a judge is asked (a budget may be raised) and where it is reached, what counts as diverged, what
    happens to a completion without a score or if an alarm goes off, or set the options of `probe`.
    earlier: the recipe of an earlier attempt, which is returned so instead.
    """
    raw: dict[str, Any] = _without(plan.document.raw if earlier is None else earlier, ("probe", "alarms"))
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


MAX_VALUE_LENGTH = 100
_ABSENT = object()


class Difference(NamedTuple):
    """A place in a tree, with what stood there and what stands there now, as JSON or "absent"."""

    path: RecipePath
    then: str
    now: str


def differences(then: Any, now: Any, path: RecipePath = ()) -> Iterator[Difference]:
    """Yield the innermost places where two trees differ."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key in dict.fromkeys([*then, *now]):
            yield from differences(then.get(key, _ABSENT), now.get(key, _ABSENT), (*path, key))
    elif isinstance(then, list) and isinstance(now, list):
        for index, (then_item, other) in enumerate(zip_longest(then, now, fillvalue=_ABSENT)):
            yield from differences(then_item, other, (*path, index))
    elif then != now or type(then) is not type(now):
        yield Difference(path, _text(then), _text(now))


def _text(value: Any) -> str:
    text = "absent" if value is _ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_VALUE_LENGTH else text[: MAX_VALUE_LENGTH - 3] + "..."
