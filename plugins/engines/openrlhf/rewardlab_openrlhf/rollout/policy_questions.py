"""Questions of the judge policy/self, answered by the rollout engine with the weights that it has now."""

import json
from typing import Any

from rewardlab.errors import JobError
from rewardlab_training import question_tokens

from rewardlab_openrlhf.rollout.completions import TextThread, generate


async def answer_question(
    label: str, tokenizer: Any, engine: Any, text_thread: TextThread, timeout: float, template: str | None = None
) -> dict[str, Any]:
    """Return the engine's answer to a question.

    Args:
        label: JSON {"ask": {"messages", "temperature", "top_p", "max_tokens", "thinking"}}. The answer is {"text",
            "prompt_tokens", "completion_tokens", "finish_reason"}; its text begins with the `<think>` that the chat
            template opened. `template` stands in for the tokenizer's own. JobError if there is no answer.
    """
    from vllm import SamplingParams

    if tokenizer is None:
        raise JobError("policy/self was asked before the engine had a prompt; it has no tokenizer yet")
    ask = json.loads(label)["ask"]
    prompt_ids, opened = await text_thread.run(
        lambda: question_tokens(tokenizer, ask["messages"], ask["thinking"], template)
    )
    params = SamplingParams(
        temperature=ask["temperature"],
        top_p=ask["top_p"],
        max_tokens=ask["max_tokens"],
        skip_special_tokens=True,
    )
    output = await generate(engine, prompt_ids, params, timeout, "a question to policy/self")
    completion = await text_thread.read_output(tokenizer, params, output)
    return {
        "text": opened + completion.text,
        "prompt_tokens": len(prompt_ids),
        "completion_tokens": len(completion.ids),
        "finish_reason": output.finish_reason,
    }
