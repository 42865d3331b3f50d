"""Judges and components that two recipes declare alike, so that one of each serves both."""

from collections.abc import Collection
from typing import Any

from rewardlab.plan import Component, Plan

POLICIES = ("on_missing", "on_abstain", "max_missing")
"""settings of a component that decide what happens to its scores, not what they are"""


def differing(component: Component, other: Component, besides: Collection[str] = ()) -> list[str]:
    """Return the names of the settings in which two judges or components differ, except those in `besides`."""
    settings, other_settings = _settings(component), _settings(other)
    return [
        name
        for name in {**settings, **other_settings}
        if name not in besides and settings.get(name) != other_settings.get(name)
    ]


def in_common(a: Plan, b: Plan) -> dict[str, str]:
    """Return {B's name: A's name} of the components that score alike in both recipes under the same seed.

    Components that ask a judge are left out: what both ask is paid once anyway, and each side counts its questions.
    """
    free = {name: planned for name, planned in a.components.items() if not planned.judges()}
    alike_names: dict[str, str] = {}
    for name, planned in b.components.items():
        alike = [a_name for a_name, other in free.items() if not differing(planned, other, POLICIES)]
        if alike:
            alike_names[name] = alike[0]
            del free[alike[0]]
    return alike_names


def _settings(planned: Component) -> dict[str, Any]:
    options = {} if planned.options is None else planned.options.model_dump()
    return planned.use.model_dump(exclude={"options"}) | {f"with.{name}": value for name, value in options.items()}
