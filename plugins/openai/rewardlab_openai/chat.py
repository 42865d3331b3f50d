"""The judge: a question as one request, an answer as a Reply, and every other outcome by its kind."""

import json
import os
from typing import Any

import aiohttp
from rewardlab.errors import TryAgain, UserError
from rewardlab.types import Ask, Reply

from rewardlab_openai import ChatOptions, parameters
from rewardlab_openai.client import Client
from rewardlab_openai.refusals import failure

LARGEST_ANSWER = 32 << 20
"""bytes; more than any model writes"""


class Chat:
    """`POST {base_url}/chat/completions`, one question each, over the process's pooled connections.

    A busy or failing server (HTTP 408, 409, 425, 429, 5xx, a broken connection, an answer that is no whole JSON)
    raises TryAgain, with the pause that it asks for; whatever another try cannot mend (a wrong key, model,
    address or request) is a Reply with the server's own words as its error. The key is read from the environment
    at the first question, so that a replay needs none.
    """

    def __init__(self, options: ChatOptions):
        self._options = options
        self._url = f"{options.base_url}/chat/completions"
        self._parameters = parameters(options)
        self._secrets: list[str] = []
        self._headers: dict[str, str] | None = None
        self._client: Client | None = None

    async def ask(self, ask: Ask) -> Reply:
        """The model's answer. Raises TryAgain where another try may bring one."""
        if not ask.messages:
            return Reply(error="openai/chat needs messages; the question has none")
        if self._headers is None:
            try:
                self._headers = self._read_headers()
            except UserError as error:
                return Reply(error=str(error))
        if self._client is None:
            self._client = Client.shared()
        body = self._body(ask)
        try:
            # no redirects: they would turn the request into another, and carry the key to another host
            post = self._client.session.post(self._url, data=body, headers=self._headers, allow_redirects=False)
            async with post as response:
                content = await _whole(response)
                if response.status == 200:
                    return self._reply(content)
                return failure(response.status, response.headers, self._hidden(content), self._options.base_url)
        except (aiohttp.ClientError, ConnectionError, OSError) as error:
            raise TryAgain(f"cannot be reached at {self._options.base_url}: {_cause(error)}") from error

    async def aclose(self) -> None:
        """Give the connections back; idempotent."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.release()

    def _body(self, ask: Ask) -> bytes:
        request: dict[str, Any] = {"model": self._options.model, "messages": list(map(dict, ask.messages))}
        request |= self._parameters
        if self._options.seed is not None:
            request["seed"] = self._options.seed + ask.draw
        request |= ask.params
        return json.dumps(request).encode()

    def _read_headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json"}
        if (name := self._options.api_key_env) is not None:
            headers["Authorization"] = f"Bearer {self._secret(name)}"
        for header, name in self._options.headers_env.items():
            headers[header] = self._secret(name)
        return headers

    def _secret(self, name: str) -> str:
        value = os.environ.get(name, "").strip()
        if not value:
            raise UserError(f"the environment variable {name} is not set; it should hold the key of {self._url}")
        if not value.isascii() or not value.isprintable():
            raise UserError(f"the environment variable {name} holds what no header can carry, such as a line break")
        self._secrets.append(value)
        return value

    def _hidden(self, content: bytes) -> str:
        """What the server sent, without any key that it repeats."""
        text = content.decode("utf-8", "replace")
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def _reply(self, content: bytes) -> Reply:
        text = self._hidden(content)
        try:
            answer = json.loads(text)
            choice = answer["choices"][0]
            message = choice["message"]
            written = _text(message.get("content"))
            usage = answer.get("usage") or {}
            return Reply(
                text=written if written is not None else message.get("refusal") or "",
                reasoning=message.get("reasoning_content") or message.get("reasoning"),
                logprobs=choice.get("logprobs"),
                finish_reason=choice.get("finish_reason"),
                prompt_tokens=_count(usage.get("prompt_tokens")),
                completion_tokens=_count(usage.get("completion_tokens")),
            )
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            if isinstance(error, ValueError) or not isinstance(answer, dict) or "error" not in answer:
                raise TryAgain(f"answered with no completion: {_start(text)}") from error
            return failure(500, {}, text, self._options.base_url)  # gateways wrap a failure into HTTP 200


async def _whole(response: aiohttp.ClientResponse) -> bytes:
    content = bytearray()
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > LARGEST_ANSWER:
            raise TryAgain(f"answered with more than {LARGEST_ANSWER >> 20} MB")
    return bytes(content)


def _text(content: Any) -> str | None:
    """The words of a message, which may come in parts; None where there are none."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if part.get("type") in ("text", "output_text"))
    if content is not None and not isinstance(content, str):
        raise TypeError("content is no text")
    return content


def _count(tokens: Any) -> int | None:
    return tokens if isinstance(tokens, int) and tokens >= 0 else None


def _cause(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def _start(text: str) -> str:
    text = " ".join(text.split())
    return repr(text[:200]) if text else "an empty body"
