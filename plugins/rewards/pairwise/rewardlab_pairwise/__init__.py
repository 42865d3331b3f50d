"""Win rates from pairwise comparisons, and a judge by overlap with a reference."""

from rewardlab import JudgeSpec, RewardSpec, hookimpl
from rewardlab.laws import Laws

from rewardlab_pairwise.options import OverlapJudgeOptions, WinRateOptions


def _calls(options: WinRateOptions, size: int) -> int:
    from rewardlab_pairwise.pairwise_reward import most_calls

    return most_calls(options, size)


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        RewardSpec(
            name="win_rate",
            summary="share of the group's other answers that a judge finds worse (SP3F, equations 3 and 4)",
            config=WinRateOptions,
            scope="group",
            range=(0.0, 1.0),
            requires=lambda options: [options.privileged] if options.privileged else [],
            refuses="rewardlab_pairwise.win_rate:refusal",
            judges=("judge",),
            calls=_calls,
            refuses_size="rewardlab_pairwise.pairwise_reward:misfit",
            question="rewardlab_pairwise.win_rate:first_question",
            runs="async",
            build="rewardlab_pairwise.win_rate:WinRate",
            laws=Laws(examples="rewardlab_pairwise.examples:win_rate", pairwise=True),
        )
    ]


@hookimpl
def rewardlab_judges() -> list[JudgeSpec]:
    return [
        JudgeSpec(
            name="overlap",
            summary="prefers the answer nearer to the reference by chrF; no network, no model",
            config=OverlapJudgeOptions,
            reads="parts",
            local=True,
            build="rewardlab_pairwise.overlap:Overlap",
            laws=Laws(examples="rewardlab_pairwise.overlap_examples:examples_of_overlap"),
        )
    ]
