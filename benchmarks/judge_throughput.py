"""Judging at scale: processor time and wall time of 3,584 comparisons, beside what a user would take instead.

    python benchmarks/judge_throughput.py
    python benchmarks/judge_throughput.py --python /path/to/python    # one with openai and py-openjudge installed

128 prompts x 8 completions, each pair once (28 a prompt), a local server that answers after 50 ms, 64 at once. The
ideal is 3,584 / 64 x 0.05 = 2.8 s. Every contestant runs in a process of its own, against the same server:

    rewardlab         pairwise/win_rate, balanced, over openai/chat: prompts, answers kept, verdicts, win rates
    repeats           the same with `repeats: 3`, three times as many questions
    panel             the same with a panel of three judges, which share the 64 places
    aiohttp           the bare client with prompts made beforehand, answers parsed as JSON, nothing else
    openai            the same with one shared AsyncOpenAI client
    py-openjudge      its tournament over its own grader and client

Then completions that arrive over 10 s: how long after the last one is the last reward out?
"""

import asyncio
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path

PROMPTS, SIZE, AT_ONCE, LATENCY = 128, 8, 64, 0.05
CALLS = PROMPTS * SIZE * (SIZE - 1) // 2
TIMES = 3
IDEAL = CALLS / AT_ONCE * LATENCY
AIM_CPU, AIM_WALL = 1.2, 1.2
ARRIVAL_S = 10.0
THIS = Path(__file__).resolve()


def main() -> None:
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", help="of an environment with openai and py-openjudge")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--server", action="store_true", help=argparse_hidden())
    parser.add_argument("--contestant", help=argparse_hidden())
    parser.add_argument("--url", help=argparse_hidden())
    options = parser.parse_args()
    if options.server:
        asyncio.run(serve())
    elif options.contestant:
        print(json.dumps(CONTESTANTS[options.contestant](options.url)))
    else:
        compare(options.python, options.rounds)


def argparse_hidden() -> str:
    import argparse

    return argparse.SUPPRESS


# --- The table


def compare(other_python: str | None, rounds: int) -> None:
    server = subprocess.Popen([sys.executable, str(THIS), "--server"], stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().strip()
        each = f"{AT_ONCE} at once, {LATENCY * 1000:g} ms each"
        print(f"{CALLS} comparisons, {each}: ideal wall {IDEAL:.2f} s; best of {rounds}")
        best: dict[str, dict] = {}
        for _ in range(rounds):
            for name in ("rewardlab", "repeats", "panel", "aiohttp", "openai", "py-openjudge"):
                python = other_python if name in ("openai", "py-openjudge") else sys.executable
                if python is None:
                    continue
                result = run(python, name, url)
                if name not in best or result["cpu"] < best[name]["cpu"]:
                    best[name] = result
        for name, result in best.items():
            calls = result.get("calls", CALLS)
            ratio = result["cpu"] / calls / (best["rewardlab"]["cpu"] / CALLS)
            print(
                f"  {name:<13} {result['cpu']:6.2f} s CPU  {result['wall']:6.2f} s wall  "
                f"{result['connections']:>3} connections  {calls / result['wall']:5.0f} verdicts a second  "
                f"{ratio:.2f} times our CPU a question"
            )
        ours = best["rewardlab"]
        print(f"  aims: CPU {ours['cpu']:.2f} of {AIM_CPU} s, wall {ours['wall'] / IDEAL:.2f} of {AIM_WALL} x ideal")
        arrival = run(sys.executable, "arrival", url)
        print(f"{PROMPTS} x {SIZE} completions that arrive over {ARRIVAL_S:g} s; last reward after the last of them:")
        for name, seconds in list(arrival.items())[:4]:
            print(f"  {name:<20} {seconds:.3f} s, {seconds / LATENCY:.1f} judge latencies (aim: 2)")
    finally:
        server.terminate()
        server.wait()


def run(python: str, name: str, url: str) -> dict:
    before = stats(url)
    command = [python, str(THIS), "--contestant", name, "--url", url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"{name} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1]) | {"connections": stats(url) - before - 1}


def stats(url: str) -> int:
    """Connections that the server has seen; asking is one more."""
    from urllib.request import urlopen

    return int(urlopen(f"{url}/stats").read())


def measured(work) -> dict:
    """CPU and wall seconds of a call, without what came before it."""
    usage, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    work()
    wall, now = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    return {"wall": wall, "cpu": now.ru_utime + now.ru_stime - usage.ru_utime - usage.ru_stime}


# --- The work


def groups() -> list[dict]:
    """128 prompts of 300 characters, solutions of 800 and 8 distinct answers of 800."""
    rng = random.Random(0)

    def words(length: int) -> str:
        return " ".join(rng.choice(WORDS) for _ in range(length // 6))

    return [
        {
            "id": str(row),
            "query": words(300),
            "reference": words(800),
            "answers": [f"{words(780)} \\boxed{{{answer}}}" for answer in range(SIZE)],
        }
        for row in range(PROMPTS)
    ]


WORDS = ["apple", "seven", "train", "leave", "total", "price", "equal", "minus", "twice", "hence", "third", "speed"]


def rewardlab(url: str, judges: tuple[str, ...] = ("main",), repeats: int = 1) -> dict:
    from rewardlab import Completion, Group, Sample

    work = [
        Group(
            sample=Sample(
                id=group["id"],
                prompt=({"role": "user", "content": group["query"]},),
                fields={"reference": group["reference"]},
            ),
            completions=tuple(Completion(text=text) for text in group["answers"]),
        )
        for group in groups()
    ]
    with tempfile.TemporaryDirectory() as folder, scorer(url, folder, "balanced", judges, repeats) as ready:
        result = measured(lambda: ready.score_groups(work))
        for usage in ready.judges.usage().values():
            assert usage.calls == usage.answers == CALLS * repeats, usage
    return result | {"calls": CALLS * repeats * len(judges)}


def asked_again(url: str) -> dict:
    return rewardlab(url, repeats=TIMES)


def panel(url: str) -> dict:
    return rewardlab(url, judges=("main", "second", "third"))


def scorer(url: str, folder: str, orders: str, judges: tuple[str, ...] = ("main",), repeats: int = 1):
    from rewardlab.judging.settings import JudgingSettings
    from rewardlab.plan import make_plan
    from rewardlab.recipe.loading import load
    from rewardlab.scoring.scorer import Scorer

    recipe = Path(folder) / "recipe.yaml"
    places = AT_ONCE // len(judges)
    declared = "\n".join(
        f'  {name}: {{use: openai/chat, with: {{model: bench, base_url: "{url}"}}, concurrency: {places}}}'
        for name in judges
    )
    asked = judges[0] if len(judges) == 1 else f"[{', '.join(judges)}]"
    recipe.write_text(
        f"""
version: 1
judges:
{declared}
reward:
  components:
    preference:
      use: pairwise/win_rate
      with: {{judge: {asked}, privileged: reference, orders: {orders}}}
      repeats: {repeats}
  total: preference
"""
    )
    return Scorer(make_plan(load(recipe), purpose="score"), judging=JudgingSettings(folder=Path(folder) / "judges"))


def arrival(url: str) -> dict:
    """All completions evenly over ten seconds; seconds from the last one to the last reward.

    One prompt after the other, as engines with a full queue finish them; or in random order, where most groups
    are complete only in the last two seconds and ask more than a judge with 64 places can answer in that time.
    """
    result = {}
    for orders in ("both", "balanced"):
        for how in ("by prompt", "at random"):
            with tempfile.TemporaryDirectory() as folder, scorer(url, folder, orders) as ready:
                result[f"{orders}, {how}"] = asyncio.run(last_reward(ready, how))
    return result


async def last_reward(ready, how: str) -> float:
    from rewardlab import Completion, GroupStream, Sample

    made = groups()
    streams = [
        GroupStream(
            Sample(
                id=group["id"],
                prompt=({"role": "user", "content": group["query"]},),
                fields={"reference": group["reference"]},
            ),
            SIZE,
        )
        for group in made
    ]
    waiting = [asyncio.create_task(ready.score(stream)) for stream in streams]
    arrivals = [(row, index) for row in range(PROMPTS) for index in range(SIZE)]
    if how == "at random":
        random.Random(1).shuffle(arrivals)
    start = time.perf_counter()
    for count, (row, index) in enumerate(arrivals):
        await asyncio.sleep(max(0.0, start + ARRIVAL_S * count / len(arrivals) - time.perf_counter()))
        streams[row].put(index, Completion(text=made[row]["answers"][index]))
    last = time.perf_counter()
    await asyncio.gather(*waiting)
    return time.perf_counter() - last


def questions() -> list[list[dict]]:
    """Messages of the same size for contestants that bring no prompt of their own."""
    return [
        [
            {"role": "system", "content": "You compare two responses. " * 30},
            {"role": "user", "content": "\n\n".join([g["query"], g["reference"], g["answers"][i], g["answers"][j]])},
        ]
        for g in groups()
        for i in range(SIZE)
        for j in range(i)
    ]


def bare_aiohttp(url: str) -> dict:
    import aiohttp

    bodies = [json.dumps({"model": "bench", "messages": messages}).encode() for messages in questions()]

    async def work() -> None:
        places = asyncio.Semaphore(AT_ONCE)
        headers = {"Content-Type": "application/json"}
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

            async def one(body: bytes) -> str:
                async with places, session.post(f"{url}/chat/completions", data=body, headers=headers) as response:
                    return json.loads(await response.read())["choices"][0]["message"]["content"]

            await asyncio.gather(*map(one, bodies))

    return measured(lambda: asyncio.run(work()))


def shared_openai(url: str) -> dict:
    from openai import AsyncOpenAI

    asked = questions()

    async def work() -> None:
        places = asyncio.Semaphore(AT_ONCE)
        async with AsyncOpenAI(base_url=url, api_key="none") as client:

            async def one(messages: list[dict]) -> str | None:
                async with places:
                    answer = await client.chat.completions.create(model="bench", messages=messages)
                return answer.choices[0].message.content

            await asyncio.gather(*map(one, asked))

    return measured(lambda: asyncio.run(work()))


def openjudge(url: str) -> dict:
    from loguru import logger

    logger.remove()
    from openjudge.evaluation_strategy.grpo_tournament_evaluation_strategy import GRPOTournamentEvaluationStrategy
    from openjudge.graders.llm_grader import LLMGrader
    from openjudge.graders.schema import GraderMode
    from openjudge.models.openai_chat_model import OpenAIChatModel

    template = "You compare two responses. " * 30 + "{query}\n\n{response_1}\n\n{response_2}"
    model = OpenAIChatModel(model="bench-json", base_url=url, api_key="none")
    grader = LLMGrader(model=model, name="pair", mode=GraderMode.LISTWISE, template=template)

    async def work() -> None:
        places = asyncio.Semaphore(AT_ONCE)

        async def compare_pair(**pair: str):
            async with places:
                return await grader.aevaluate(**pair)

        tournament = GRPOTournamentEvaluationStrategy()
        scores = await asyncio.gather(
            *(
                tournament.execute(compare_pair, query=f"{g['query']}\n\n{g['reference']}", responses=g["answers"])
                for g in groups()
            )
        )
        assert all(score.metadata["valid_comparisons"] == SIZE - 1 for group in scores for score in group)

    return measured(lambda: asyncio.run(work()))


CONTESTANTS = {
    "rewardlab": rewardlab,
    "repeats": asked_again,
    "panel": panel,
    "aiohttp": bare_aiohttp,
    "openai": shared_openai,
    "py-openjudge": openjudge,
    "arrival": arrival,
}


# --- The server: so cheap that it holds nobody up


def answer(content: str) -> bytes:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    usage = {"prompt_tokens": 900, "completion_tokens": 150, "total_tokens": 1050}
    body = {"id": "x", "object": "chat.completion", "created": 0, "model": "bench", "choices": [choice], "usage": usage}
    return http(json.dumps(body).encode(), "application/json")


def http(body: bytes, kind: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


ANALYSIS = "Both responses follow the solution for some steps; the second one departs from it at the total. " * 6
VERDICT = answer(f"{ANALYSIS}\n\\boxed{{A}}")
RANK = answer('{"rank": [1, 2], "reason": "' + ANALYSIS + '"}')


class Answering(asyncio.Protocol):
    connections = 0

    def connection_made(self, transport) -> None:
        Answering.connections += 1
        self._transport, self._data = transport, b""

    def data_received(self, data: bytes) -> None:
        self._data += data
        head, end, body = self._data.partition(b"\r\n\r\n")
        if not end:
            return
        lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        if lengths and len(body) < int(lengths[0].partition(b":")[2]):
            return
        self._data = b""
        if head.startswith(b"GET"):
            self._write(http(str(Answering.connections).encode(), "text/plain"))
        else:
            reply = RANK if b"bench-json" in body else VERDICT
            asyncio.get_running_loop().call_later(LATENCY, self._write, reply)

    def _write(self, reply: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(reply)


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await asyncio.sleep(1800)  # ends by itself where nobody ends it


if __name__ == "__main__":
    os.environ.setdefault("NO_PROXY", "127.0.0.1")
    main()
