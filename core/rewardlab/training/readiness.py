"""The checks that a run makes before any stage costs anything: it builds environments and tries rewards."""

from collections.abc import Callable
from dataclasses import replace

from rewardlab.plan import Plan
from rewardlab.plan.policy_judge import POLICY
from rewardlab.recipe.expression import parse
from rewardlab.recipe.models import scores
from rewardlab.scoring.scorer import Scorer
from rewardlab.workers.placement import python_of


def get_ready(plan: Plan, say: Callable[[str], None], only: int | None = None) -> None:
    """Build the environments that the plan's stages (or stage `only`) need, and try the rewards that they score with.

    Only rewards that run "async" are tried: they are cheap to build, because their models are opened in workers, and
    report here that a folder is missing. No reward is tried if a judge is the policy itself, which only the backend can
    provide. Raises UserError or JobError that names the component.
    """
    stages = {index: stage for index, stage in enumerate(plan.recipe.stages) if only in (None, index)}
    scored = any(map(scores, stages.values()))
    read = [planned for place, planned in plan.datasets.items() if place[0] != "stages" or place[1] in stages]
    for planned in [*(plan.components.values() if scored else ()), *read]:
        if planned.spec.environment is not None:
            python_of(plan, planned, say)
    if scored and all(judge.use.use != POLICY for judge in plan.judges.values()):
        _try_rewards(plan)


def _try_rewards(plan: Plan) -> None:
    """Build the rewards that are cheap to build, and close them again."""
    cheap = {name: planned for name, planned in plan.components.items() if planned.spec.runs == "async"}
    if cheap:
        total = parse(" + ".join(cheap))  # an expression that needs only these components
        Scorer(replace(plan, components=cheap, expression=total, normalizers=(), sampler=None)).close()
