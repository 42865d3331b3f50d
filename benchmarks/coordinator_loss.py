"""The cost of a coordinator that dies in the middle of a step: Ray restarts it, or the job goes back to a checkpoint.

    python benchmarks/coordinator_loss.py    # where OpenRLHF is (plugins/engines/openrlhf/tests); no GPU

A tiny policy trains in OpenRLHF's own loop on a CPU, three times: nothing happens; the coordinator's process is killed,
and Ray restarts it; it dies for good, and `backend.max_restarts` starts the job again from its last checkpoint. Seconds
are those from the first group of the step in which it dies to the end of the job. The local judge says what it was
asked, and what of that twice; the ledger and the usage say what the job believes.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from rewardlab_testing.backend_laws.ledger import read_groups, read_rows

ROOT = Path(__file__).resolve().parent.parent
RECIPE = ROOT / "plugins" / "engines" / "openrlhf" / "tests" / "recipes" / "short.yaml"
STEPS, EVERY, DIES_IN, PROMPTS, SIZE = 6, 3, 5, 8, 4
ENDINGS = {
    "undisturbed": "pass",
    "restarted by Ray": "os.kill(pid, signal.SIGKILL)",
    "the job restarted": "ray.kill(coordinator, no_restart=True)",  # as after the last of its restarts
}
KILLER = """
import os, signal, sys, ray
ray.init(address="auto", namespace="rewardlab", log_to_driver=False, logging_level="ERROR")
names = [one["name"] for one in ray.util.list_named_actors(all_namespaces=True)]
[name] = [name for name in names if name.endswith("/coordinator")]
coordinator = ray.get_actor(name)
pid = ray.get(coordinator.__ray_call__.remote(lambda _: os.getpid()))
print("ready", flush=True)
sys.stdin.readline()
"""


def main() -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=list(ENDINGS))
    parser.add_argument("--latency", type=float, default=1.0, help="seconds in which the judge answers")
    options = parser.parse_args()
    for name in [options.only] if options.only else ENDINGS:
        print(f"{name}:")
        for what, seen in measured(ENDINGS[name], options.latency).items():
            print(f"  {what}: {seen}", flush=True)


def measured(ending: str, latency: float) -> dict[str, Any]:
    jobs, judge_server = module(RECIPE.parent.parent / "jobs.py"), module(ROOT / "tests" / "judge_server.py")
    server = judge_server.JudgeServer(latency=latency)
    with tempfile.TemporaryDirectory() as folder, judge_server.Serving(server):
        judge = f"{{use: openai/chat, with: {{model: m, base_url: {server.url}, max_tokens: 64}}, concurrency: 4"
        judge += ", budget: {tokens: 10000000}}"
        sizes = [f"steps={STEPS}", f"save_every={EVERY}", f"batch_size={PROMPTS}", f"group_size={SIZE}"]
        settings = [*(f"stages.0.{size}" for size in sizes), "backend.max_restarts=1", "backend.scorers.replicas=2"]
        with jobs.started(Path(folder), RECIPE, f"judges.main={judge}", *settings) as job:
            wait(job, lambda: groups(job) > 0)
            killer = subprocess.Popen(
                [sys.executable, "-c", KILLER + ending],
                env=os.environ | {"RAY_TMPDIR": str(job._ray)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            assert killer.stdout is not None
            assert killer.stdout.readline() == "ready\n"
            wait(job, lambda: groups(job) > (DIES_IN - 1) * PROMPTS)
            began, asked = time.monotonic(), server.answered
            killer.communicate("\n")
            ended = job.wait(limit=900).succeeded()
            seconds = time.monotonic() - began
        return {"seconds from then on": round(seconds), "questions until then": asked} | outcome(ended, server)


def outcome(ended: Any, server: Any) -> dict[str, Any]:
    rows = list(read_rows(ended.directory))
    steps = {(row["attempt"], row["step"]) for row in rows}
    last = {step: max(attempt for attempt, one in steps if one == step) for _, step in steps}
    counted = [row for row in rows if row["attempt"] == last[row["step"]]]
    usage = [json.loads(line) for line in (ended.directory / "usage.jsonl").read_text().splitlines()]
    saved = json.loads((ended.directory / "judges" / "main.usage.json").read_text())
    return {
        "seconds in all": round(ended.seconds),
        "groups scored, and those that count": (len(rows) // SIZE, len(counted) // SIZE),
        "steps begun more than once": len(steps) - len(last),
        "different questions, and asked twice": (len(server.paid), sum(server.paid.values()) - len(server.paid)),
        "answers by the server, and as counted": (server.answered, saved["answers"]),
        "tokens by the server, and by usage.jsonl": (
            server.tokens,
            sum(line["prompt_tokens"] + line["completion_tokens"] for line in usage),
        ),
        "of the budget, at most spent": saved["at_most"]["tokens"],
        "said": [line[:90] for line in ended.output.splitlines() if "coordinator" in line or "starting again" in line],
    }


def groups(job: Any) -> int:
    """How many groups are in the ledger."""
    return len(read_groups(job.directory)) if job.directory else 0


def wait(job: Any, true: Callable[[], bool]) -> None:
    end = time.monotonic() + 300
    while not true():
        assert job.running(), job.tell()[-4000:]
        assert time.monotonic() < end, job.tell()[-4000:]
        time.sleep(0.05)


def module(path: Path) -> Any:
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    found = module_from_spec(spec)
    sys.modules[path.stem] = found
    spec.loader.exec_module(found)
    return found


if __name__ == "__main__":
    main()
