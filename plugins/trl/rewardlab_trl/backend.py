"""TRL as the rest of the library sees an engine. Nothing here imports it before `ready`."""

from collections.abc import Callable, Sequence

from rewardlab.errors import Problem
from rewardlab.plan import Plan
from rewardlab.recipe import needs_engine
from rewardlab.training import RunDirectory, hub_warnings, refuse_missing_models

from rewardlab_trl.check import check


class TrlBackend:
    """The `rewardlab.training.Backend` of this plugin."""

    def check(self, plan: Plan) -> Sequence[Problem]:
        """Return every reason why TRL cannot do what the recipe says."""
        return check(plan)

    def warnings(self, plan: Plan) -> Sequence[Problem]:
        """Return which models are not on this machine."""
        return hub_warnings(plan)

    def describe(self, plan: Plan, only: int | None) -> str:
        """Return what TRL will be told, of all stages or of stage `only`."""
        from rewardlab_trl.describe import describe

        return describe(plan, only)

    def ready(self, plan: Plan, only: int | None) -> None:
        """Raise UserError where this machine lacks a package of the engine, the recipe's device, or its model."""
        stages = [stage for index, stage in enumerate(plan.recipe.stages) if only in (None, index)]
        if not any(map(needs_engine, stages)):
            return
        from rewardlab_trl.ready import refuse_unfit_machine

        refuse_unfit_machine(plan)
        refuse_missing_models(plan, only)

    def trains_here(self, plan: Plan) -> bool:
        """Return True: TRL trains in this process."""
        return True

    def run(self, plan: Plan, directory: RunDirectory, only: int | None, say: Callable[[str], None]) -> None:
        """Run the stages that are not done (of these only stage `only`, if given)."""
        from rewardlab_trl.run import run

        run(plan, directory, only, say)


def backend(_options: object) -> TrlBackend:
    """Return the backend, which asks the plan for its options."""
    return TrlBackend()
