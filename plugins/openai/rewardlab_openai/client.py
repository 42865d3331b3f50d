"""The pooled HTTP client: one for all judges of an event loop, closed with the last of them."""

import asyncio
from typing import ClassVar
from weakref import WeakKeyDictionary

import aiohttp

KEEP_ALIVE_S = 4.0
"""less than the 5 s after which uvicorn (vLLM, SGLang) ends an idle connection: no question meets a closing one"""


class Client:
    """A session whose connections are kept and shared. How many there are is the host's `concurrency`."""

    _of_loop: ClassVar["WeakKeyDictionary[asyncio.AbstractEventLoop, Client]"] = WeakKeyDictionary()

    def __init__(self) -> None:
        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE_S)
        # deadlines are the host's; cookies would tie one question to another
        self.session = aiohttp.ClientSession(
            connector=connector, timeout=aiohttp.ClientTimeout(total=None), cookie_jar=aiohttp.DummyCookieJar()
        )
        self._users = 0

    @classmethod
    def shared(cls) -> "Client":
        """The client of the running loop; each call is to be followed by one `release`."""
        loop = asyncio.get_running_loop()
        client = cls._of_loop.get(loop)
        if client is None:
            client = cls._of_loop[loop] = cls()
        client._users += 1
        return client

    async def release(self) -> None:
        """Not needed any more by one of its users."""
        self._users -= 1
        if self._users == 0:
            del self._of_loop[asyncio.get_running_loop()]
            await self.session.close()
