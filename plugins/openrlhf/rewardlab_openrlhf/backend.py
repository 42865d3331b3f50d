"""OpenRLHF as the rest of the library sees an engine. Nothing here imports it before `ready`."""

from collections.abc import Callable, Sequence

from rewardlab.errors import Problem
from rewardlab.plan import Plan
from rewardlab.recipe import needs_engine
from rewardlab.training import RunDirectory, hub_warnings, refuse_missing_models

from rewardlab_openrlhf.check import check


class OpenrlhfBackend:
    """The `rewardlab.training.Backend` of this plugin."""

    def check(self, plan: Plan) -> Sequence[Problem]:
        """Return every reason why OpenRLHF cannot do what the recipe says."""
        return check(plan)

    def warnings(self, plan: Plan) -> Sequence[Problem]:
        """Return what OpenRLHF can do, and the recipe's author may not mean."""
        from rewardlab_openrlhf.check.cautions import cautions

        return [*cautions(plan), *hub_warnings(plan)]

    def describe(self, plan: Plan, only: int | None) -> str:
        """Return the exact commands and GPUs, of all stages or of stage `only`."""
        from rewardlab_openrlhf.dry_run.describe import describe

        return describe(plan, only)

    def ready(self, plan: Plan, only: int | None) -> None:
        """Raise UserError where neither this machine nor the recipe's cluster can start what is to be trained."""
        stages = [stage for index, stage in enumerate(plan.recipe.stages) if only in (None, index)]
        if not any(map(needs_engine, stages)):
            return
        from rewardlab_openrlhf.job.run import check_engine

        check_engine(plan, only)
        if self.trains_here(plan):
            refuse_missing_models(plan, only)

    def trains_here(self, plan: Plan) -> bool:
        """Return whether no Ray cluster is named, by the recipe or by RAY_ADDRESS."""
        from rewardlab_openrlhf.job.run_cluster import cluster_address

        return cluster_address(plan) is None

    def run(self, plan: Plan, directory: RunDirectory, only: int | None, say: Callable[[str], None]) -> None:
        """Run the stages that are not done (of these only stage `only`, if given)."""
        from rewardlab_openrlhf.job.run import run

        run(plan, directory, only, say)


def backend(_options: object) -> OpenrlhfBackend:
    """Return the backend, which asks the plan for its options."""
    return OpenrlhfBackend()
