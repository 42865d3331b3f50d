"""A judge behind HTTP: a question becomes one request, an answer a Reply, and every other outcome an error."""

import json
import os
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import aiohttp
from rewardlab import Ask, Reply
from rewardlab.errors import TryAgain, UserError

from rewardlab_http.client import PooledClient
from rewardlab_http.credentials import Credentials, address
from rewardlab_http.refusals import MAX_REFUSAL_BYTES, Refusal
from rewardlab_http.server_options import ServerOptions

Hide = Callable[[str], str]
MAX_ANSWER = 32 << 20
"""bytes of an answer whose question sets no limit; more than any model writes"""
ENVELOPE, TOKEN = 1 << 20, 64
"""bytes of an answer: around what the model wrote, and for a token of it"""


class NoAnswerError(Exception):
    """JSON that is not the answer that was asked for; an error in it, under `error`, is read as a refusal is."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        super().__init__()


class ServerJudge:
    """A judge that sends one `POST {base_url}{path}` per question, over the process's pooled connections.

        class MyJudge(ServerJudge):
            use, answers_with = "mine/chat", "message"

            def request(self, ask):
                return {"model": self.options.model, "prompt": ask.messages[-1]["content"], **self.options.parameters()}

            def read(self, answer, hide):
                return Reply(text=hide(answer["text"]), finish_reason=answer["why"])

    A busy or failing server (HTTP 408, 409, 425, 429, 5xx, a broken connection, an answer that is not whole JSON)
    raises TryAgain, with the pause that the server asks for; whatever another try cannot fix (a wrong key, model,
    address or request) is a Reply with the server's own words as its error, `refused` if another question may be
    answered. The key is read from the environment at the first question, so that a replay needs none.

    Args:
        use: the name in a recipe.
        answers_with: what the server writes, for messages.
    """

    use: ClassVar[str]
    answers_with: ClassVar[str] = "answer"

    def __init__(self, options: ServerOptions, base_url: str | None = None, path: str | None = None) -> None:
        """Make a judge.

        Args:
            base_url, path: in the place of the options' own.
        """
        self.options = options
        self._address = address(base_url or options.base_url)
        self._path = path or options.path
        self._credentials: Credentials | None = None
        self._client: PooledClient | None = None
        self._closed = False

    def request(self, ask: Ask) -> dict[str, Any]:
        """Return the body of the request that asks a question."""
        raise NotImplementedError

    def read(self, answer: Any, hide: Hide) -> Reply:
        """Return the reply in an answer, which is JSON of any form.

        A LookupError, TypeError, AttributeError or NoAnswerError says that it holds none: the question is asked again,
        unless there is an error in it that says otherwise.

        Args:
            hide: masks the secrets in a text.
        """
        raise NotImplementedError

    def max_answer(self, request: Mapping[str, Any]) -> int:
        """Return how many bytes the answer to a request may have."""
        tokens = request.get("max_tokens")
        return ENVELOPE + TOKEN * tokens if isinstance(tokens, int) else MAX_ANSWER

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
                self._credentials = Credentials.read(self.options)
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
            reply, body, is_error = self._read_answer(body, credentials.hide)
            if reply is not None:
                return reply
            if not is_error:
                shown = credentials.redact(body[:MAX_REFUSAL_BYTES])
                raise TryAgain(f"answered with no {self.answers_with}: {_start(shown)}")
        refusal = Refusal(status, headers, body, self._address, credentials.redact)
        if refusal.temporary:
            raise TryAgain(f"answered {refusal.message}", after=refusal.after)
        error = f"{self._address} answered {refusal.message}{self.hint(status)}"
        return Reply(error=error, refused=refusal.about_question)

    def _read_answer(self, body: str, hide: Hide) -> tuple[Reply | None, str, bool]:
        """Return (the reply in a body, else None; what the body holds; whether that is an error).

        Nothing is raised from here: what a handler raises has the body attached, and with it the key.
        """
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            return None, body, False
        try:
            return self.read(answer, hide), body, False
        except NoAnswerError as other:
            answer = other.answer
        except (LookupError, TypeError, AttributeError):
            pass
        # serialised again, with one way of escaping, so that secrets are found
        return None, json.dumps(answer, ensure_ascii=False), isinstance(answer, dict) and bool(answer.get("error"))

    def _describe_failure(self, error: Exception) -> str:
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        if not isinstance(error, aiohttp.ClientConnectorError):
            return f"closed the connection before the answer of {self._address} was complete: {cause}"
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


def token_count(value: object) -> int | None:
    """Return a server's count of tokens; None if it is none."""
    return value if type(value) is int and value >= 0 else None
