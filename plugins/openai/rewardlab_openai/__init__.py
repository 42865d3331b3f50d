"""Judges behind HTTP: chat models of any OpenAI-compatible server, and reward models behind vLLM, with their reward."""

from typing import Any

from rewardlab import Ask, Context, JudgeSpec, RewardSpec, hookimpl
from rewardlab.laws import JudgeExample, Laws, RewardExample

from rewardlab_openai.options import LIMITS, ChatOptions, PoolingOptions, RewardModelOptions, parameters

ADDRESS = ("base_url", "api_key_env", "headers_env")
LEARNT = dict.fromkeys(
    ("prompt_copy", "repetition"),
    "what a model has learnt to like nobody promises; `probe` judges the total",
)
"""the laws that do not apply to a reward model, and why"""


def _identity_of_chat(options: ChatOptions) -> dict[str, Any]:
    return {"model": options.model, "params": parameters(options)}


def _identity_of_pooling(options: PoolingOptions) -> dict[str, Any]:
    return {"model": options.model, "params": {"endpoint": options.endpoint, **options.extra_body}}


def _most_tokens(options: ChatOptions) -> int | None:
    limits = [options.max_tokens, *(options.extra_body.get(name) for name in LIMITS)]
    return next((limit for limit in limits if isinstance(limit, int)), None)


def _chat(options: ChatOptions, context: Context) -> Any:
    from rewardlab_openai.chat import ChatJudge

    return ChatJudge(options)


def _pooling(options: PoolingOptions, context: Context) -> Any:
    from rewardlab_openai.pooling import PoolingJudge

    return PoolingJudge(options)


def _reward_model(options: RewardModelOptions, context: Context) -> Any:
    from rewardlab_openai.reward_model import ServedRewardModel

    return ServedRewardModel(options, context.judges[options.judge])


def _question(options: RewardModelOptions) -> Ask:
    from rewardlab_openai.reward_model import question

    return question(({"role": "user", "content": "How much is 2 + 3?"},), "5")


def _examples_of_chat() -> list[JudgeExample]:
    from rewardlab_openai.examples import examples_of_chat

    return examples_of_chat()


def _examples_of_pooling() -> list[JudgeExample]:
    from rewardlab_openai.examples import examples_of_pooling

    return examples_of_pooling()


def _reward_examples() -> list[RewardExample]:
    from rewardlab_openai.examples import reward_model

    return reward_model()


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
            continues=lambda options: options.continues,
            build=_chat,
            laws=Laws(examples=_examples_of_chat),
        ),
        JudgeSpec(
            name="pooling",
            summary="the numbers of a reward model or classifier behind vLLM, for openai/reward_model",
            config=PoolingOptions,
            identity=_identity_of_pooling,
            address=ADDRESS,
            most_tokens=lambda options: 0,
            build=_pooling,
            laws=Laws(examples=_examples_of_pooling),
        ),
    ]


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
            remarks=("empty",),
            build=_reward_model,
            laws=Laws(examples=_reward_examples, off=LEARNT),
        )
    ]
