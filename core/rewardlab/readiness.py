"""What a run can find out before any of its stages has cost anything: environments to build, rewards to try."""

from collections.abc import Callable
from dataclasses import replace

from rewardlab.cross_checks import POLICY
from rewardlab.expression import parse
from rewardlab.placement import python_of
from rewardlab.plan import Plan
from rewardlab.scoring import Scorer


def get_ready(plan: Plan, say: Callable[[str], None], only: int | None = None) -> None:
    """Build the environments that the plan's stages (or stage `only`) need, and try the rewards that they score by.

    Rewards that open their models in workers are cheap to build, and say here that a folder is missing; a UserError or
    JobError names the component. None is tried where the backend puts a judge in.
    """
    stages = {index: stage for index, stage in enumerate(plan.recipe.stages) if only in (None, index)}
    scores = any(stage.use in ("rl", "eval") for stage in stages.values())
    read = [planned for place, planned in plan.datasets.items() if place[0] != "stages" or place[1] in stages]
    for planned in [*(plan.components.values() if scores else ()), *read]:
        if planned.spec.environment is not None:
            python_of(plan, planned, say)
    if scores and all(judge.use.use != POLICY for judge in plan.judges.values()):
        _try(plan)


def _try(plan: Plan) -> None:
    cheap = {name: planned for name, planned in plan.components.items() if planned.spec.runs == "async"}
    if cheap:
        total = parse(" + ".join(cheap))  # one that these components make
        Scorer(replace(plan, components=cheap, expression=total, normalizers=(), curriculum=None)).close()
