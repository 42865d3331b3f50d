"""The judge openai/pooling: the numbers that a reward model or classifier gives a conversation, behind vLLM."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rewardlab import Ask, Context, Reply

from rewardlab_openai.completion import NoAnswerError
from rewardlab_openai.options import PoolingOptions
from rewardlab_openai.server_judge import ServerJudge

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

    def read(self, body: str, hide: Callable[[str], str]) -> Reply:
        """Return the numbers in a body."""
        answer = _parsed(body)
        try:
            numbers = _numbers(answer["data"][0], self._pooling.endpoint)
            tokens = (answer.get("usage") or {}).get("prompt_tokens")
        except (LookupError, TypeError, AttributeError):
            numbers, tokens = [], None
        if not numbers or not all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers):
            raise NoAnswerError(answer)
        return Reply(text=json.dumps(numbers), finish_reason="stop", prompt_tokens=tokens, completion_tokens=0)

    def hint(self, status: int) -> str:
        """Say which servers have the endpoint, if this one seems to lack it."""
        if status not in NO_SUCH_ENDPOINT:
            return ""
        how = f"vLLM serves /{self._pooling.endpoint} for reward models and classifiers, with --runner pooling"
        return f" ({how}; a model that writes texts has none, and `endpoint` may be pooling, classify or score)"


def _parsed(body: str) -> Any:
    try:
        return json.loads(body)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _numbers(item: Mapping[str, Any], endpoint: str) -> Sequence[float]:
    if endpoint == "score":
        return [item["score"]]
    if endpoint == "classify":
        return item["probs"]
    found = item["data"]
    return found[-1] if isinstance(found[-1], list) else found
