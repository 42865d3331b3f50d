"""Questions a second that the scorers of one OpenRLHF job ask, and what a question costs each process.

    python benchmarks/judge_questions.py                      # an environment with ray and rewardlab-openrlhf; no GPU
    python benchmarks/judge_questions.py --before COMMIT      # the same with the code of an earlier commit, in turn
    python benchmarks/judge_questions.py --budget --rate 600000

A real Ray with one coordinator and its scorers; groups are put and finished as an executor does, each of them asks
pairwise/win_rate's questions in both orders, and a local server answers at once. No two questions are equal, and every
answer is kept. CPU is of whole processes. On a machine whose cores are all busy, questions a second say how many cores
it has: what a question costs each process says how many cores a rate takes.
"""

import asyncio
import json
import logging
import os
import random
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable
from pathlib import Path
from typing import Any

THIS = Path(__file__).resolve()
WARM_UP = 4
"""groups of each scorer that are not counted"""
AT_ONCE = 8
"""groups of each scorer that are put at once"""
RECIPE = """
version: 1
judges:
  main:
    use: openai/chat
    with: {model: bench, base_url: "URL", max_tokens: 16}
    concurrency: 256
LIMITS
reward:
  components:
    preference: {use: pairwise/win_rate, with: {judge: main, orders: both}}
  total: preference
stages:
- {use: rl, algorithm: grpo, batch_size: 16, group_size: SIZE}
backend: {use: openrlhf}
"""
BODY = {
    "id": "x",
    "object": "chat.completion",
    "created": 0,
    "model": "bench",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "\\boxed{A}"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 200, "completion_tokens": 4, "total_tokens": 204},
}


def main() -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--groups", type=int, default=96)
    parser.add_argument("--size", type=int, default=8, help="completions of a group, each pair asked twice")
    parser.add_argument("--scorers", type=int, default=4)
    parser.add_argument("--budget", action="store_true", help="with a budget that suffices")
    parser.add_argument("--rate", type=int, help="requests a minute that are allowed")
    parser.add_argument("--before", metavar="COMMIT", help="compare with this commit")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--alone", help="for this script itself")
    parser.add_argument("--server", action="store_true", help="for this script itself")
    options = parser.parse_args()
    if options.server:
        asyncio.run(serve())
    elif options.alone:
        print(json.dumps(measured(options, Path(options.alone))))
    else:
        compare(options)


def compare(options: Any) -> None:
    with tempfile.TemporaryDirectory(prefix="rl_", dir="/tmp") as folder:  # Ray's socket paths may not be long
        sources = {"now": None} if options.before is None else {options.before: checkout(options.before, folder)}
        sources |= {"now": None}
        for number in range(options.rounds):
            for name, source in sources.items():
                print_result(name, in_process_of_its_own(Path(folder) / f"{number}-{name}", source))


def checkout(commit: str, folder: str) -> Path:
    """The sources of a commit, unpacked."""
    path = Path(folder) / "before"
    path.mkdir()
    archive = subprocess.run(["git", "archive", commit], cwd=THIS.parent.parent, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", str(path)], input=archive, check=True)
    return path


def in_process_of_its_own(folder: Path, source: Path | None) -> dict[str, Any]:
    environment = dict(os.environ)
    if source is not None:
        paths = [source / "core", *(source / "plugins").glob("*/*")]
        environment["PYTHONPATH"] = os.pathsep.join(map(str, paths))
    folder.mkdir()
    command = [sys.executable, str(THIS), "--alone", str(folder), *sys.argv[1:]]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr[-3000:])
    return json.loads(done.stdout.splitlines()[-1])


def print_result(name: str, found: dict[str, Any]) -> None:
    print(f"{name}: {found['questions']} questions in {found['wall']:.1f} s, {found['rate']:.0f} a second")
    for process, seconds in found["cpu"].items():
        print(f"  {process:<16} {1e6 * seconds / found['questions']:7.0f} us of CPU a question")
    for process, calls in found.get("calls", {}).items():
        print(f"  {process:<16} {calls:7}")
    print(f"  load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)


def measured(options: Any, folder: Path) -> dict[str, Any]:
    import ray

    server = subprocess.Popen([sys.executable, str(THIS), "--server"], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    logging.getLogger("ray").setLevel(logging.ERROR)
    small = {"object_store_memory": 200_000_000, "include_dashboard": False, "log_to_driver": False}
    paths = {"env_vars": {"PYTHONPATH": os.environ.get("PYTHONPATH", ""), "NO_PROXY": "127.0.0.1"}}
    ray.init(
        address="local", num_cpus=8, _temp_dir=str(folder / "ray"), logging_level="ERROR", runtime_env=paths, **small
    )
    try:
        service = start(options, folder, url)
        try:
            return drive(service, options, server.pid)
        finally:
            service.close()
    finally:
        ray.shutdown()
        server.terminate()
        server.wait()


def start(options: Any, folder: Path, url: str) -> Any:
    from rewardlab import Sample
    from rewardlab_ray.job_options import Scorers
    from rewardlab_ray.rendered_rows import Row, write_rows
    from rewardlab_ray.scoring.service import ServiceSettings, start_service

    run = folder / "run"
    stage = run / "engine" / "0-rl"
    stage.mkdir(parents=True)
    rows = options.groups + WARM_UP * options.scorers
    samples = (Sample(id=f"{n}", prompt=({"role": "user", "content": f"How much is {n} + 1?"},)) for n in range(rows))
    write_rows(stage / "samples.jsonl", (Row(sample=sample, prompt="?") for sample in samples))
    (stage / "order.json").write_text(json.dumps(list(range(rows))))
    limits = "    budget: {tokens: 1000000000}\n" if options.budget else ""
    limits += f"    requests_per_minute: {options.rate}\n" if options.rate else ""
    recipe = run / "recipe.resolved.yaml"
    recipe.write_text(RECIPE.replace("URL", url).replace("LIMITS\n", limits).replace("SIZE", str(options.size)))
    settings = {"job": "bench", "run": run, "recipe": recipe, "stage": 0, "attempt": 0, "folder": stage}
    return start_service(ServiceSettings(**settings, home=folder), Scorers(replicas=options.scorers, num_cpus=0.1))


def drive(service: Any, options: Any, server: int) -> dict[str, Any]:
    warm = WARM_UP * options.scorers
    asyncio.run(score(service, range(warm), options.size))
    processes: dict[str, Callable[[], float]] = {
        "scorers": lambda: sum(asked(service.scorers)),
        "the coordinator": lambda: sum(asked([service.coordinator])),
        "the server": lambda: cpu_seconds(server),
        "the driver": lambda: cpu_seconds(os.getpid()),
    }
    before, start = {name: cpu() for name, cpu in processes.items()}, time.perf_counter()
    asyncio.run(score(service, range(warm, warm + options.groups), options.size))
    wall = time.perf_counter() - start
    questions = options.groups * options.size * (options.size - 1)
    cpu = {name: cpu() - before[name] for name, cpu in processes.items()}
    return {"wall": wall, "questions": questions, "rate": questions / wall, "cpu": cpu}


async def score(service: Any, rows: range, size: int) -> None:
    """Put and finish groups, AT_ONCE for each scorer at a time."""
    waiting = list(rows)

    async def work(number: int) -> None:
        while waiting:
            await score_one(service.scorers[number % len(service.scorers)], waiting.pop(), size)

    await asyncio.gather(*(work(number) for number in range(AT_ONCE * len(service.scorers))))


async def score_one(scorer: Any, row: int, size: int) -> None:
    from rewardlab import Completion
    from rewardlab_ray.messages import GroupPlace

    rng = random.Random(row)
    place = GroupPlace(key=f"g{row}", row=row, evaluation=False, step=row // 16 + 1, size=size)
    for index in range(size):
        text = f"It is {row} and {index}, " + " ".join(f"{rng.random():.6f}" for _ in range(40))
        await scorer.put.remote(place, index, Completion(text=text, token_count=100))
    await scorer.more.remote(place.key, size)
    await scorer.finish.remote(place.key)


def cpu_seconds(pid: int) -> float:
    import psutil

    return sum(psutil.Process(pid).cpu_times()[:2])


def asked(actors: list[Any]) -> list[float]:
    import ray

    return ray.get([actor.__ray_call__.remote(lambda _: __import__("time").process_time()) for actor in actors])


# --- A server that answers at once, and costs as little as a Python server can


class Answering(asyncio.Protocol):
    answer = json.dumps(BODY).encode()

    def connection_made(self, transport: Any) -> None:
        self._transport, self._received = transport, b""
        self._head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(
            self.answer
        )

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            head = self._received[:end].lower()
            length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
            if len(self._received) < end + 4 + length:
                return
            self._received = self._received[end + 4 + length :]
            self._transport.write(self._head + self.answer)


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    os.environ.setdefault("NO_PROXY", "127.0.0.1")
    main()
