"""A reward for meaning against an English reference, by a reference-free COMET (PB-RLSVR's R_Answer)."""

from rewardlab import RewardSpec, hookimpl
from rewardlab.laws import Laws

from rewardlab_comet.options import CometOptions


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        RewardSpec(
            name="answer",
            summary="how well a prediction says what the English reference says (COMET without reference; PB-RLSVR)",
            config=CometOptions,
            scope="batch",
            range=(0.0, 1.0),
            requires=lambda options: [options.against],
            runs="async",
            environment="requirements.txt",
            counted_info=("empty", "chunks", "exact_match"),
            build="rewardlab_comet.answer:open_answer",
            laws=Laws(
                examples="rewardlab_comet.examples:answer",
                off=dict.fromkeys(
                    ("prompt_copy", "repetition"),
                    "it measures likeness to a reference, which the prompt has, too; `probe` judges the total",
                ),
                rounding=1e-4,
            ),
        )
    ]
