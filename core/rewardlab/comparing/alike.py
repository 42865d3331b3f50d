"""What two recipes declare alike, so that it is there once for both."""

from collections.abc import Collection
from typing import Any

from rewardlab.plan import Plan
from rewardlab.planned import Planned

POLICIES = ("on_missing", "on_abstain", "max_missing")
"""settings of a component that say what becomes of its scores, not what they are"""


def differing(one: Planned, other: Planned, besides: Collection[str] = ()) -> list[str]:
    """The settings by which two judges or components differ, but for those in `besides`."""
    ours, theirs = _settings(one), _settings(other)
    return [name for name in {**ours, **theirs} if name not in besides and ours.get(name) != theirs.get(name)]


def in_common(a: Plan, b: Plan) -> dict[str, str]:
    """B's components that score as one of A's does under the same seed, each with A's name for it.

    Those that ask a judge are left out: what both ask it is paid once anyway, and each side counts what it asks.
    """
    free = {name: planned for name, planned in a.components.items() if not planned.judges()}
    found: dict[str, str] = {}
    for name, planned in b.components.items():
        alike = [theirs for theirs, other in free.items() if not differing(planned, other, POLICIES)]
        if alike:
            found[name] = alike[0]
            del free[alike[0]]
    return found


def _settings(planned: Planned) -> dict[str, Any]:
    options = {} if planned.options is None else planned.options.model_dump()
    return planned.use.model_dump(exclude={"options"}) | {f"with.{name}": value for name, value in options.items()}
