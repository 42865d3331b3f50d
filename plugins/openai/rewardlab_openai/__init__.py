"""Judges behind HTTP: chat models of any OpenAI-compatible server, and reward models behind vLLM, with their reward.

`served_evaluation` runs the stages `eval` that sample from such a judge, or any other that reads messages.
"""

from typing import Any

from rewardlab import Ask, JudgeSpec, RewardSpec, hookimpl
from rewardlab.laws import Laws

from rewardlab_openai.options import LIMITS, ChatOptions, PoolingOptions, RewardModelOptions, parameters

ADDRESS = ("base_url", "api_key_env", "headers_env")
LEARNT = dict.fromkeys(
    ("prompt_copy", "repetition"),
    "a model's learnt preferences have no guarantees; `probe` judges the total",
)
"""the laws that do not apply to a reward model, and why"""


def _identity_of_chat(options: ChatOptions) -> dict[str, Any]:
    return {"model": options.model, "params": parameters(options)}


def _identity_of_pooling(options: PoolingOptions) -> dict[str, Any]:
    return {"model": options.model, "params": {"endpoint": options.endpoint, **options.extra_body}}


def _most_tokens(options: ChatOptions) -> int | None:
    limits = [options.max_tokens, *(options.extra_body.get(name) for name in LIMITS)]
    return next((limit for limit in limits if isinstance(limit, int)), None)


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
            identity=_identity_of_chat,
            address=ADDRESS,
            most_tokens=_most_tokens,
            logprobs=True,
            supports_prefill=lambda options: options.continues,
            build="rewardlab_openai.chat:ChatJudge",
            laws=Laws(examples="rewardlab_openai.examples:examples_of_chat"),
        ),
        JudgeSpec(
            name="pooling",
            summary="the numbers of a reward model or classifier behind vLLM, for openai/reward_model",
            config=PoolingOptions,
            identity=_identity_of_pooling,
            address=ADDRESS,
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
