"""The backend of a recipe whose stages need no engine, where the one that it names is not installed."""

from collections.abc import Callable, Sequence

from rewardlab.errors import JobError, Problem
from rewardlab.plan import Plan
from rewardlab.recipe.models import DataStage
from rewardlab.training.costs import data_costs, describe_evaluation
from rewardlab.training.dry_run import total_lines
from rewardlab.training.run_directory import RunDirectory
from rewardlab.training.stages import run_stages


class NoEngine:
    """A `Backend` that trains nothing: data stages and evaluations of served policies run without an engine."""

    def check(self, plan: Plan) -> Sequence[Problem]:
        """Return nothing: a stage that needs an engine is refused where the recipe is planned."""
        return []

    def describe(self, plan: Plan, only: int | None) -> str:
        """Return what the stages, or stage `only`, write or ask."""
        lines = ["no engine", *total_lines(plan)]
        for index, stage in enumerate(plan.recipe.stages):
            if only in (None, index):
                is_data = isinstance(stage, DataStage)
                about = data_costs(plan, ("stages", index, "dataset")) if is_data else describe_evaluation(plan, index)
                lines += [f"stage {index}: {stage.use}", *(f"  {line}" for line in about)]
        return "\n".join(lines)

    def ready(self, plan: Plan, only: int | None) -> None:
        """Raise nothing: there is no engine that this machine could lack."""

    def trains_here(self, plan: Plan) -> bool:
        """Return True: rewards are scored in this process."""
        return True

    def run(self, plan: Plan, directory: RunDirectory, only: int | None, say: Callable[[str], None]) -> None:
        """Run the stages that are not done (of these only stage `only`, if given)."""
        run_stages(plan, directory, only, say, self._refuse)

    def _refuse(self, index: int) -> None:
        raise JobError(f"stage {index} needs an engine, and none is installed")
