"""Kills of a stage's actors on a real Ray, while groups are scored: three scorers, and the coordinator that records."""

import asyncio
import json
import os
import random
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judge_server import JudgeServer, Serving
from kill_hosts import IN_FLIGHT, LATENCY, recipe, row

ROWS, SCORERS, AT_ONCE = 48, 3, 8
KILLS_OF_ONE = 3
"""as often as Ray starts an actor again"""
PAUSE_S = 1.5
"""between two kills, at most"""


@dataclass
class Round:
    """What one stage gave, or why it ended."""

    groups: Mapping[int, Any] = field(default_factory=dict)
    ledger: Sequence[tuple[str, int]] = ()
    errors: Sequence[str] = ()
    kills: int = 0
    of_scorers: int = 0
    paid: Sequence[int] = ()
    tokens: int = 0


def trial(kills: int, root: Path, chance: random.Random, say: Callable[[str], None]) -> bool:
    """Kill actors so many times, and again with a budget; say what was seen, and return whether all held."""
    import ray

    problems: list[str] = []
    small = {"include_dashboard": False, "object_store_memory": 200_000_000, "log_to_driver": False}
    small["_system_config"] = {"prestart_worker_first_driver": False, "enable_metrics_collection": False}
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(address="local", num_cpus=4, _temp_dir=str(root / "ray"), logging_level="ERROR", **small)
    try:
        whole = stage(root / "whole", 0, chance)
        assert not whole.errors, whole.errors
        killed = rounds = twice = of_scorers = 0
        while killed < kills:
            rounds += 1
            seen = stage(root / f"stage-{rounds}", kills - killed, chance)
            killed, of_scorers = killed + seen.kills, of_scorers + seen.of_scorers
            again = sum(seen.paid) - len(seen.paid)
            twice += again
            problems += seen.errors
            if seen.groups != whole.groups or seen.ledger != whole.ledger:
                problems.append(f"stage {rounds}: other rewards, or other rows of the ledger")
            if len(seen.paid) != len(whole.paid) or again > seen.of_scorers * IN_FLIGHT:
                problems.append(f"stage {rounds} paid for {len(seen.paid)} questions and {again} again")
        say(
            f"ray: {killed} kills ({killed - of_scorers} of the coordinator) in {rounds} stages; "
            f"{twice} of {len(whole.paid) * rounds} answers paid twice"
        )
        budget, limited, spent = whole.tokens // 2, 0, []
        while limited < kills // 4:
            seen = stage(root / f"limited-{len(spent)}", 5, chance, budget)
            limited += seen.kills
            spent.append(seen.tokens / budget)
            if not any("is used up" in error for error in seen.errors):
                problems.append(f"a budget that does not suffice ended with {seen.errors}")
        shares = f"{min(spent):.0%} to {max(spent):.0%}"
        say(f"  with a budget: {limited} kills in {len(spent)} stages; {shares} of it was spent")
        if max(spent) > 1:
            problems.append(f"a budget was passed: {max(spent):.3f} of it")
    finally:
        ray.shutdown()
    for problem in problems:
        say(f"  PROBLEM {problem}")
    return not problems


def stage(run: Path, most_kills: int, chance: random.Random, budget: int | None = None) -> Round:
    """Score all groups at the actors of a stage, of which some are killed meanwhile."""
    from rewardlab_ray.job_options import Scorers
    from rewardlab_ray.scoring.service import start_service
    from rewardlab_testing.backend_laws.ledger import read_rows

    with Serving(JudgeServer(latency=5 * LATENCY)) as server:
        service = start_service(settings(run, server.url, budget), Scorers(replicas=SCORERS, num_cpus=0.1))
        try:
            seen = Round()
            with ThreadPoolExecutor(AT_ONCE) as threads:
                work = {number: threads.submit(score, service, number) for number in range(ROWS)}
                left = dict.fromkeys((service.coordinator, *service.scorers), KILLS_OF_ONE)
                while seen.kills < most_kills and any(left.values()) and not all(one.done() for one in work.values()):
                    time.sleep(chance.uniform(0, PAUSE_S))
                    actor = chance.choice([actor for actor, times in left.items() if times])
                    pid = pid_of(actor)
                    if pid is None or all(one.done() for one in work.values()):
                        continue
                    os.kill(pid, signal.SIGKILL)
                    left[actor] -= 1
                    seen.kills += 1
                    seen.of_scorers += actor is not service.coordinator
            failed = {number: one.exception() for number, one in work.items()}
            seen.errors = sorted({str(error) for error in failed.values() if error is not None})
            seen.groups = {number: one.result().values for number, one in work.items() if failed[number] is None}
            seen.ledger = sorted((made["id"], made["index"]) for made in read_rows(run))
        finally:
            service.close()
        seen.paid, seen.tokens = list(server.paid.values()), server.tokens
    return seen


def settings(run: Path, url: str, budget: int | None) -> Any:
    """Write what the actors read, and return their settings."""
    from rewardlab import Sample
    from rewardlab_ray.rendered_rows import Row, write_rows
    from rewardlab_ray.scoring.service import ServiceSettings

    folder = run / "engine" / "0-rl"
    folder.mkdir(parents=True)
    content = recipe(url, budget)
    content["judges"]["main"]["concurrency"] = SCORERS * IN_FLIGHT
    content["stages"] = [{"use": "rl", "algorithm": "grpo", "batch_size": 2, "group_size": 3}]
    content["backend"] = {"use": "openrlhf"}
    path = run / "recipe.resolved.yaml"
    path.write_text(json.dumps(content))
    samples = (
        Sample(id=made["id"], prompt=({"role": "user", "content": made["prompt"]},), fields={"answer": made["answer"]})
        for made in map(row, range(ROWS))
    )
    write_rows(folder / "samples.jsonl", (Row(sample=sample, prompt="?") for sample in samples))
    write_rows(folder / "evaluation_samples.jsonl", ())
    (folder / "order.json").write_text(json.dumps([*range(ROWS)]))
    name = f"{run.parent.name}-{run.name}/0-rl/0"
    return ServiceSettings(
        job=name, run=run, recipe=path, stage=0, attempt=0, folder=folder, home=run, scoring_timeout=120.0
    )


def pid_of(actor: Any) -> int | None:
    """Return an actor's process; None while it is out of reach."""
    import ray

    try:
        return ray.get(actor.__ray_call__.remote(lambda _: os.getpid()), timeout=10)
    except (ray.exceptions.RayError, TimeoutError):
        return None


def score(service: Any, number: int) -> Any:
    """Return the rewards of a group, put and asked for as an engine's executor does, across restarts."""
    from rewardlab import Completion
    from rewardlab_ray.messages import GroupPlace
    from rewardlab_ray.ray_actors import JobActor, scorer_name

    texts = row(number)["completions"]
    place = GroupPlace(key=f"g{number}", row=number, evaluation=False, step=1, size=len(texts), position=number)
    scorer = JobActor(scorer_name(service.settings.job, number % SCORERS))

    async def answer(method: str) -> Any:
        while (given := await scorer.call(method, place.key, len(texts))) is None:
            for index, text in enumerate(texts):
                await scorer.call("put", place, index, Completion(text=text, token_count=3))
        return given

    async def scored() -> Any:
        await answer("more")
        return await answer("finish")

    return asyncio.run(scored())
