"""verl as the rest of the library sees an engine. Nothing here imports it before `ready`."""

from collections.abc import Iterable

from rewardlab.plan import Plan
from rewardlab.recipe import Finding
from rewardlab.training import Capabilities, StageJob


class VerlBackend:
    """The `rewardlab.training.Backend` of this plugin."""

    # of "eval" it says itself what to do instead
    capabilities = Capabilities(
        stages=("sft", "rl", "eval"), algorithms=("grpo", "dr_grpo", "rloo", "reinforce_baseline", "ppo")
    )

    def findings(self, plan: Plan) -> Iterable[Finding]:
        """Yield every reason why verl cannot do what the recipe says."""
        from rewardlab_verl.check import findings

        return findings(plan)

    def headline(self, plan: Plan) -> str:
        """Return which verl would run, and the model."""
        from rewardlab_ray.planned_stage import headline

        from rewardlab_verl.engine_version import WHEEL, installed_version

        return headline(plan, WHEEL, installed_version())

    def describe_stage(self, plan: Plan, index: int) -> Iterable[str]:
        """Yield the exact command of a stage, and what is special with verl."""
        from rewardlab_verl.describe import describe_stage

        return describe_stage(plan, index)

    def ready(self, plan: Plan, only: int | None) -> None:
        """Raise UserError if neither this machine nor the recipe's cluster can start what is to be trained."""
        from rewardlab_ray.job.stage_run import check_ready

        from rewardlab_verl.job.engine import ENGINE

        check_ready(ENGINE, plan, only)

    def trains_here(self, plan: Plan) -> bool:
        """Return whether no Ray cluster is named, by the recipe or by RAY_ADDRESS."""
        from rewardlab_ray.job.cluster_job import cluster_address

        return cluster_address(plan) is None

    def run_stage(self, job: StageJob) -> None:
        """Train, on this machine or on the cluster."""
        from rewardlab_ray.job.stage_run import run_stage

        from rewardlab_verl.job.engine import ENGINE

        run_stage(ENGINE, job)


def backend(_options: object) -> VerlBackend:
    """Return the backend, which asks the plan for its options."""
    return VerlBackend()
