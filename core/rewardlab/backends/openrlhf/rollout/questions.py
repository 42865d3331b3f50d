"""Questions of the judge policy/self, answered by the rollout engine with the weights that it has now."""

import json
from typing import Any

from rewardlab.backends.openrlhf.rollout.completions import TextThread, generate
from rewardlab.backends.prompts import PromptFormat
from rewardlab.errors import JobError, UserError
from rewardlab.recipe import Chat
from rewardlab.types import Sample


async def answer_question(
    label: str, tokenizer: Any, engine: Any, texts: TextThread, timeout: float, template: str | None = None
) -> dict[str, Any]:
    """The engine's answer to `label`, JSON {"ask": {"messages", "temperature", "top_p", "max_tokens", "thinking"}}.

    It is {"text", "prompt_tokens", "completion_tokens", "finish_reason"}; the text begins with the `<think>` that
    the chat template opened. `template` stands in for the tokenizer's own. JobError where there is no answer.
    """
    from vllm import SamplingParams

    if tokenizer is None:
        raise JobError("policy/self was asked before the engine had a prompt; it has no tokenizer yet")
    ask = json.loads(label)["ask"]
    prompt_ids, opened = await texts.run(lambda: _prompt(tokenizer, ask, template))
    params = SamplingParams(
        temperature=ask["temperature"],
        top_p=ask["top_p"],
        max_tokens=ask["max_tokens"],
        skip_special_tokens=True,
    )
    output = await generate(engine, prompt_ids, params, timeout, "a question to policy/self")
    made = await texts.generated(tokenizer, params, output)
    return {
        "text": opened + made.text,
        "prompt_tokens": len(prompt_ids),
        "completion_tokens": len(made.ids),
        "finish_reason": output.finish_reason,
    }


def _prompt(tokenizer: Any, ask: dict[str, Any], template: str | None) -> tuple[list[int], str]:
    try:
        form = PromptFormat(tokenizer, Chat(template=template, thinking=ask["thinking"]), ends=())
        text = form.text(Sample(id="a question", prompt=ask["messages"]))
    except UserError as error:  # whose mistake it is, nobody can say here
        raise JobError(f"policy/self: {error}") from error
    return form.tokens(text), form.opened(text)
