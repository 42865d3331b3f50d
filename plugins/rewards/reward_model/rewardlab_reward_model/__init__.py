"""The score of a trained reward model: a sequence classifier that reads the prompt and the response."""

from rewardlab import RewardSpec, hookimpl
from rewardlab.laws import Laws

from rewardlab_reward_model.options import ScoreOptions

LEARNT = dict.fromkeys(
    ("prompt_copy", "repetition"),
    "a model's learnt preferences have no guarantees; `probe` judges the total",
)
"""the laws that do not apply, and why"""
TIMEOUT = 120.0
"""seconds, enough for one conversation of the model's whole length on a CPU"""


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        RewardSpec(
            name="score",
            summary="the score that a sequence classifier of transformers gives the response, in [0, 1]",
            config=ScoreOptions,
            scope="batch",
            runs="async",
            opens_workers=True,
            timeout=TIMEOUT,
            counted_info=("cut", "empty"),
            build="rewardlab_reward_model.score:ModelScore",
            laws=Laws(examples="rewardlab_reward_model.examples:score", off=LEARNT, rounding=1e-4),
        )
    ]
