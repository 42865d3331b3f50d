"""One address for several servers: connections go round, past servers that do not answer.

    python3 -m rewardlab_launch.balance HOST:PORT...

It runs on the head node of a job, before the servers of one service. It reads nothing of what passes, so streams and
every API go through. A server that dies costs the questions that were on their way, which judges ask again.
"""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress

CONNECT_S = 5.0
AWAY_S = 10.0
"""for which a server that did not answer is asked last"""


class Balancer:
    """The servers behind one address, each with the connections that it has and when it was last away."""

    def __init__(self, servers: Sequence[str]) -> None:
        self._servers = [(host, int(port)) for host, _, port in (server.rpartition(":") for server in servers)]
        self._open = dict.fromkeys(self._servers, 0)
        self._away = dict.fromkeys(self._servers, float("-inf"))

    async def serve(self, host: str = "0.0.0.0") -> None:
        """Listen on a port that is free until this is cancelled; a line on stdout says which one."""
        server = await asyncio.start_server(self._take, host, 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        async with server:
            await server.serve_forever()

    def _in_order(self) -> list[tuple[str, int]]:
        """Return the servers, the one with the fewest connections first and those that are away last."""
        now = asyncio.get_running_loop().time()
        return sorted(
            self._servers, key=lambda s: (now - self._away[s] < AWAY_S, self._open[s], self._servers.index(s))
        )

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for server in self._in_order():
            self._open[server] += 1  # before it is awaited, or all who come at once would go to the same one
            try:
                there = await asyncio.wait_for(asyncio.open_connection(*server), CONNECT_S)
            except (OSError, TimeoutError):
                self._away[server] = asyncio.get_running_loop().time()
            else:
                await asyncio.gather(_pass_on(reader, there[1]), _pass_on(there[0], writer))
                return
            finally:
                self._open[server] -= 1
        writer.close()


async def _pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Pass bytes on until one side ends; then the other ends, too."""
    with suppress(OSError):
        while piece := await source.read(1 << 16):
            target.write(piece)
            await target.drain()
    with suppress(OSError):
        target.close()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(Balancer(sys.argv[1:]).serve())
