"""The toy engine as the rest of the library sees it."""

from collections.abc import Iterable

from rewardlab.plan import Plan
from rewardlab.recipe import Finding
from rewardlab_training import Capabilities, StageJob

from toy_rewards.engine.check import findings
from toy_rewards.engine.describe import describe_stage
from toy_rewards.engine.options import Options
from toy_rewards.engine.policy import ToyPolicy, load_policy


class ToyBackend:
    """A `rewardlab_training.PolicyBackend`. Heavy imports would be in `ready` and `load_policy` alone."""

    capabilities = Capabilities(
        stages=("rl", "eval"),
        algorithms=("dr_grpo", "grpo"),
        flat_groups=("keep", "drop"),
        transformers_models=False,
    )

    def __init__(self, options: Options):
        self._options = options

    def findings(self, plan: Plan) -> Iterable[Finding]:
        """Yield every reason why this engine cannot do what the recipe says, each with its place in the recipe."""
        return findings(plan, self._options)

    def headline(self, plan: Plan) -> str:
        """Return the end of the first line of `run --dry-run`."""
        return f"in this process: a policy over {len(self._options.answers)} answers"

    def describe_stage(self, plan: Plan, index: int) -> Iterable[str]:
        """Yield what `run --dry-run` prints of a stage that trains."""
        return describe_stage(plan, self._options, index)

    def ready(self, plan: Plan, only: int | None) -> None:
        """Raise nothing: plain Python runs everywhere. Others look for their packages and for GPUs here."""

    def trains_here(self, plan: Plan) -> bool:
        """Return True: the rewards are scored in this process."""
        return True

    def load_policy(self, job: StageJob, source: str | None) -> ToyPolicy:
        """Return the policy that a stage starts from."""
        return load_policy(self._options, source)
