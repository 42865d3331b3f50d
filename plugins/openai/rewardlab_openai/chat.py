"""The judge: a question as one request, an answer as a Reply, and every other outcome by its kind."""

import json
import os
from typing import Any

import aiohttp
from rewardlab.errors import TryAgain, UserError
from rewardlab.types import Ask, Reply

from rewardlab_openai import ChatOptions, parameters
from rewardlab_openai.client import Client
from rewardlab_openai.completion import NoCompletionError, read
from rewardlab_openai.credentials import Credentials, address
from rewardlab_openai.refusals import Refusal

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
        self._address = address(options.base_url)
        self._parameters = parameters(options)
        self._credentials: Credentials | None = None
        self._client: Client | None = None
        self._closed = False

    async def ask(self, ask: Ask) -> Reply:
        """The model's answer. Raises TryAgain where another try may bring one."""
        if self._closed:
            return Reply(error="openai/chat is closed")  # a new connection would be nobody's to close
        if not ask.messages:
            return Reply(error="openai/chat needs messages; the question has none")
        if self._credentials is None:
            try:
                self._credentials = Credentials.read(self._options)
            except UserError as error:
                return Reply(error=str(error))
        try:
            status, headers, content = await self._post(self._body(ask), self._credentials)
        except (aiohttp.ClientError, OSError) as error:
            why = self._credentials.redact(self._broken(error))
        else:
            return self._read(status, headers, content.decode("utf-8-sig", "replace"), self._credentials)
        raise TryAgain(why)  # outside the handler: the cause may hold what the server sent, the key too

    async def aclose(self) -> None:
        """Give the connections back and answer no more; idempotent."""
        self._closed = True
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

    async def _post(self, body: bytes, credentials: Credentials) -> tuple[int, Any, bytes]:
        """(status, headers, body) of the server's answer."""
        if self._client is None:
            self._client = Client.shared()
        post = self._client.session.post(
            f"{self._address}/chat/completions",
            data=body,
            headers=credentials.headers,
            allow_redirects=False,  # they would turn the request into another, and carry the key to another host
        )
        async with post as response:
            return response.status, response.headers, await _whole(response)

    def _read(self, status: int, headers: Any, body: str, credentials: Credentials) -> Reply:
        if status == 200:
            wrapped, shown = False, body
            try:
                return read(body, credentials.hide)
            except NoCompletionError as none:
                wrapped, shown = none.wrapped, none.shown
            except ValueError:
                pass
            if not wrapped:
                raise TryAgain(f"answered with no completion: {_start(credentials.redact(shown))}")
        refusal = Refusal(status, headers, body, self._address, credentials.redact)
        if refusal.passing:
            raise TryAgain(f"answered {refusal.told}", after=refusal.after)
        return Reply(error=f"{self._address} answered {refusal.told}")

    def _broken(self, error: Exception) -> str:
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        if not isinstance(error, aiohttp.ClientConnectorError):
            return f"broke off before the whole answer of {self._address} was there: {cause}"
        number = error.errno or 0
        if not isinstance(error, aiohttp.ClientSSLError) and number > 0:
            cause = os.strerror(number)
        return f"cannot be reached at {self._address}: {cause}"


async def _whole(response: aiohttp.ClientResponse) -> bytes:
    content = bytearray()
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > LARGEST_ANSWER:
            raise TryAgain(f"answered with more than {LARGEST_ANSWER >> 20} MB")
    return bytes(content)


def _start(text: str) -> str:
    text = " ".join(text.split())
    return repr(text[:200]) if text else "an empty body"
