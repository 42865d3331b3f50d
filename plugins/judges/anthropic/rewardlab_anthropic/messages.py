"""The judge anthropic/messages: a question becomes a message (https://platform.claude.com/docs/en/api/messages)."""

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from rewardlab import Ask, Context, Reply
from rewardlab_http import Hide, ServerJudge, token_count

from rewardlab_anthropic.options import MessagesOptions

FINISH_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "refusal",
}
"""why a model ended, in our word; after any other reason, such as pause_turn, the answer would go on"""
NAMES = {"max_completion_tokens": "max_tokens", "stop": "stop_sequences"}
"""parameters of questions that the API calls otherwise"""
PREFILL = ("continue_final_message", "add_generation_prompt")
"""parameters that say what a last message of role assistant says by itself"""


class MessagesJudge(ServerJudge):
    """A judge that sends one `POST {base_url}/messages` per question; ServerJudge says what it does besides."""

    use = "anthropic/messages"
    answers_with = "message"

    def __init__(self, options: MessagesOptions, _context: Context | None = None) -> None:
        super().__init__(options)
        self._parameters = options.parameters()

    def request(self, ask: Ask) -> dict[str, Any]:
        """Return the request: the system messages that a question begins with, the others, and its own parameters."""
        system = [message["content"] for message in takewhile(_is_system, ask.messages)]
        request: dict[str, Any] = {"model": self.options.model, "messages": [*map(dict, ask.messages[len(system) :])]}
        request |= {"system": "\n\n".join(system)} if system else {}
        asked = {NAMES.get(name, name): value for name, value in ask.params.items() if name not in PREFILL}
        return request | self._parameters | asked

    def read(self, answer: Any, hide: Hide) -> Reply:
        """Return the texts of a message, and its thinking apart."""
        reason = answer["stop_reason"]
        text, thinking = ("".join(_texts(answer["content"], kind)) for kind in ("text", "thinking"))
        if reason == "refusal":  # what the model wrote before a filter stopped it is no part of an answer
            text = (answer.get("stop_details") or {}).get("explanation") or ""
        return Reply(
            text=hide(text),
            reasoning=hide(thinking) or None,
            finish_reason=FINISH_REASONS.get(reason),
            error=None if reason in FINISH_REASONS else hide(f"{self.use}: the answer ended at stop_reason {reason!r}"),
            **_counts(answer.get("usage")),
        )


def _is_system(message: Mapping[str, str]) -> bool:
    return message["role"] == "system"


def _texts(content: list[Mapping[str, Any]], kind: str) -> Iterator[str]:
    return (block[kind] for block in content if block["type"] == kind)


def _counts(usage: Any) -> dict[str, Any]:
    """Return the tokens of a question and its answer; the server counts those of its cache beside the others."""
    usage = usage if isinstance(usage, dict) else {}
    read, written = (token_count(usage.get(f"cache_{how}_input_tokens")) for how in ("read", "creation"))
    others = token_count(usage.get("input_tokens"))
    return {
        "prompt_tokens": None if others is None else others + (read or 0) + (written or 0),
        "completion_tokens": token_count(usage.get("output_tokens")),
        "cache_read_tokens": read,
        "cache_write_tokens": written,
    }
