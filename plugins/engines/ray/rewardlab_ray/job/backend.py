"""An engine on Ray as the rest of the library sees it."""

from collections.abc import Iterable, Iterator

from rewardlab.errors import UserError
from rewardlab.judging import Share
from rewardlab.plan import Plan
from rewardlab.recipe import Finding, needs_engine
from rewardlab_training import StageJob, scores

from rewardlab_ray.job.cluster_job import cluster_address
from rewardlab_ray.job.engine import RayEngine, installed_version
from rewardlab_ray.job.planned_stage import headline
from rewardlab_ray.job.stage_run import check_ready, run_stage
from rewardlab_ray.job_options import job_options


class RayBackend:
    """The `rewardlab_training.Backend` of an engine."""

    def __init__(self, engine: RayEngine) -> None:
        self._engine = engine
        self.capabilities = engine.capabilities

    def findings(self, plan: Plan) -> Iterable[Finding]:
        """Yield every reason why the engine cannot do what the recipe says."""
        yield from self._engine.findings(plan)
        for where, problem in job_options(plan).lacking():
            if where[-1] != "tensorboard":  # the engine writes its own events, and may do so elsewhere
                yield where, problem
        yield from _judges_findings(plan)

    def headline(self, plan: Plan) -> str:
        """Return which version would run, and where."""
        return headline(plan, self._engine.wheel, installed_version(self._engine.distribution))

    def describe_stage(self, plan: Plan, index: int) -> Iterable[str]:
        """Yield the exact command and the GPUs of a stage."""
        return self._engine.describe_stage(plan, index)

    def ready(self, plan: Plan, only: int | None) -> None:
        """Raise UserError if neither this machine nor the recipe's cluster can start what is to be trained."""
        check_ready(self._engine, plan, only)

    def trains_here(self, plan: Plan) -> bool:
        """Return whether no Ray cluster is named, by the recipe or by RAY_ADDRESS."""
        return cluster_address(plan) is None

    def run_stage(self, job: StageJob) -> None:
        """Train, on this machine or on the cluster."""
        run_stage(self._engine, job)


def _judges_findings(plan: Plan) -> Iterator[Finding]:
    """Yield judges with a limit that is too small to be divided between the scorers."""
    if not any(scores(stage) and needs_engine(stage) for stage in plan.recipe.stages):
        return
    share = Share(1, job_options(plan).scorers.replicas)
    for name, judge in plan.judges.items():
        if judge.spec.local:
            continue
        try:
            share.limits(name, judge.use)
        except UserError as error:
            yield ("judges", name), str(error)
