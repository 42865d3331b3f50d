"""Rubric judging at scale: wall time of 10,000 pointwise verdicts, and processor time a question beside win rates.

    python benchmarks/rubric_throughput.py [--rounds 3]

A local server answers after 50 ms, 64 questions at once: 10,000 verdicts take 7.8 s at best. Prompts have 300
characters, responses 800. Every contestant asks its questions through openai/chat in a process of its own:

    rubric/pointwise       1,250 prompts x 8 responses, a scale of five, JSON verdicts read by the strict reader
    pairwise/win_rate        357 prompts x 8 responses, balanced: 9,996 comparisons, boxed verdicts
    rubric/pairwise          357 prompts x 8 responses, balanced, JSON verdicts

Aims: pointwise within 1.25 of the ideal wall time, and at most 1.2 times the processor time of a question of
pairwise/win_rate. Exit code 1 where one is missed.
"""

import asyncio
import json
import random
import subprocess
import sys
import tempfile
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Iterator
from pathlib import Path

from judge_throughput import ANALYSIS, AT_ONCE, LATENCY, WORDS, Answering, answer, measured

SIZE = 8
AIM_WALL, AIM_CPU = 1.25, 1.2
POINTWISE = "{judge: main, rubric: {1: wrong, 2: poor, 3: fair, 4: good, 5: right and clear}}"
CONTESTANTS = {
    "rubric/pointwise": (1_250, POINTWISE, "bench-score"),
    "pairwise/win_rate": (357, "{judge: main, orders: balanced}", "bench"),
    "rubric/pairwise": (357, "{judge: main, orders: balanced}", "bench-pair"),
}
REPLIES = {
    b"bench-score": answer(json.dumps({"explanation": ANALYSIS, "score": 4})),
    b"bench-pair": answer(json.dumps({"explanation": ANALYSIS, "score": "Response 1"})),
    b"bench": answer(f"{ANALYSIS}\n\\boxed{{A}}"),
}
THIS = Path(__file__).resolve()


def main() -> int:
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--server", action="store_true", help=SUPPRESS)
    parser.add_argument("--contestant", help=SUPPRESS)
    parser.add_argument("--url", help=SUPPRESS)
    options = parser.parse_args()
    if options.server:
        asyncio.run(serve())
    elif options.contestant:
        print(json.dumps(scored(options.contestant, options.url)))
    else:
        return compare(options.rounds)
    return 0


def compare(rounds: int) -> int:
    """Print the table of the best rounds; return 1 where an aim is missed."""
    server = subprocess.Popen([sys.executable, str(THIS), "--server"], stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().strip()
        best: dict[str, dict] = {}
        for _ in range(rounds):
            for name in CONTESTANTS:
                result = run(name, url)
                best[name] = min(best.get(name, result), result, key=lambda one: one["cpu"])
    finally:
        server.terminate()
        server.wait()
    for name, result in best.items():
        ideal, each = result["calls"] / AT_ONCE * LATENCY, 1000 * result["cpu"] / result["calls"]
        wall = f"wall {result['wall']:.2f} s ({result['wall'] / ideal:.2f} x ideal)"
        print(f"{name:<18} {result['calls']:>6} questions  {wall}  {each:.3f} ms CPU a question")
    pointwise, pairs = best["rubric/pointwise"], best["pairwise/win_rate"]
    wall = pointwise["wall"] / (pointwise["calls"] / AT_ONCE * LATENCY)
    cpu = (pointwise["cpu"] / pointwise["calls"]) / (pairs["cpu"] / pairs["calls"])
    print(f"aims: wall {wall:.2f} of {AIM_WALL} x ideal, CPU {cpu:.2f} of {AIM_CPU} x pairwise/win_rate's")
    return int(wall > AIM_WALL or cpu > AIM_CPU)


def run(name: str, url: str) -> dict:
    done = subprocess.run(
        [sys.executable, str(THIS), "--contestant", name, "--url", url], capture_output=True, text=True, timeout=300
    )
    if done.returncode:
        sys.exit(f"{name} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def scored(name: str, url: str) -> dict:
    """Score all groups with one contestant; its seconds and its calls, each of which was answered and understood."""
    from rewardlab.judging.settings import JudgingSettings
    from rewardlab.plan import make_plan
    from rewardlab.recipe.loading import load
    from rewardlab.scoring.scorer import Scorer

    prompts, options, model = CONTESTANTS[name]
    work = list(groups(prompts))
    with tempfile.TemporaryDirectory() as folder:
        recipe = Path(folder) / "recipe.yaml"
        recipe.write_text(
            f"""
version: 1
judges:
  main: {{use: openai/chat, with: {{model: {model}, base_url: "{url}"}}, concurrency: {AT_ONCE}}}
reward:
  components:
    judged: {{use: {name}, with: {options}}}
  total: judged
"""
        )
        plan = make_plan(load(recipe), purpose="score")
        with Scorer(plan, judging=JudgingSettings(folder=Path(folder) / "judges")) as ready:
            results = []
            result = measured(lambda: results.extend(ready.score_groups(work)))
            usage = ready.judges["main"].usage
            calls = prompts * (SIZE if name == "rubric/pointwise" else SIZE * (SIZE - 1) // 2)
            assert usage.calls == usage.answers == calls, usage
            assert all(value is not None for group in results for value in group.totals)
    return result | {"calls": calls}


def groups(prompts: int) -> Iterator:
    """Prompts of 300 characters with 8 distinct responses of 800."""
    from rewardlab import Completion, Group, Sample

    rng = random.Random(0)

    def words(length: int) -> str:
        return " ".join(rng.choice(WORDS) for _ in range(length // 6))

    for row in range(prompts):
        yield Group(
            sample=Sample(id=str(row), prompt=({"role": "user", "content": words(300)},)),
            completions=tuple(Completion(text=f"{words(780)} \\boxed{{{number}}}") for number in range(SIZE)),
        )


class ByModel(Answering):
    """A server whose replies follow from the model that is asked for."""

    def data_received(self, data: bytes) -> None:
        self._data += data
        head, end, body = self._data.partition(b"\r\n\r\n")
        if not end:
            return
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        if len(body) < int(length.partition(b":")[2]):
            return
        self._data = b""
        reply = next(reply for model, reply in REPLIES.items() if b'"' + model + b'"' in body)
        asyncio.get_running_loop().call_later(LATENCY, self._write, reply)


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(ByModel, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await asyncio.sleep(1800)  # ends by itself where nobody ends it


if __name__ == "__main__":
    sys.exit(main())
