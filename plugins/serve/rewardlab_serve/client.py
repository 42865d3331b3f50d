"""The client of a reward server: connections that are kept, and requests that are repeated until there is a reward."""

import asyncio
import json
import random
from collections.abc import Coroutine, Mapping
from typing import Any, Self
from urllib.parse import quote

import aiohttp
from rewardlab.concurrency import LoopThread
from rewardlab.errors import JobError, UserError

PASSING = (408, 429, 500, 502, 503, 504)
"""statuses after which the same request may be answered"""
MAX_PAUSE = 300.0
"""seconds between two tries, whatever a server or a proxy says"""


class RewardClient:
    """A client of `rewardlab serve`, for any thread and any event loop. Use it in `with`, or close it.

        with RewardClient("http://127.0.0.1:8321") as client:
            client.score({"prompt": "1+1?", "answer": "2", "completions": ["2", "3"]})["total"]

    token: what the server asks for. retries: further tries of a request that got no reward, with growing pauses or as
    long as the server says. timeout: seconds of one try, which for a member includes the wait for the group's others.
    connections: that are open at the same time. Members wait for each other, each on a connection of its own: where
    there are fewer than members that are asked about, they can wait for ones that have none.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        retries: int = 8,
        timeout: float = 900.0,
        connections: int = 8192,
    ) -> None:
        self._url, self._retries, self._timeout, self._connections = url.rstrip("/"), retries, timeout, connections
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._home = LoopThread("rewardlab-client")
        self._session: aiohttp.ClientSession | None = None

    def score(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the scores of a group: {"id", "total": [G], "shaped": [G], "components"}.

        row: {"prompt", "completions", ...fields}, with an `id` if the same texts are to be scored anew. Raises a
        UserError for a row that cannot be scored, and a JobError if there is no reward after all tries.
        """
        return self._home.run(self._post("/v1/groups", row))

    async def ascore(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return what `score` returns, without blocking the event loop."""
        return await self._home.here(self._post("/v1/groups", row))

    def score_member(self, group: str, slot: int, size: int, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the scores of one completion, once all `size` members of its group have come, from any process.

        row: {"prompt", "completion", ...fields}; all but the completion is the same in each member. Raises what `score`
        raises.
        """
        return self._home.run(self._member(group, slot, size, row))

    async def ascore_member(self, group: str, slot: int, size: int, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return what `score_member` returns, without blocking the event loop."""
        return await self._home.here(self._member(group, slot, size, row))

    def close(self) -> None:
        """End the connections; closing again does nothing."""
        if self._session is not None:
            self._home.run(self._session.close())
            self._session = None
        self._home.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _member(self, group: str, slot: int, size: int, row: Mapping[str, Any]) -> Coroutine[Any, Any, dict[str, Any]]:
        return self._post(f"/v1/groups/{quote(group, safe='')}/members/{slot}", {**row, "size": size})

    async def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        last = ""
        for attempt in range(self._retries + 1):
            try:
                async with self._opened().post(self._url + path, json=body, headers=self._headers) as answer:
                    if answer.status == 200:
                        found: dict[str, Any] = await answer.json()
                        return found
                    last = f"HTTP {answer.status}: {_message(await answer.text())}"
                    if answer.status not in PASSING:
                        raise UserError(last, where=self._url + path)
                    pause = _pause(answer.headers.get("Retry-After", ""))
            except (aiohttp.ClientError, TimeoutError, ValueError) as error:
                last, pause = f"{type(error).__name__}: {error}", 0.0
            if attempt < self._retries:
                await asyncio.sleep(max(pause, min(30.0, 0.25 * 2**attempt)) * random.uniform(1.0, 1.25))
        raise JobError(f"{self._url}{path}: no reward after {self._retries + 1} tries; last: {last}")

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
