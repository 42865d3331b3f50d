"""The judge openai/pooling: the numbers that a reward model or classifier gives a conversation, behind vLLM."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rewardlab import Ask, Context, Reply
from rewardlab_http import Hide, NoAnswerError, ServerJudge

from rewardlab_openai.options import PoolingOptions

NO_SUCH_ENDPOINT = (400, 404, 405, 501)


class PoolingJudge(ServerJudge):
    """A judge that sends a conversation to `/pooling`, `/classify` or `/score`; its reply is a JSON list of numbers.

    Of numbers for each token it gives the last token's. ServerJudge says what it does besides.
    Source: vLLM's pooling, classification and scoring API.
    """

    use = "openai/pooling"
    answers_with = "numbers"

    def __init__(self, options: PoolingOptions, _context: Context | None = None) -> None:
        super().__init__(options, options.root, f"/{options.endpoint}")
        self._pooling = options

    def request(self, ask: Ask) -> dict[str, Any]:
        """Return the request: the messages, or their two texts for `/score`."""
        request: dict[str, Any] = {"model": self._pooling.model}
        if self._pooling.endpoint == "score":
            *prompt, response = ask.messages
            request |= {"text_1": "\n".join(message["content"] for message in prompt), "text_2": response["content"]}
        else:
            request["messages"] = list(map(dict, ask.messages))
        return request | self._pooling.extra_body | dict(ask.params)

    def read(self, answer: Any, hide: Hide) -> Reply:
        """Return the numbers in an answer."""
        numbers = _numbers(answer["data"][0], self._pooling.endpoint)
        if not numbers or not all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers):
            raise NoAnswerError(answer)
        tokens = (answer.get("usage") or {}).get("prompt_tokens")
        return Reply(text=json.dumps(numbers), finish_reason="stop", prompt_tokens=tokens, completion_tokens=0)

    def hint(self, status: int) -> str:
        """Say which servers have the endpoint, if this one seems to lack it."""
        if status not in NO_SUCH_ENDPOINT:
            return ""
        how = f"vLLM serves /{self._pooling.endpoint} for reward models and classifiers, with --runner pooling"
        return f" ({how}; a model that writes texts has none, and `endpoint` may be pooling, classify or score)"


def _numbers(item: Mapping[str, Any], endpoint: str) -> Sequence[float]:
    if endpoint == "score":
        return [item["score"]]
    if endpoint == "classify":
        return item["probs"]
    vectors = item["data"]
    return vectors[-1] if isinstance(vectors[-1], list) else vectors
