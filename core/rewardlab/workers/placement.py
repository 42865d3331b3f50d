"""Placement of a component's processes: their environment, their device and their threads."""

from typing import TYPE_CHECKING, Any

from rewardlab.plan.component import Component
from rewardlab.recipe.use import ComponentUse, DatasetUse
from rewardlab.registry.loading import Plugin
from rewardlab.specs import Config, OwnPython
from rewardlab.workers.devices import resolve_device
from rewardlab.workers.environments import EnvironmentDefinition, Say, environment_of, managed
from rewardlab.workers.shared import Opener, Workers

if TYPE_CHECKING:
    from rewardlab.plan import Plan

TIMEOUT = 60.0
"""Seconds for one question of a data step, if the recipe says nothing."""


def opener(workers: Workers, plan: "Plan", planned: Component, device: str) -> Opener:
    """Return the `context.workers` of a reward or a data step; build its managed environment if it is missing.

    Args:
        device: used if the recipe names none. UserError or JobError: there is no such interpreter, or it cannot be
            built.
    """
    use: ComponentUse | DatasetUse = planned.use
    own: float = getattr(planned.spec, "timeout", TIMEOUT)
    return workers.of(
        use=use.use,
        python=python_of(plan, planned),
        device=resolve_device(use.device or device),
        threads=use.threads,
        size=getattr(use, "workers", None) or 1,
        timeout=use.timeout or own,
        memory=use.memory,
    )


def python_of(plan: "Plan", planned: Component, say: Say | None = None) -> str | None:
    """Return the path of the interpreter of a component's own environment; None if it runs in the host's.

    A managed environment that is missing is built first. UserError or JobError if that fails.
    """
    plugin = plan.plugins.get(planned.use.use.partition("/")[0])
    return _provided(_place_of(planned.spec, planned.options, plugin), say)


def interpreter_of(spec: Any, options: Config, plugin: Plugin | None) -> str | None:
    """Return the same as `python_of`, for a component without a plan.

    LookupError if its spec asks for an environment and no plugin packages it.
    """
    return _provided(_place_of(spec, options, plugin), None)


def _place_of(spec: Any, options: Config, plugin: Plugin | None) -> EnvironmentDefinition | str | None:
    """Return the managed environment of a component, or the interpreter that its options name; None: the host's."""
    choice = getattr(options, "environment", None)
    if isinstance(choice, OwnPython):
        return choice.python
    if getattr(spec, "environment", None) is None:
        return None
    if plugin is None:
        raise LookupError(f"no plugin packages the environment of {spec.name}")
    return environment_of(plugin, spec)


def _provided(place: EnvironmentDefinition | str | None, say: Say | None) -> str | None:
    return managed(place).provide(say) if isinstance(place, EnvironmentDefinition) else place
