"""OpenRLHF as the rest of the library sees an engine. Nothing here imports it before `ready`."""

from collections.abc import Iterable

from rewardlab.plan import Plan
from rewardlab.recipe import Finding
from rewardlab.training import Capabilities, StageJob
from rewardlab_ray.stage_task import TrainingStage

from rewardlab_openrlhf.check import findings
from rewardlab_openrlhf.compile.rl import ESTIMATORS


class OpenrlhfBackend:
    """The `rewardlab.training.Backend` of this plugin."""

    # of "eval" it says itself what to do instead
    capabilities = Capabilities(stages=("sft", "dpo", "rl", "eval"), algorithms=tuple(ESTIMATORS))

    def findings(self, plan: Plan) -> Iterable[Finding]:
        """Yield every reason why OpenRLHF cannot do what the recipe says."""
        return findings(plan)

    def warnings(self, plan: Plan) -> Iterable[Finding]:
        """Yield what OpenRLHF can do, and the recipe's author may not mean."""
        from rewardlab_openrlhf.check.cautions import cautions

        return cautions(plan)

    def headline(self, plan: Plan) -> str:
        """Return which OpenRLHF would run, and where."""
        from rewardlab_ray.planned_stage import headline

        from rewardlab_openrlhf.engine_arguments import WHEEL, installed_version

        return headline(plan, WHEEL, installed_version())

    def describe_stage(self, plan: Plan, index: int) -> Iterable[str]:
        """Yield the exact command and the GPUs of a stage."""
        from rewardlab_openrlhf.dry_run.describe import describe_stage

        return describe_stage(plan, index)

    def ready(self, plan: Plan, only: int | None) -> None:
        """Raise UserError if neither this machine nor the recipe's cluster can start what is to be trained."""
        from rewardlab_ray.job.stage_run import check_ready

        from rewardlab_openrlhf.job.engine import ENGINE

        check_ready(ENGINE, plan, only)

    def trains_here(self, plan: Plan) -> bool:
        """Return whether no Ray cluster is named, by the recipe or by RAY_ADDRESS."""
        from rewardlab_ray.job.cluster_job import cluster_address

        return cluster_address(plan) is None

    def run_stage(self, job: StageJob) -> None:
        """Train, on this machine or on the cluster."""
        from rewardlab_ray.job.stage_run import run_stage

        from rewardlab_openrlhf.job.best_model import keep_best_model
        from rewardlab_openrlhf.job.engine import ENGINE

        run_stage(ENGINE, job)
        if isinstance(job.stage, TrainingStage) and job.stage.keep == "best":
            keep_best_model(job)


def backend(_options: object) -> OpenrlhfBackend:
    """Return the backend, which asks the plan for its options."""
    return OpenrlhfBackend()
