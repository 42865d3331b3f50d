"""Requests to a reward server: connections that are kept, and tries that are repeated until there is an answer."""

import asyncio
import json
import random
from collections.abc import Mapping
from typing import Any

import aiohttp
from rewardlab.errors import JobError, UserError

PASSING = (408, 429, 500, 502, 503, 504)
"""statuses after which the same request may be answered"""
MAX_PAUSE = 300.0
"""seconds between two tries, whatever a server or a proxy says"""


class Requests:
    """Requests to one server, on one event loop.

    timeout: seconds of one try. connections: that are open at the same time.
    """

    def __init__(self, url: str, token: str | None, timeout: float = 900.0, connections: int = 8192) -> None:
        self._url, self._timeout, self._connections = url.rstrip("/"), timeout, connections
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._session: aiohttp.ClientSession | None = None

    async def post(self, path: str, body: Mapping[str, Any], tries: int, lack: str) -> dict[str, Any]:
        """Return the answer to a request.

        Raises a UserError if a repeat cannot help, and a JobError, which says what is lacking, after all tries.
        """
        last = ""
        for attempt in range(tries):
            try:
                async with self._opened().post(self._url + path, json=body, headers=self._headers) as answer:
                    if answer.status == 200:
                        scores: dict[str, Any] = await answer.json()
                        return scores
                    last = f"HTTP {answer.status}: {_message(await answer.text())}"
                    if answer.status not in PASSING:
                        raise UserError(last, where=self._url + path)
                    pause = _pause(answer.headers.get("Retry-After", ""))
            except (aiohttp.ClientError, TimeoutError, ValueError) as error:
                last, pause = f"{type(error).__name__}: {error}", 0.0
            if attempt < tries - 1:
                await asyncio.sleep(max(pause, min(30.0, 0.25 * 2**attempt)) * random.uniform(1.0, 1.25))
        raise JobError(f"{self._url}{path}: {lack} after {tries} tries; last: {last}")

    async def close(self) -> None:
        """End the connections; closing again does nothing."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=self._connections)
            timeout = aiohttp.ClientTimeout(total=self._timeout, connect=30)
            self._session = aiohttp.ClientSession(connector=connector, timeout=timeout)
        return self._session


def _pause(retry_after: str) -> float:
    """Return the seconds that a server asks for; 0 for a date or anything else, as the growing pauses do then."""
    return min(float(retry_after), MAX_PAUSE) if retry_after.isascii() and retry_after.isdecimal() else 0.0


def _message(answer: str) -> str:
    """Return what a server says of an error; of one that is not ours, such as a proxy, the beginning of its page."""
    try:
        return str(json.loads(answer)["error"]["message"])
    except (ValueError, LookupError, TypeError):
        return answer[:300]
