"""Scoring inside of OpenRLHF: completions a second from rollout engines to rewards, and what they cost each process.

    python benchmarks/openrlhf_scoring.py                   # an environment with openrlhf and ray; no GPU
    python benchmarks/openrlhf_scoring.py --scorers 4 --groups 512 --size 16

Two actors stand for rollout engines, each with the executor that a run directory's stub has; their engine returns
ready token ids at once, so that all the time is ours: prompts and texts are tokenized and decoded, completions go to
the scorers, groups are scored, and recorded by the coordinator. Measured, after a warm-up:

    inline   math/accuracy, format/boxed and pairwise/win_rate with the judge pairwise/overlap in the scorers
    judge    pairwise/win_rate alone, its judge behind HTTP (50 ms, 64 at once), which the scorers ask

Both are compared with the same groups scored by one Scorer.score_groups in a process of its own, which is what a
reward function could do. CPU is of whole processes, their workers included. A stall is how long an engine's event
loop was held at most, in a round of its own in which completions come over a few seconds, as from a real engine.
"""

import asyncio
import gc
import json
import logging
import os
import random
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ENGINES, LATENCY, AT_ONCE = 2, 0.05, 64
OVER = 5.0
"""seconds within which completions come where stalls are measured"""
WARM_UP = 2
"""groups of each engine that are not counted"""
THIS = Path(__file__).resolve()
COMPONENTS = {
    "inline": """
    accuracy: {use: math/accuracy, workers: 1}
    boxed: {use: format/boxed}
    preference: {use: pairwise/win_rate, with: {judge: main, privileged: reference, orders: both}}
  total: accuracy + boxed + preference
  correctness: accuracy
""",
    "judge": """
    preference: {use: pairwise/win_rate, with: {judge: main, orders: both}}
  total: preference
""",
}
JUDGES = {
    "inline": "{use: pairwise/overlap}",
    "judge": '{use: openai/chat, with: {model: bench, base_url: "URL"}, concurrency: AT_ONCE}',
}
RECIPE = """
version: 1
judges:
  main: JUDGE
reward:
  components:COMPONENTS
stages:
- {use: rl, algorithm: grpo, batch_size: 16, group_size: SIZE}
backend: {use: openrlhf}
"""


def main() -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=list(COMPONENTS), help="one of the two")
    parser.add_argument("--groups", type=int, default=128, help="prompts of `inline`; `judge` has a quarter of them")
    parser.add_argument("--size", type=int, default=8, help="completions of a prompt")
    parser.add_argument("--tokens", type=int, default=2000, help="of a completion, about four characters each")
    parser.add_argument("--scorers", type=int, default=2)
    parser.add_argument("--growth", action="store_true", help="memory of every process after each eighth of the groups")
    parser.add_argument("--json", action="store_true", help="print no more than CPU a completion, in ms, by actor")
    parser.add_argument("--bare", nargs=2, metavar=("RECIPE", "ROWS"), help="the bare scorer alone, in this process")
    options = parser.parse_args()
    if options.bare:
        print(json.dumps(bare(*map(Path, options.bare))))
        return
    for what in [options.only] if options.only else COMPONENTS:
        count = options.groups if what == "inline" else max(ENGINES, options.groups // 4)
        with tempfile.TemporaryDirectory(prefix="rl_", dir="/tmp") as folder:  # Ray's socket paths may not be long
            compare(what, Path(folder), count, options)


def compare(what: str, folder: Path, count: int, options: Any) -> None:
    work = groups(2 * count + WARM_UP * ENGINES, options.size, options.tokens)
    if options.json:
        costs(what, folder, work, count, options)
        return
    print(f"\n{what}: {count} groups of {options.size}, {options.tokens} tokens each, {options.scorers} scorers")
    with_url = serving if what == "judge" else nothing
    with with_url() as url:
        recipe = write_recipe(folder / "alone", what, url, options.size)
        rows = folder / "rows.jsonl"
        rows.write_text("".join(f"{json.dumps(group)}\n" for group in work[-count:]))
        command = [sys.executable, str(THIS), "--bare", str(recipe), str(rows)]
        alone = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
        ours = through_ray(folder, write_recipe(folder / "run", what, url, options.size), work, count, options)
    completions = count * options.size
    rate = completions / ours["wall"]
    print(f"  through the executor {rate:8.0f} completions a second; largest stall {ours['stall'] * 1000:.0f} ms")
    print(
        f"  a bare Scorer        {completions / alone['wall']:8.0f}; ratio {ours['wall'] / alone['wall']:.2f} of time"
    )
    for name, seconds in {**ours["cpu"], "bare Scorer": alone["cpu"]}.items():
        print(f"  {name:<20} {1000 * seconds / completions:8.2f} ms CPU a completion")
    print(f"  load of the machine  {os.getloadavg()[0]:8.1f} on {os.cpu_count()} cores")


def costs(what: str, folder: Path, work: Sequence[Mapping[str, Any]], count: int, options: Any) -> None:
    with (serving if what == "judge" else nothing)() as url:
        ours = through_ray(folder, write_recipe(folder / "run", what, url, options.size), work, count, options)
    each = {name.partition(" (")[0]: 1000 * cpu / count / options.size for name, cpu in ours["cpu"].items()}
    print(json.dumps(each))


# --- The work: prompts, completions, files


def groups(count: int, size: int, tokens: int) -> list[dict[str, Any]]:
    """Prompts with answers of which some are right; words of four characters, a token each."""
    rng = random.Random(0)
    words = [f"w{number:02d}" for number in range(100)]
    made = []
    for row in range(count):
        answers = [f"{' '.join(rng.choices(words, k=tokens - 4))} \\boxed{{ {rng.randrange(3)} }}" for _ in range(size)]
        made.append(
            {"row": row, "query": f"What is {row} - {row - row % 3} ?", "answer": str(row % 3), "texts": answers}
        )
    return made


def samples(work: Sequence[Mapping[str, Any]]) -> list[Any]:
    from rewardlab import Sample

    return [
        Sample(
            id=str(group["row"]),
            prompt=({"role": "user", "content": group["query"]},),
            fields={"answer": group["answer"], "reference": f"The answer is {group['answer']}."},
        )
        for group in work
    ]


def write_recipe(folder: Path, what: str, url: str, size: int) -> Path:
    folder.mkdir()
    words = {"COMPONENTS": COMPONENTS[what].rstrip(), "JUDGE": JUDGES[what], "URL": url}
    words |= {"AT_ONCE": str(AT_ONCE), "SIZE": str(size)}
    text = RECIPE
    for word, said in words.items():
        text = text.replace(word, said)
    path = folder / "recipe.resolved.yaml"
    path.write_text(text)
    return path


class nothing:
    """No server."""

    def __enter__(self) -> str:
        return ""

    def __exit__(self, *_: object) -> None:
        pass


class serving(nothing):
    """tests/judge_server.py in a process of its own."""

    def __enter__(self) -> str:
        script = THIS.parent.parent / "tests" / "judge_server.py"
        command = [sys.executable, str(script), "--port", "0", "--latency", str(LATENCY)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()


# --- A Scorer alone


def bare(recipe: Path, rows: Path) -> dict[str, float]:
    from rewardlab import Completion, Group
    from rewardlab.judging.settings import JudgingSettings
    from rewardlab.plan import make_plan
    from rewardlab.recipe.loading import load
    from rewardlab.scoring.scorer import Scorer

    work = [json.loads(line) for line in rows.read_text().splitlines()]
    given = [
        Group(sample=sample, completions=tuple(Completion(text=text) for text in group["texts"]))
        for sample, group in zip(samples(work), work, strict=True)
    ]
    judging = JudgingSettings(folder=recipe.parent / "judges")
    with Scorer(make_plan(load(recipe, strict=False), purpose="score"), judging=judging) as scorer:
        scorer.warm()
        scorer.score_groups(given[:WARM_UP])
        before, start = cpu_seconds(), time.perf_counter()
        scorer.score_groups(given)
        return {"wall": time.perf_counter() - start, "cpu": cpu_seconds() - before}


def cpu_seconds(_: object = None) -> float:
    """Of this process and its children."""
    import psutil

    me = psutil.Process()
    return sum(sum(one.cpu_times()[:2]) for one in [me, *me.children(recursive=True)])


def resident(_: object = None) -> float:
    """MB that this process has in memory, without its children."""
    import psutil

    return psutil.Process().memory_info().rss / 1e6


# --- The whole path


def through_ray(
    folder: Path, recipe: Path, work: Sequence[Mapping[str, Any]], count: int, options: Any
) -> dict[str, Any]:
    import ray
    from rewardlab_ray.job_options import Scorers
    from rewardlab_ray.rendered_rows import Row, write_rows
    from rewardlab_ray.scoring.service import ServiceSettings, start_service

    stage = recipe.parent / "engine" / "0-rl"
    stage.mkdir(parents=True)
    rows = zip(samples(work), work, strict=True)
    write_rows(stage / "samples.jsonl", (Row(sample=sample, prompt=group["query"]) for sample, group in rows))
    (stage / "order.json").write_text(json.dumps(list(range(len(work)))))
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    small = {"object_store_memory": 500_000_000, "include_dashboard": False, "log_to_driver": False}
    logging.getLogger("ray").setLevel(logging.ERROR)
    ray.init(address="local", num_cpus=8, _temp_dir=str(folder / "ray"), logging_level="ERROR", **small)
    try:
        settings = {"job": "bench", "run": recipe.parent, "recipe": recipe, "stage": 0, "attempt": 0}
        service = start_service(
            ServiceSettings(**settings, folder=stage, home=folder), Scorers(replicas=options.scorers, num_cpus=0.1)
        )
        try:
            return measured(service, work, count, options)
        finally:
            service.close()
    finally:
        ray.shutdown()


def measured(service: Any, work: Sequence[Mapping[str, Any]], count: int, options: Any) -> dict[str, Any]:
    import ray

    shares = [work[number::ENGINES] for number in range(ENGINES)]
    engine = ray.remote(Engine).options(num_cpus=0)
    engines = [engine.remote(share, options.scorers, options.tokens) for share in shares]
    processes = {"an engine's actor": engines, "a scorer": service.scorers, "the coordinator": [service.coordinator]}
    rounds = 8 if options.growth else 1
    ray.get([one.prepare.remote(0, WARM_UP) for one in engines])
    ray.get([one.rollouts.remote() for one in engines])
    cpu, wall, done = dict.fromkeys(cpu_of(processes), 0.0), 0.0, WARM_UP
    for number in range(rounds):
        to = WARM_UP + count // ENGINES * (number + 1) // rounds
        ray.get([one.prepare.remote(done, to) for one in engines])
        before = cpu_of(processes)
        found = ray.get([one.rollouts.remote() for one in engines])
        cpu = {name: cpu[name] + now - before[name] for name, now in cpu_of(processes).items()}
        wall += max(seconds for seconds, _ in found)
        done = to
        if options.growth:
            memory = {name: max(asked_of(actors, resident)) for name, actors in processes.items()}
            print(f"  {done * ENGINES:6} groups: " + ", ".join(f"{name} {mb:.0f} MB" for name, mb in memory.items()))
    ray.get([one.prepare.remote(done, done + count // ENGINES) for one in engines])
    stall = max(held for _, held in ray.get([one.rollouts.remote(OVER) for one in engines]))
    return {"wall": wall, "stall": stall, "cpu": cpu}


def cpu_of(processes: Mapping[str, Sequence[Any]]) -> dict[str, float]:
    return {f"{name} (x {len(actors)})": sum(asked_of(actors, cpu_seconds)) for name, actors in processes.items()}


def asked_of(actors: Sequence[Any], what: Any) -> list[float]:
    import ray

    return ray.get([actor.__ray_call__.remote(what) for actor in actors])


class Engine:
    """A rollout engine's actor: calls `execute` as OpenRLHF does, for all members of a prompt at once."""

    def __init__(self, work: Sequence[Mapping[str, Any]], scorers: int, tokens: int):
        from rewardlab_openrlhf.rollout.executor import GroupExecutor

        settings = {"completion_timeout": 600.0, "scoring_timeout": 600.0, "on_partial": "fail", "scorers": scorers}
        settings["sampling"] = {}
        stub = type("AgentExecutor", (GroupExecutor,), {"job": "bench", "settings": settings})
        self._executor = stub()
        self._tokenizer = make_tokenizer()
        self._work = work
        self._length = 2 * tokens
        self._ready: list[tuple[Mapping[str, Any], Instant]] = []

    async def prepare(self, first: int, last: int) -> None:
        """Make the completions of the groups from `first` on, whose making is not measured."""
        self._ready = [
            (group, Instant(self._tokenizer(group["texts"])["input_ids"])) for group in self._work[first:last]
        ]
        gc.collect()
        gc.freeze()  # millions of made log-probabilities would be looked at again and again

    async def rollouts(self, over: float = 0.0) -> tuple[float, float]:
        """All that is prepared, at once or over some seconds; seconds that it takes, and that the loop was held."""
        ready, self._ready = self._ready, []
        for _, engine in ready:
            engine.over = over
        start = time.perf_counter()
        stall = await largest_stall(asyncio.gather(*(self._prompt(*one) for one in ready)))
        return time.perf_counter() - start, stall

    async def _prompt(self, group: Mapping[str, Any], engine: "Instant") -> None:
        label = json.dumps({"ticket": group["row"]})
        params = SimpleNamespace(max_tokens=self._length // 2, logprobs=1, temperature=1.0)
        given = ("", label, params, self._length, self._tokenizer, engine)
        answers = await asyncio.gather(*[self._executor.execute(*given) for _ in group["texts"]])
        assert len({round(answer["extra_logs"]["group/size"]) for answer in answers}) == 1


class Instant:
    """An engine that has its completions already; they come within `over` seconds."""

    over = 0.0

    def __init__(self, ids: Sequence[list[int]]):
        self._outputs = [
            SimpleNamespace(
                token_ids=one,
                finish_reason="stop",
                logprobs=[{token: SimpleNamespace(logprob=-0.5)} for token in one],
            )
            for one in ids
        ]

    async def generate(self, ids: list[int], params: Any) -> Any:
        await asyncio.sleep(self.over * random.random())
        return SimpleNamespace(outputs=[self._outputs.pop()])


async def largest_stall(work: Any) -> float:
    stall, last = 0.0, time.perf_counter()
    while not work.done():
        await asyncio.sleep(0.001)
        now = time.perf_counter()
        stall, last = max(stall, now - last), now
    await work
    return stall


def make_tokenizer() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    known = [
        *(f"w{number:02d}" for number in range(100)),
        *map(str, range(1000)),
        "\\boxed{",
        "}",
        "What",
        "is",
        "-",
        "?",
    ]
    words = {word: number for number, word in enumerate(["<pad>", "<eos>", "<unk>", *known])}
    model = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    model.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    special = {"pad_token": "<pad>", "eos_token": "<eos>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(tokenizer_object=model, **special)


if __name__ == "__main__":
    os.environ.setdefault("NO_PROXY", "127.0.0.1")
    main()
