"""TRL as the rest of the library sees an engine. Nothing here imports it before `ready`."""

from collections.abc import Iterable
from contextlib import AbstractContextManager

from rewardlab.plan import Plan
from rewardlab.recipe import Finding
from rewardlab_training import OPTIONAL, Capabilities, Policy, StageJob

from rewardlab_trl.check import findings
from rewardlab_trl.rl_arguments import PAPER_LOSS


class TrlBackend:
    """The `rewardlab_training.PolicyBackend` of this plugin."""

    capabilities = Capabilities(
        stages=("sft", "dpo", "rl", "eval"),
        algorithms=tuple(PAPER_LOSS),
        settings=frozenset(OPTIONAL),
        flat_groups=("keep", "drop"),
    )

    def findings(self, plan: Plan) -> Iterable[Finding]:
        """Yield every reason why TRL cannot do what the recipe says."""
        return findings(plan)

    def headline(self, plan: Plan) -> str:
        """Return where TRL runs, and with which adapters."""
        from rewardlab_trl.describe import headline

        return headline(plan)

    def describe_stage(self, plan: Plan, index: int) -> Iterable[str]:
        """Yield the settings that TRL gets for a stage."""
        from rewardlab_trl.describe import describe_stage

        return describe_stage(plan, index)

    def ready(self, plan: Plan, only: int | None) -> None:
        """Raise UserError if this machine lacks a package of the engine, or the recipe's device."""
        from rewardlab_trl.ready import refuse_unfit_machine

        refuse_unfit_machine(plan)

    def trains_here(self, plan: Plan) -> bool:
        """Return True: TRL trains in this process."""
        return True

    def load_policy(self, job: StageJob, source: str | None) -> AbstractContextManager[Policy]:
        """Load the causal language model in the folder or hub repository `source`."""
        from rewardlab_trl.policy import open_policy

        assert source is not None  # a tiny model is built by the host
        return open_policy(job, source)


def backend(_options: object) -> TrlBackend:
    """Return the backend, which asks the plan for its options."""
    return TrlBackend()
