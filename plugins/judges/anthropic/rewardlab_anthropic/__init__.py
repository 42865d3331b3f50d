"""Judges behind Anthropic's Messages API: Claude, or any other server that speaks it."""

from rewardlab import JudgeSpec, hookimpl
from rewardlab.laws import Laws

from rewardlab_anthropic.options import MessagesOptions


@hookimpl
def rewardlab_judges() -> list[JudgeSpec]:
    return [
        JudgeSpec(
            name="messages",
            summary="a model behind Anthropic's Messages API",
            config=MessagesOptions,
            identity=MessagesOptions.identity,
            address=MessagesOptions.address_options,
            most_tokens=lambda options: options.max_tokens,
            writes_cache=MessagesOptions.writes_cache,
            supports_prefill=lambda options: options.continues,
            build="rewardlab_anthropic.messages:MessagesJudge",
            laws=Laws(examples="rewardlab_anthropic.examples:examples"),
        )
    ]
