"""The client of a reward server, for the code of a trainer."""

from collections.abc import Coroutine, Mapping
from typing import Any, Self
from urllib.parse import quote

from rewardlab.concurrency import LoopThread

from rewardlab_serve.requests import Requests


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
        self._retries = retries
        self._requests = Requests(url, token, timeout, connections)
        self._home = LoopThread("rewardlab-client")

    def score(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the scores of a group: {"id", "total": [G], "shaped": [G], "components"}.

        Args:
            row: {"prompt", "completions", ...fields}, with an `id` if the same texts are to be scored anew.

        Raises a UserError for a row that cannot be scored, and a JobError if there is no reward after all tries.
        """
        return self._home.run(self._post("/v1/groups", row))

    async def ascore(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return what `score` returns, without blocking the event loop."""
        return await self._home.here(self._post("/v1/groups", row))

    def score_member(self, group: str, slot: int, size: int, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the scores of one completion, once all `size` members of its group have come, from any process.

        Args:
            row: {"prompt", "completion", ...fields}; all but the completion is the same in each member.

        Raises what `score` raises.
        """
        return self._home.run(self._member(group, slot, size, row))

    async def ascore_member(self, group: str, slot: int, size: int, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return what `score_member` returns, without blocking the event loop."""
        return await self._home.here(self._member(group, slot, size, row))

    def close(self) -> None:
        """End the connections; closing again does nothing."""
        self._home.run(self._requests.close())
        self._home.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _member(self, group: str, slot: int, size: int, row: Mapping[str, Any]) -> Coroutine[Any, Any, dict[str, Any]]:
        return self._post(f"/v1/groups/{quote(group, safe='')}/members/{slot}", {**row, "size": size})

    async def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        return await self._requests.post(path, body, self._retries + 1, "no reward")
