"""Rewards by rubric, of a judge or of the policy as a judge, and the data steps by which such a judge is trained."""

from rewardlab import DatasetSpec, RewardSpec, hookimpl
from rewardlab.laws import Laws

from rewardlab_rubric.appeals.options import AppealOptions
from rewardlab_rubric.criteria.options import CriteriaOptions
from rewardlab_rubric.options import BinaryOptions, PairOptions, PointwiseOptions, RubricOptions, VerdictOptions

APPEALS = "rewardlab_rubric.appeals"
CRITERIA = "rewardlab_rubric.criteria"
ROWS = "rewardlab_rubric.strategies.unasked_rows"


def _most_calls(options: PairOptions, size: int) -> int:
    from rewardlab_pairwise.pairwise_reward import most_calls

    return most_calls(options, size)


def _fields(options: RubricOptions) -> list[str]:
    return options.needs


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
            abstains=f"{ROWS}:without_texts",
            refuses=f"{ROWS}:unusable",
            needs_files=f"{ROWS}:texts_files",
            judges=("judge",),
            calls=_most_calls,
            refuses_size="rewardlab_pairwise.pairwise_reward:misfit",
            question="rewardlab_rubric.first_question:first_question",
            goldens="rewardlab_rubric.golden_groups:golden_groups",
            for_benchmark="rewardlab_rubric.benchmark_question:for_benchmark",
            runs="async",
            build="rewardlab_rubric.pairwise:RubricWinRate",
            laws=Laws(examples="rewardlab_rubric.examples:pairwise", pairwise=True),
        ),
        RewardSpec(
            name="criteria",
            summary="the weights of the criteria that a judge finds met, in [0, 1]",
            config=CriteriaOptions,
            range=(0.0, 1.0),
            requires=lambda options: options.needs,
            refuses=f"{CRITERIA}.question:unusable",
            judges=("judge",),
            calls=lambda options, size: size,
            question=f"{CRITERIA}.question:first_question",
            goldens=f"{CRITERIA}.golden_groups:golden_groups",
            runs="async",
            counted_info=("empty",),
            build=f"{CRITERIA}.scored:CriteriaScore",
            laws=Laws(examples=f"{CRITERIA}.examples:criteria"),
        ),
        RewardSpec(
            name="appeal",
            summary="a rule's value, where a judge looks again at what the rule rejects",
            config=AppealOptions,
            range=(-10.0, 10.0),
            range_of=lambda options: options.span,
            requires=f"{APPEALS}.rule_rows:required",
            abstains=f"{APPEALS}.rule_rows:abstains",
            refuses=f"{APPEALS}.rule_rows:refuses",
            needs_files=f"{APPEALS}.rule_rows:needs_files",
            cautions=f"{APPEALS}.rule_rows:cautions",
            judges=("judge",),
            calls=lambda options, size: options.most_calls(size),
            question=f"{APPEALS}.question:first_question",
            runs="async",
            counted_info=("overturned",),
            build=f"{APPEALS}.appeal:Appeal",
            laws=Laws(examples=f"{APPEALS}.examples:appeal"),
        ),
        RewardSpec(
            name="verdict",
            summary="whether the score that the policy gives as a judge is the row's own",
            config=VerdictOptions,
            range=(0.0, 1.0),
            requires=lambda options: [options.gold],
            refuses="rewardlab_rubric.verdict:refusal",
            counted_info=("unread",),
            build="rewardlab_rubric.verdict:Verdict",
            laws=Laws(examples="rewardlab_rubric.examples:verdict"),
        ),
    ]


def _judged(name: str, summary: str, options: type[PointwiseOptions]) -> RewardSpec:
    return RewardSpec(
        name=name,
        summary=summary,
        config=options,
        range=(0.0, 1.0),
        requires=_fields,
        abstains=f"{ROWS}:without_texts",
        refuses=f"{ROWS}:unusable",
        needs_files=f"{ROWS}:texts_files",
        judges=("judge",),
        calls=lambda options, size: size,
        question="rewardlab_rubric.first_question:first_question",
        goldens="rewardlab_rubric.golden_groups:golden_groups",
        for_benchmark="rewardlab_rubric.benchmark_question:for_benchmark",
        runs="async",
        counted_info=("empty",),
        build="rewardlab_rubric.pointwise:RubricScore",
        laws=Laws(examples=f"rewardlab_rubric.examples:{name}"),
    )


@hookimpl
def rewardlab_datasets() -> list[DatasetSpec]:
    from rewardlab_rubric.data_steps.judging_specs import judging_specs
    from rewardlab_rubric.data_steps.writing_specs import writing_specs

    return [*judging_specs(), *writing_specs()]
