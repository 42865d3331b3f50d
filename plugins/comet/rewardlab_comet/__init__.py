"""A reward for meaning against an English reference, by a reference-free COMET (PB-RLSVR's R_Answer)."""

from typing import Any

from rewardlab import Context, RewardSpec, hookimpl
from rewardlab.laws import Laws, RewardExample

from rewardlab_comet.options import AnswerOptions


def _answer(options: AnswerOptions, context: Context) -> Any:
    from rewardlab_comet.answer import open_answer

    return open_answer(options, context.workers)


def _answer_examples() -> list[RewardExample]:
    from rewardlab_comet.examples import answer

    return answer()


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        RewardSpec(
            name="answer",
            summary="how well a prediction says what the English reference says (COMET without reference; PB-RLSVR)",
            config=AnswerOptions,
            scope="batch",
            range=(0.0, 1.0),
            requires=lambda options: [options.against],
            runs="async",
            environment="requirements.txt",
            remarks=("empty", "chunks", "exact_match"),
            build=_answer,
            laws=Laws(
                examples=_answer_examples,
                off=dict.fromkeys(
                    ("prompt_copy", "repetition"),
                    "it measures likeness to a reference, which the prompt has, too; `probe` judges the total",
                ),
                rounding=1e-4,
            ),
        )
    ]
