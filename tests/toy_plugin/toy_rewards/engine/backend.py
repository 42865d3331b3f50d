"""The toy engine as the rest of the library sees it."""

from collections.abc import Callable, Sequence

from rewardlab.errors import Problem
from rewardlab.plan import Plan
from rewardlab.training import RunDirectory, run_stages

from toy_rewards.engine.check import check
from toy_rewards.engine.describe import describe
from toy_rewards.engine.options import Options
from toy_rewards.engine.stages import run_stage


class ToyBackend:
    """A `rewardlab.training.Backend`. An engine with heavy imports would have them in `ready` and `run` alone."""

    def __init__(self, options: Options):
        self._options = options

    def check(self, plan: Plan) -> Sequence[Problem]:
        """Return every reason why this engine cannot do what the recipe says, each with its place in the recipe."""
        return check(plan, self._options)

    def describe(self, plan: Plan, only: int | None) -> str:
        """Return what `run --dry-run` prints, of all stages or of stage `only`."""
        return describe(plan, self._options, only)

    def ready(self, plan: Plan, only: int | None) -> None:
        """Raise nothing: plain Python runs everywhere. Others look for their packages and for GPUs here."""

    def trains_here(self, plan: Plan) -> bool:
        """Return True: the rewards are scored in this process."""
        return True

    def run(self, plan: Plan, directory: RunDirectory, only: int | None, say: Callable[[str], None]) -> None:
        """Run the stages that are not done (of these only stage `only`, if given)."""
        run_stages(plan, directory, only, say, lambda index: run_stage(plan, directory, self._options, index, say))
