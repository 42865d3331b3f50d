"""Where the processes of a component run: in which environment, on which device, with how many threads."""

from collections.abc import Callable, Iterator
from pathlib import Path

from rewardlab.devices import resolve
from rewardlab.environments import interpreter
from rewardlab.plan import Plan
from rewardlab.planned import Planned
from rewardlab.specs import OwnPython
from rewardlab.uses import ComponentUse
from rewardlab.workers import Opener, Workers

Say = Callable[[str], None]


def opener(workers: Workers, plan: Plan, planned: Planned, device: str) -> Opener:
    """The `context.workers` of a reward or a data step; builds its managed environment where it is not there yet.

    device: where the recipe says nothing. UserError or JobError: no such interpreter, or it cannot be built.
    """
    use, spec = planned.use, planned.spec
    ours = use if isinstance(use, ComponentUse) else None
    return workers.of(
        use=use.use,
        python=python_of(plan, planned),
        device=resolve((ours and ours.device) or device),
        threads=ours.threads if ours else 1,
        size=(ours and ours.workers) or 1,
        timeout=(ours and ours.timeout) or getattr(spec, "timeout", 60.0),
    )


def python_of(plan: Plan, planned: Planned, say: Say | None = None) -> str | None:
    """The interpreter of a component's own environment; None where it runs in the host's."""
    choice = getattr(planned.options, "environment", None)
    if isinstance(choice, OwnPython):
        return choice.python
    if getattr(planned.spec, "environment", None) is None:
        return None
    plugin = plan.plugins[planned.use.use.partition("/")[0]]
    # a reward that runs there itself, and not through a file that it opens, needs this library and its plugin
    installed = ("rewardlab", plugin.distribution) if getattr(planned.spec, "runs", None) == "worker" else ()
    requirements = (plugin.home or Path()) / planned.spec.environment
    return interpreter(requirements, name=plugin.name, say=say, distributions=installed)


def prepare(plan: Plan, say: Say, only: int | None = None) -> None:
    """Build the environments that the plan's stages (or stage `only`) need, before anything else takes time."""
    for planned in _needed(plan, only):
        if planned.spec.environment is not None:
            python_of(plan, planned, say)


def _needed(plan: Plan, only: int | None) -> Iterator[Planned]:
    stages = {index: stage for index, stage in enumerate(plan.recipe.stages) if only in (None, index)}
    if any(stage.use in ("rl", "eval") for stage in stages.values()):
        yield from plan.components.values()
    yield from (planned for place, planned in plan.datasets.items() if place[:1] != ("stages",) or place[1] in stages)
