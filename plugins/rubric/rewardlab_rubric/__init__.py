"""Rewards by rubric, of a judge or of the policy as a judge, and the data steps by which such a judge is trained."""

from collections.abc import Sequence
from typing import Any

from rewardlab import Ask, Context, DatasetSpec, RewardSpec, hookimpl
from rewardlab.laws import Laws, RewardExample

from rewardlab_rubric.options import BinaryOptions, PairOptions, PointwiseOptions, RubricOptions, VerdictOptions


def _single(options: PointwiseOptions, context: Context) -> Any:
    from rewardlab_rubric.pointwise import RubricScore

    return RubricScore(options, context.judges[options.judge])


def _pair(options: PairOptions, context: Context) -> Any:
    from rewardlab_rubric.pairwise import RubricWinRate

    return RubricWinRate(options, context.judges[options.judge])


def _verdict(options: VerdictOptions, context: Context) -> Any:
    from rewardlab_rubric.verdict import Verdict

    return Verdict(options)


def _most_calls(options: PairOptions, size: int) -> int:
    from rewardlab_pairwise.pairwise_reward import most_calls

    return most_calls(size, options.orders, options.opponents)


def _fields(options: RubricOptions) -> list[str]:
    return options.needs


def _question(options: RubricOptions) -> Ask:
    from rewardlab_rubric.first_question import first_question

    return first_question(options)


def _for_benchmark(options: RubricOptions, levels: Sequence[str], compares: bool, field: str | None) -> RubricOptions:
    from rewardlab_rubric.benchmark_question import for_benchmark

    return for_benchmark(options, levels, compares, field)


def _examples(name: str) -> Any:
    def examples() -> list[RewardExample]:
        from rewardlab_rubric import examples as made

        return getattr(made, name)()

    return examples


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        _judged("pointwise", "a judge's score on a rubric's scale, in [0, 1]", PointwiseOptions),
        _judged("binary", "whether a judge finds a response right by a rubric", BinaryOptions),
        RewardSpec(
            name="pairwise",
            summary="share of the group's other answers that a judge finds worse by a rubric",
            config=PairOptions,
            scope="group",
            range=(0.0, 1.0),
            requires=_fields,
            judges=("judge",),
            calls=_most_calls,
            question=_question,
            for_benchmark=_for_benchmark,
            runs="async",
            build=_pair,
            laws=Laws(examples=_examples("pairwise"), pairwise=True),
        ),
        RewardSpec(
            name="verdict",
            summary="whether the score that the policy gives as a judge is the row's own",
            config=VerdictOptions,
            range=(0.0, 1.0),
            requires=lambda options: [options.gold],
            remarks=("unread",),
            build=_verdict,
            laws=Laws(examples=_examples("verdict")),
        ),
    ]


def _judged(name: str, summary: str, options: type[PointwiseOptions]) -> RewardSpec:
    return RewardSpec(
        name=name,
        summary=summary,
        config=options,
        range=(0.0, 1.0),
        requires=_fields,
        judges=("judge",),
        calls=lambda options, size: size,
        question=_question,
        for_benchmark=_for_benchmark,
        runs="async",
        remarks=("empty",),
        build=_single,
        laws=Laws(examples=_examples(name)),
    )


@hookimpl
def rewardlab_datasets() -> list[DatasetSpec]:
    from rewardlab_rubric.data_steps.judging_specs import judging_specs
    from rewardlab_rubric.data_steps.writing_specs import writing_specs

    return [*judging_specs(), *writing_specs()]
