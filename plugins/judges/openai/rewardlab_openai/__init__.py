"""Judges behind HTTP: chat models of any OpenAI-compatible server, and reward models behind vLLM, with their reward.

`served_evaluation` runs the stages `eval` that sample from such a judge, or any other that reads messages.
"""

from typing import Any

from rewardlab import Ask, JudgeSpec, RewardSpec, hookimpl
from rewardlab.laws import Laws
from rewardlab_http import ServerOptions

from rewardlab_openai.options import ChatOptions, PoolingOptions, RewardModelOptions

LEARNT = dict.fromkeys(
    ("prompt_copy", "repetition"),
    "a model's learnt preferences have no guarantees; `probe` judges the total",
)
"""the laws that do not apply to a reward model, and why"""


def _question(_options: RewardModelOptions) -> Ask:
    from rewardlab_openai.reward_model import question

    return question(({"role": "user", "content": "How much is 2 + 3?"},), "5")


@hookimpl
def rewardlab_judges() -> list[JudgeSpec]:
    return [
        JudgeSpec(
            name="chat",
            summary="a chat model behind any OpenAI-compatible server",
            config=ChatOptions,
            identity=ChatOptions.identity,
            address=ServerOptions.address_options,
            most_tokens=ChatOptions.most_tokens,
            logprobs=True,
            supports_prefill=lambda options: options.continues,
            build="rewardlab_openai.chat:ChatJudge",
            laws=Laws(examples="rewardlab_openai.examples:examples_of_chat"),
        ),
        JudgeSpec(
            name="pooling",
            summary="the numbers of a reward model or classifier behind vLLM, for openai/reward_model",
            config=PoolingOptions,
            identity=PoolingOptions.identity,
            address=ServerOptions.address_options,
            most_tokens=lambda options: 0,
            build="rewardlab_openai.pooling:PoolingJudge",
            laws=Laws(examples="rewardlab_openai.examples:examples_of_pooling"),
        ),
    ]


@hookimpl
def rewardlab_evaluate_served(job: Any) -> None:
    from rewardlab_openai.served_evaluation import evaluate_served

    evaluate_served(job)


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        RewardSpec(
            name="reward_model",
            summary="the score of a reward model behind vLLM, in [0, 1]",
            config=RewardModelOptions,
            range=(0.0, 1.0),
            judges=("judge",),
            calls=lambda options, size: size,
            question=_question,
            runs="async",
            counted_info=("empty",),
            build="rewardlab_openai.reward_model:ServedRewardModel",
            laws=Laws(examples="rewardlab_openai.examples:reward_model", off=LEARNT),
        )
    ]
