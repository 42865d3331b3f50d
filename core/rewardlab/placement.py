"""Where the processes of a component run: in which environment, on which device, with how many threads."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rewardlab.devices import resolve
from rewardlab.environments.definition import Definition
from rewardlab.environments.managed import provide
from rewardlab.environments.record import state_of
from rewardlab.environments.wanted import environment_of
from rewardlab.planned import Planned
from rewardlab.registry import Plugin
from rewardlab.specs import Config, OwnPython
from rewardlab.uses import ComponentUse, DatasetUse
from rewardlab.workers import Opener, Workers

if TYPE_CHECKING:
    from rewardlab.plan import Plan

Say = Callable[[str], None]
TIMEOUT = 60.0
"""seconds for one question of a data step, where the recipe says nothing"""


def opener(workers: Workers, plan: "Plan", planned: Planned, device: str) -> Opener:
    """The `context.workers` of a reward or a data step; builds its managed environment where it is not there yet.

    device: where the recipe says nothing. UserError or JobError: no such interpreter, or it cannot be built.
    """
    use: ComponentUse | DatasetUse = planned.use
    own: float = getattr(planned.spec, "timeout", TIMEOUT)
    return workers.of(
        use=use.use,
        python=python_of(plan, planned),
        device=resolve(use.device or device),
        threads=use.threads,
        size=getattr(use, "workers", None) or 1,
        timeout=use.timeout or own,
    )


def python_of(plan: "Plan", planned: Planned, say: Say | None = None) -> str | None:
    """The interpreter of a component's own environment; None where it runs in the host's."""
    return _provided(_place(plan, planned), say)


def interpreter_of(spec: Any, options: Config, plugin: Plugin | None) -> str | None:
    """The same without a plan. LookupError where an environment is asked for and no plugin packages it."""
    return _provided(_place_of(spec, options, plugin), None)


def environment_words(plan: "Plan", planned: Planned) -> str:
    """Where a component of an environment of its own runs, for a plan; nothing for others."""
    place = _place(plan, planned)
    if not isinstance(place, Definition):
        return f", with {place}" if place else ""
    there = "" if state_of(place.folder) == "ready" else ", which is built before it is needed"
    return f", in the managed environment {place.folder.name}{there}"


def _place(plan: "Plan", planned: Planned) -> Definition | str | None:
    return _place_of(planned.spec, planned.options, plan.plugins.get(planned.use.use.partition("/")[0]))


def _place_of(spec: Any, options: Config, plugin: Plugin | None) -> Definition | str | None:
    """The managed environment that a component runs in, or the interpreter that the options name; None: the host's."""
    choice = getattr(options, "environment", None)
    if isinstance(choice, OwnPython):
        return choice.python
    if getattr(spec, "environment", None) is None:
        return None
    if plugin is None:
        raise LookupError(f"no plugin packages the environment of {spec.name}")
    return environment_of(plugin, spec)


def _provided(place: Definition | str | None, say: Say | None) -> str | None:
    return provide(place, say) if isinstance(place, Definition) else place
