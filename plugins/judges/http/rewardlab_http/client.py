"""The pooled HTTP client, which all judges of an event loop share and the last of them closes."""

import asyncio
from typing import ClassVar
from weakref import WeakKeyDictionary

import aiohttp

KEEP_ALIVE_S = 4.0
"""less than the 5 s after which uvicorn (vLLM, SGLang) ends an idle connection: no question meets a closing one"""


class PooledClient:
    """A session whose connections are kept and shared. The host's `concurrency` limits how many there are."""

    _by_loop: ClassVar["WeakKeyDictionary[asyncio.AbstractEventLoop, PooledClient]"] = WeakKeyDictionary()

    def __init__(self) -> None:
        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE_S)
        # the host sets deadlines; cookies would tie one question to another
        self.session = aiohttp.ClientSession(
            connector=connector, timeout=aiohttp.ClientTimeout(total=None), cookie_jar=aiohttp.DummyCookieJar()
        )
        self._users = 0

    @classmethod
    def shared(cls) -> "PooledClient":
        """Return the client of the running loop; each call must be followed by one `release`."""
        loop = asyncio.get_running_loop()
        client = cls._by_loop.get(loop)
        if client is None:
            client = cls._by_loop[loop] = cls()
        client._users += 1
        return client

    async def release(self) -> None:
        """Give up one user's share of the client; the last one closes it."""
        self._users -= 1
        if self._users == 0:
            del self._by_loop[asyncio.get_running_loop()]
            await self.session.close()
