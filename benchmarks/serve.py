"""`rewardlab serve` beside the same reward in process: groups a second, latency, memory; and clients that misbehave.

    python benchmarks/serve.py                  # throughput and latency: whole groups, members, in process
    python benchmarks/serve.py --chaos          # 200 groups at a time whose clients drop, repeat, reorder and leave
    python benchmarks/serve.py --memory         # 20,000 groups, and the server's memory after each fifth

The server is a process of its own on the loopback; groups have 8 completions of 300 characters, the reward is
`format/boxed` (a trivial one: what is measured is the way to it).
"""

import asyncio
import re
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import aiohttp
from rewardlab import load_reward

SIZE, GROUPS, AT_ONCE = 8, 2000, 200
RECIPE = "{version: 1, reward: {components: {box: {use: format/boxed}}, total: box}}"
Row = dict[str, Any]


def main() -> None:
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--chaos", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--groups", type=int, default=GROUPS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        recipe = Path(folder) / "recipe.yaml"
        recipe.write_text(RECIPE)
        if options.chaos:
            chaos(recipe, options.groups)
        elif options.memory:
            memory(recipe, max(options.groups, 20_000))
        else:
            compare(recipe, options.groups)


def compare(recipe: Path, groups: int) -> None:
    """Print groups a second, and the latency of a group, of each way to ask."""
    print(f"{groups:,} groups of {SIZE}, {AT_ONCE} at a time")
    with load_reward(recipe) as reward:
        reward.score(rows("warm", 10))
        begun = time.perf_counter()
        reward.score(rows("in", groups))
        print(f"  in process              {groups / (time.perf_counter() - begun):8,.0f} groups/s")
    with server(recipe) as (url, _):
        asyncio.run(at_once(url, rows("warm", 10), whole))
        for name, ask in (("whole groups", whole), ("members one by one", members)):
            begun = time.perf_counter()
            took = asyncio.run(at_once(url, rows(name, groups), ask))
            seconds = time.perf_counter() - begun
            p50, p99 = median(took) * 1e3, sorted(took)[int(0.99 * len(took))] * 1e3
            print(f"  {name:22}  {groups / seconds:8,.0f} groups/s  p50 {p50:.0f} ms  p99 {p99:.0f} ms")


def chaos(recipe: Path, groups: int) -> None:
    """Ask with misbehaving clients, and check that each group is answered once and right."""
    random = Random(0)
    with server(recipe, "--max-groups", "100000") as (url, _):
        asyncio.run(at_once(url, rows("chaos", groups), lambda session, at, row: misbehave(session, at, row, random)))
        counts = asyncio.run(metrics(url))
    scored, repeated = (counts[f'rewardlab_groups_total{{outcome="{name}"}}'] for name in ("scored", "repeated"))
    print(f"{groups:,} groups of {SIZE}, {AT_ONCE} at a time: every member of every group got its own number")
    print(f"  scored {scored:,.0f} times; answered again {repeated:,.0f} times")
    assert scored == groups, "a group was scored more than once"


def memory(recipe: Path, groups: int) -> None:
    """Print the server's resident memory as groups go by."""
    with server(recipe, "--keep", str(8 * 2**20)) as (url, pid):
        for part in range(6):
            asyncio.run(at_once(url, rows(f"memory{part}", groups // 5 if part else 1000), whole))
            status = Path(f"/proc/{pid}/status").read_text()
            found = int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024
            print(f"  after {part * groups // 5 + 1000:6,} groups: {found:.1f} MiB")


def rows(name: str, count: int) -> list[Row]:
    """Return rows whose texts no other row has: the completion of slot s is right if s is odd."""
    return [
        {
            "id": f"{name}-{number}",
            "prompt": f"{name} {number}?",
            "completions": [
                f"{number} {slot} " + "x" * 290 + ("\\boxed{1}" if slot % 2 else "") for slot in range(SIZE)
            ],
        }
        for number in range(count)
    ]


async def at_once(url: str, work: list[Row], ask: Callable[..., Awaitable[None]]) -> list[float]:
    """Ask about all rows, AT_ONCE at a time, and return the seconds that each took."""
    took: list[float] = []
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:
        places = asyncio.Semaphore(AT_ONCE)

        async def one(row: Row) -> None:
            async with places:
                begun = time.perf_counter()
                await ask(session, url, row)
                took.append(time.perf_counter() - begun)

        await asyncio.gather(*map(one, work))
    return took


async def whole(session: aiohttp.ClientSession, url: str, row: Row) -> None:
    async with session.post(f"{url}/v1/groups", json=row) as answer:
        assert (await answer.json())["total"] == [slot % 2 for slot in range(SIZE)]


async def members(session: aiohttp.ClientSession, url: str, row: Row) -> None:
    await asyncio.gather(*(member(session, url, row, slot) for slot in range(SIZE)))


async def member(session: aiohttp.ClientSession, url: str, row: Row, slot: int) -> None:
    body = {"size": SIZE, "prompt": row["prompt"], "completion": row["completions"][slot]}
    async with session.post(f"{url}/v1/groups/{row['id']}/members/{slot}", json=body) as answer:
        assert (await answer.json())["total"] == slot % 2


async def refused(session: aiohttp.ClientSession, url: str, row: Row, slot: int) -> None:
    """Ask about another text on a slot."""
    body = {"size": SIZE, "prompt": row["prompt"], "completion": "another"}
    async with session.post(f"{url}/v1/groups/{row['id']}/members/{slot}", json=body) as answer:
        assert answer.status == 409


async def persist(ask: Callable[..., Awaitable[None]], *arguments: Any) -> None:
    """Ask until there is an answer: a connection that is left open may end at the moment in which it is used again."""
    while True:
        try:
            return await ask(*arguments)
        except aiohttp.ClientError:
            await asyncio.sleep(0.05)


async def misbehave(session: aiohttp.ClientSession, url: str, row: Row, random: Random) -> None:
    """Ask about the members in any order, late, twice, or again after the answer, or leave before it and come again."""

    async def one(slot: int) -> None:
        await asyncio.sleep(random.random() * 0.2)
        if random.random() < 0.3:  # leaves before there is an answer
            gone = asyncio.ensure_future(member(session, url, row, slot))
            await asyncio.sleep(random.random() * 0.05)
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)
        repeats = 2 if random.random() < 0.3 else 1
        await asyncio.gather(*(persist(member, session, url, row, slot) for _ in range(repeats)))
        if random.random() < 0.1:
            await persist(refused, session, url, row, slot)

    slots = random.sample(range(SIZE), SIZE)
    await asyncio.gather(*map(one, slots))
    if random.random() < 0.3:  # lost the answer, and asks once more when the group is done
        await persist(member, session, url, row, slots[0])


async def metrics(url: str) -> dict[str, float]:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/metrics") as answer:
        lines = [line.rpartition(" ") for line in (await answer.text()).splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in lines}


@contextmanager
def server(recipe: Path, *flags: str) -> Iterator[tuple[str, int]]:
    """Yield the address of a server of the recipe, and its process id."""
    command = [sys.executable, "-m", "rewardlab", "serve", str(recipe), "--port", "0", *flags]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        yield re.search(r"http://\S+?:\d+", process.stderr.readline())[0], process.pid
        process.terminate()
        assert process.wait(60) == 0


if __name__ == "__main__":
    main()
