"""OpenRLHF as the rest of the library sees it: an engine on Ray that also warns, and chooses checkpoints."""

from collections.abc import Iterable

from rewardlab.plan import Plan
from rewardlab.recipe import Finding
from rewardlab_ray.job.backend import RayBackend
from rewardlab_training import StageJob

from rewardlab_openrlhf.check.cautions import cautions
from rewardlab_openrlhf.job.best_model import keep_best_model
from rewardlab_openrlhf.job.engine import ENGINE
from rewardlab_openrlhf.stage_files import training_stage


class OpenrlhfBackend(RayBackend):
    """The `rewardlab_training.Backend` of this plugin."""

    def warnings(self, plan: Plan) -> Iterable[Finding]:
        """Yield what OpenRLHF can do, and the recipe's author may not mean."""
        return cautions(plan)

    def run_stage(self, job: StageJob) -> None:
        """Train, on this machine or on the cluster."""
        super().run_stage(job)
        if training_stage(job.plan, job.index).keep == "best":
            keep_best_model(job)


def backend(_options: object) -> OpenrlhfBackend:
    """Return the backend, which asks the plan for its options."""
    return OpenrlhfBackend(ENGINE)
