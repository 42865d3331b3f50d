"""Win rates from pairwise comparisons, and a judge by overlap with a reference."""

from typing import Any

from rewardlab import Context, JudgeSpec, RewardSpec, hookimpl
from rewardlab.laws import JudgeExample, Laws, RewardExample

from rewardlab_pairwise.options import OverlapOptions, WinRateOptions


def _win_rate(options: WinRateOptions, context: Context) -> Any:
    from rewardlab_pairwise.win_rate import WinRate

    return WinRate(options, context.judges[options.judge])


def _calls(options: WinRateOptions, size: int) -> int:
    from rewardlab_pairwise.pairwise_reward import most_calls

    return most_calls(size, options.orders, options.opponents)


def _overlap(options: OverlapOptions, context: Context) -> Any:
    from rewardlab_pairwise.overlap import Overlap

    return Overlap(options)


def _overlap_examples() -> list[JudgeExample]:
    from rewardlab_pairwise.overlap_examples import examples_of_overlap

    return examples_of_overlap()


def _win_rate_examples() -> list[RewardExample]:
    from rewardlab_pairwise.examples import win_rate

    return win_rate()


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
            judges=("judge",),
            calls=_calls,
            runs="async",
            build=_win_rate,
            laws=Laws(examples=_win_rate_examples, pairwise=True),
        )
    ]


@hookimpl
def rewardlab_judges() -> list[JudgeSpec]:
    return [
        JudgeSpec(
            name="overlap",
            summary="prefers the answer nearer to the reference by chrF; no network, no model",
            config=OverlapOptions,
            reads="parts",
            local=True,
            build=_overlap,
            laws=Laws(examples=_overlap_examples),
        )
    ]
