"""Prompts as the policy reads them: through its chat template where it has one, as plain text where not."""

from collections.abc import Sequence
from typing import Any

from rewardlab.recipe import Chat
from rewardlab.types import Message, Sample

THINK = "<think>"


def as_text(prompt: Sequence[Message]) -> str:
    """Messages for a model without a chat template: their contents, a line each, and a line end."""
    return "\n".join(message["content"] for message in prompt) + "\n"


class PromptFormat:
    """How one stage turns samples into what TRL tokenizes, and decoded completions into `Completion.text`."""

    def __init__(self, tokenizer: Any, chat: Chat):
        if chat.template is not None:
            tokenizer.chat_template = chat.template
        self._tokenizer = tokenizer
        self._system = chat.system
        self.template_options = {} if chat.thinking is None else {"enable_thinking": chat.thinking}
        self.conversational = tokenizer.chat_template is not None

    def prompt(self, sample: Sample) -> str | list[dict[str, str]]:
        """What TRL takes as `prompt`: messages for a chat model, else text."""
        messages = [dict(message) for message in sample.prompt]
        if self._system is not None and all(message["role"] != "system" for message in messages):
            messages.insert(0, {"role": "system", "content": self._system})
        return messages if self.conversational else as_text(messages)

    def response(self, text: str) -> str | list[dict[str, str]]:
        """What TRL takes as `completion` in supervised training."""
        return [{"role": "assistant", "content": text}] if self.conversational else text

    def rendered(self, sample: Sample) -> str:
        """The prompt's text up to where the policy goes on."""
        prompt = self.prompt(sample)
        if isinstance(prompt, str):
            return prompt
        return self._tokenizer.apply_chat_template(
            prompt, tokenize=False, add_generation_prompt=True, **self.template_options
        )

    def tokens(self, sample: Sample) -> list[int]:
        """Token ids of the prompt, as in training."""
        # a chat template writes its own special tokens
        return self._tokenizer(self.rendered(sample), add_special_tokens=not self.conversational)["input_ids"]

    def decode(self, completion_ids: Sequence[Sequence[int]]) -> list[str]:
        """Texts of completions, without the special tokens that end and pad them."""
        return self._tokenizer.batch_decode([list(ids) for ids in completion_ids], skip_special_tokens=True)

    def opened(self, sample: Sample) -> str:
        """The `<think>` with which the template has begun the completion, or nothing."""
        if not self.conversational:
            return ""
        text = self.rendered(sample)
        return text[text.rindex(THINK) :] if text.rstrip().endswith(THINK) else ""
