"""A prompt and a response as the token ids that a reward model reads, cut if they are too long."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rewardlab_training import chat_ids, literal_ids

TRIES = 4
"""cuts of one response: what is decoded and read again may have a few tokens more"""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as tokens.

    Args:
        types: the sides of a pair, for models that distinguish them; else None.
        cut: tokens that the response lost.
        error: why there is none.
    """

    ids: Sequence[int] = ()
    types: Sequence[int] | None = None
    cut: int = 0
    error: str = ""


class Conversations:
    """Conversations of a tokenizer: through its chat template, or as a pair of texts without one.

    Args:
        limit: the most tokens; None: any number. The end of a response that does not fit is left out, and what the
            template writes after it stays: a model reads its score there.
    """

    def __init__(self, tokenizer: Any, limit: int | None) -> None:
        self._tokenizer, self._limit = tokenizer, limit

    def encode(self, prompt: Sequence[dict], response: str) -> Conversation:
        """Return a conversation that fits; one with an `error` if the prompt alone does not."""
        response = _encodable(response)
        whole = self._encode(prompt, response)
        if self._limit is None or len(whole.ids) <= self._limit:
            return whole
        ids = literal_ids(self._tokenizer, response, add_special_tokens=False)["input_ids"]
        left, conversation = len(ids), whole
        for _ in range(TRIES):
            left -= len(conversation.ids) - self._limit
            if left <= 0:
                break
            conversation = self._encode(prompt, self._tokenizer.decode(ids[:left], skip_special_tokens=False))
            if len(conversation.ids) <= self._limit:
                return Conversation(conversation.ids, conversation.types, cut=len(ids) - left)
        return Conversation(error=f"the prompt leaves no room for a response in {self._limit} tokens")

    def _encode(self, prompt: Sequence[dict], response: str) -> Conversation:
        if self._tokenizer.chat_template is None:
            text = "\n".join(_encodable(message["content"]) for message in prompt)
            read = literal_ids(self._tokenizer, text, response)
            return Conversation(read["input_ids"], read.get("token_type_ids"))
        return Conversation(
            chat_ids(self._tokenizer, [*prompt, {"role": "assistant", "content": response}], self._fill)
        )

    def _fill(self, messages: list[Any]) -> str:
        return _encodable(self._tokenizer.apply_chat_template(messages, tokenize=False))


def _encodable(text: str) -> str:
    """Return the text with U+FFFD in place of lone surrogates, which no tokenizer takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
