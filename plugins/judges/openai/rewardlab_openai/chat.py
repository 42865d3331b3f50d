"""The judge openai/chat: a question becomes a chat completion."""

from collections.abc import Mapping
from typing import Any

from rewardlab import Ask, Context, Reply
from rewardlab_http import ENVELOPE, MAX_ANSWER, TOKEN, Hide, ServerJudge

from rewardlab_openai.completion import read_completion
from rewardlab_openai.options import LIMITS, ChatOptions, with_asked

ALTERNATIVE = 256
"""bytes of an answer for each log probability of a token"""


class ChatJudge(ServerJudge):
    """A judge that sends one `POST {base_url}/chat/completions` per question; ServerJudge says what it does besides."""

    use = "openai/chat"
    answers_with = "completion"

    def __init__(self, options: ChatOptions, _context: Context | None = None) -> None:
        super().__init__(options)
        self._chat = options
        self._parameters = options.parameters()

    def request(self, ask: Ask) -> dict[str, Any]:
        """Return the request, with the question's own parameters before the options."""
        request: dict[str, Any] = {"model": self._chat.model, "messages": list(map(dict, ask.messages))}
        request |= self._parameters
        if self._chat.seed is not None:
            request["seed"] = self._chat.seed + ask.draw
        return with_asked(request, ask.params, self._chat.max_tokens_name)

    def max_answer(self, request: Mapping[str, Any]) -> int:
        """Return how many bytes the answer may have, by the most tokens that it may have."""
        tokens = next((request[name] for name in LIMITS if isinstance(request.get(name), int)), None)
        if tokens is None:
            return MAX_ANSWER
        alternatives = 1 + int(request.get("top_logprobs") or 0) if request.get("logprobs") else 0
        return ENVELOPE + tokens * (TOKEN + ALTERNATIVE * alternatives)

    def read(self, answer: Any, hide: Hide) -> Reply:
        """Return the completion in an answer."""
        return read_completion(answer, hide)
