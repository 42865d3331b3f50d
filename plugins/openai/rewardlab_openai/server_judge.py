"""A judge behind HTTP: a question becomes one request, an answer a Reply, and every other outcome an error."""

import json
import os
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import aiohttp
from rewardlab import Ask, Reply
from rewardlab.errors import TryAgain, UserError

from rewardlab_openai.client import PooledClient
from rewardlab_openai.completion import NoAnswerError
from rewardlab_openai.credentials import Credentials, address
from rewardlab_openai.options import ServerOptions
from rewardlab_openai.refusals import MAX_REFUSAL_BYTES, Refusal

MAX_ANSWER = 32 << 20
"""bytes of an answer whose question sets no limit; more than any model writes"""


class ServerJudge:
    """A judge that sends one `POST {address}{path}` per question, over the process's pooled connections.

    A busy or failing server (HTTP 408, 409, 425, 429, 5xx, a broken connection, an answer that is not whole JSON)
    raises TryAgain, with the pause that the server asks for; whatever another try cannot fix (a wrong key, model,
    address or request) is a Reply with the server's own words as its error, `refused` if another question may be
    answered. The key is read from the environment at the first question, so that a replay needs none.
    """

    use: ClassVar[str]
    """the name in a recipe"""
    answers_with: ClassVar[str]
    """what the server writes, for messages"""

    def __init__(self, options: ServerOptions, base_url: str, path: str) -> None:
        self._options = options
        self._address = address(base_url)
        self._path = path
        self._credentials: Credentials | None = None
        self._client: PooledClient | None = None
        self._closed = False

    def request(self, ask: Ask) -> dict[str, Any]:
        """Return the body of the request that asks a question."""
        raise NotImplementedError

    def read(self, body: str, hide: Callable[[str], str]) -> Reply:
        """Return the answer in a body; ValueError for a body that is not JSON, NoAnswerError for JSON without one."""
        raise NotImplementedError

    def max_answer(self, request: Mapping[str, Any]) -> int:
        """Return how many bytes the answer to a request may have."""
        return MAX_ANSWER

    def hint(self, status: int) -> str:
        """Return what to do if the server refuses with a status, or "" if its own words suffice."""
        return ""

    async def ask(self, ask: Ask) -> Reply:
        """Return the model's answer. Raises TryAgain if another try may bring one."""
        if self._closed:
            return Reply(error=f"{self.use} is closed")  # nobody would close a new connection
        if not ask.messages:
            return Reply(error=f"{self.use} needs messages; the question has none")
        if self._credentials is None:
            try:
                self._credentials = Credentials.read(self._options)
            except UserError as error:
                return Reply(error=str(error))
        try:
            status, headers, content = await self._post(self.request(ask), self._credentials)
        except (aiohttp.ClientError, OSError) as error:
            why = self._credentials.redact(self._describe_failure(error))
        else:
            return self._read(status, headers, content.decode("utf-8-sig", "replace"), self._credentials)
        raise TryAgain(why)  # outside the handler: the cause may hold what the server sent, and with it the key

    async def aclose(self) -> None:
        """Give the connections back and answer no more; closing again does nothing."""
        self._closed = True
        if self._client is not None:
            client, self._client = self._client, None
            await client.release()

    async def _post(self, request: Mapping[str, Any], credentials: Credentials) -> tuple[int, Any, bytes]:
        """Return (status, headers, body) of the server's answer."""
        if self._client is None:
            self._client = PooledClient.shared()
        post = self._client.session.post(
            f"{self._address}{self._path}",
            data=json.dumps(request).encode(),
            headers=credentials.headers,
            allow_redirects=False,  # they would turn the request into another, and carry the key to another host
        )
        async with post as response:
            limit = self.max_answer(request) if response.status == 200 else MAX_REFUSAL_BYTES
            return response.status, response.headers, await _read_body(response, limit)

    def _read(self, status: int, headers: Any, body: str, credentials: Credentials) -> Reply:
        if status == 200:
            wrapped = False
            try:
                return self.read(body, credentials.hide)
            except NoAnswerError as other:
                wrapped, body = other.wrapped, other.shown
            except ValueError:
                pass
            if not wrapped:
                shown = credentials.redact(body[:MAX_REFUSAL_BYTES])
                raise TryAgain(f"answered with no {self.answers_with}: {_start(shown)}")
        refusal = Refusal(status, headers, body, self._address, credentials.redact)
        if refusal.temporary:
            raise TryAgain(f"answered {refusal.message}", after=refusal.after)
        error = f"{self._address} answered {refusal.message}{self.hint(status)}"
        return Reply(error=error, refused=refusal.about_question)

    def _describe_failure(self, error: Exception) -> str:
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        if not isinstance(error, aiohttp.ClientConnectorError):
            return f"broke off before the answer of {self._address} was complete: {cause}"
        number = error.errno or 0
        if not isinstance(error, aiohttp.ClientSSLError) and number > 0:
            cause = os.strerror(number)
        return f"cannot be reached at {self._address}: {cause}"


async def _read_body(response: aiohttp.ClientResponse, limit: int) -> bytes:
    """Return the body; of a refusal only its first `limit` bytes. Raises TryAgain if an answer is longer."""
    content = bytearray()
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > limit:
            if response.status == 200:
                raise TryAgain(f"answered with more than {limit >> 20} MB, far above what was asked for")
            return bytes(content[:limit])  # the connection is closed with the rest of the page unread
    return bytes(content)


def _start(text: str) -> str:
    text = " ".join(text.split())
    return repr(text[:200]) if text else "an empty body"
