"""Judges behind any OpenAI-compatible server: a hosted API, vLLM, SGLang, llama.cpp, a gateway."""

from typing import Any

from rewardlab import Context, JudgeSpec, hookimpl
from rewardlab.laws import JudgeExample, Laws

from rewardlab_openai.options import LIMITS, ChatOptions, parameters


def _identity(options: ChatOptions) -> dict[str, Any]:
    return {"model": options.model, "params": parameters(options)}


def _most_tokens(options: ChatOptions) -> int | None:
    limits = [options.max_tokens, *(options.extra_body.get(name) for name in LIMITS)]
    return next((limit for limit in limits if isinstance(limit, int)), None)


def _chat(options: ChatOptions, context: Context) -> Any:
    from rewardlab_openai.chat import ChatJudge

    return ChatJudge(options)


def _examples() -> list[JudgeExample]:
    from rewardlab_openai.examples import examples_of_chat

    return examples_of_chat()


@hookimpl
def rewardlab_judges() -> list[JudgeSpec]:
    return [
        JudgeSpec(
            name="chat",
            summary="a chat model behind any OpenAI-compatible server",
            config=ChatOptions,
            identity=_identity,
            address=("base_url", "api_key_env", "headers_env"),
            most_tokens=_most_tokens,
            build=_chat,
            laws=Laws(examples=_examples),
        )
    ]
