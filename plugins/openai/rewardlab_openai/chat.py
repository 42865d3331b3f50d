"""The judge openai/chat: a question becomes a chat completion."""

from collections.abc import Callable
from typing import Any

from rewardlab import Ask, Context, Reply

from rewardlab_openai.completion import read_completion
from rewardlab_openai.options import ChatOptions, parameters, with_asked
from rewardlab_openai.server_judge import ServerJudge


class ChatJudge(ServerJudge):
    """A judge that sends one `POST {base_url}/chat/completions` per question; ServerJudge says what it does besides."""

    use = "openai/chat"
    answers_with = "completion"

    def __init__(self, options: ChatOptions, _context: Context | None = None):
        super().__init__(options, options.base_url, "/chat/completions")
        self._chat = options
        self._parameters = parameters(options)

    def request(self, ask: Ask) -> dict[str, Any]:
        """Return the request, with the question's own parameters before the options."""
        request: dict[str, Any] = {"model": self._chat.model, "messages": list(map(dict, ask.messages))}
        request |= self._parameters
        if self._chat.seed is not None:
            request["seed"] = self._chat.seed + ask.draw
        return with_asked(request, ask.params, self._chat.max_tokens_name)

    def read(self, body: str, hide: Callable[[str], str]) -> Reply:
        """Return the completion in a body."""
        return read_completion(body, hide)
