"""Where the processes of a component run: in which environment, on which device, with how many threads."""

from collections.abc import Callable

from rewardlab.devices import resolve
from rewardlab.environments.definition import Definition
from rewardlab.environments.managed import provide
from rewardlab.environments.record import state_of
from rewardlab.environments.wanted import environment_of
from rewardlab.plan import Plan
from rewardlab.planned import Planned
from rewardlab.specs import OwnPython
from rewardlab.uses import ComponentUse, DatasetUse
from rewardlab.workers import Opener, Workers

Say = Callable[[str], None]
TIMEOUT = 60.0
"""seconds for one question of a data step, where the recipe says nothing"""


def opener(workers: Workers, plan: Plan, planned: Planned, device: str) -> Opener:
    """The `context.workers` of a reward or a data step; builds its managed environment where it is not there yet.

    device: where the recipe says nothing. UserError or JobError: no such interpreter, or it cannot be built.
    """
    use: ComponentUse | DatasetUse = planned.use
    return workers.of(
        use=use.use,
        python=python_of(plan, planned),
        device=resolve(use.device or device),
        threads=use.threads,
        size=getattr(use, "workers", None) or 1,
        timeout=use.timeout or getattr(planned.spec, "timeout", TIMEOUT),
    )


def python_of(plan: Plan, planned: Planned, say: Say | None = None) -> str | None:
    """The interpreter of a component's own environment; None where it runs in the host's."""
    place = _place(plan, planned)
    return provide(place, say) if isinstance(place, Definition) else place


def environment_words(plan: Plan, planned: Planned) -> str:
    """Where a component of an environment of its own runs, for a plan; nothing for others."""
    place = _place(plan, planned)
    if not isinstance(place, Definition):
        return f", with {place}" if place else ""
    there = "" if state_of(place.folder) == "ready" else ", which is built before it is needed"
    return f", in the managed environment {place.folder.name}{there}"


def _place(plan: Plan, planned: Planned) -> Definition | str | None:
    """The managed environment that a component runs in, or the interpreter that the recipe names; None: the host's."""
    choice = getattr(planned.options, "environment", None)
    if isinstance(choice, OwnPython):
        return choice.python
    if planned.spec.environment is None:
        return None
    return environment_of(plan.plugins[planned.use.use.partition("/")[0]], planned.spec)
