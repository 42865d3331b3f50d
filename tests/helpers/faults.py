"""What a job on Ray does when a part of it is lost in mid-training: one table, which every engine is held to.

docs/cluster.md shows the table. A judge's server is a process, and a node a raylet of its own with all that it started.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isclose
from pathlib import Path

from rewardlab_testing.backend_laws.ledger import read_groups, steps_that_stand

from helpers.engine_jobs import Ended, Job, Jobs
from helpers.paths import ROOT
from helpers.ray_cluster import two_nodes

FAULTS = {
    "a scorer": "Ray starts it again, and its groups are scored again",
    "the coordinator": "Ray starts it again, and the scorers wait for it",
    "a judge, for a while": "its questions wait, and are asked again when it is back",
    "a judge, for good": "the job ends with the reason; with the judge back, `--resume` goes on",
    "a rollout engine": "the stage starts again from its last checkpoint",
    "a rank of the trainer": "the stage starts again from its last checkpoint",
    "a node": "the stage starts again from its last checkpoint, once there is another",
}
"""what is lost -> what happens, with `max_restarts`: a table of docs/cluster.md"""
OF_OURS = {"a scorer": "PlacedScorer", "the coordinator": "CoordinatorActor"}
"""what is lost -> what is in its process's title, on every engine"""
OF_THE_ENGINE = ("a rollout engine", "a rank of the trainer")
ON_ONE_MACHINE = (*OF_OURS, "a judge, for a while", *OF_THE_ENGINE)
STEPS, PROMPTS, SIZE = 20, 4, 4
RECIPE = f"""
version: 1
name: lost
seed: 1
model: MODEL
dataset: {{use: data/arithmetic, with: {{kind: prompts, rows: {STEPS * PROMPTS}}}}}
curriculum: {{use: curriculum/shuffle}}
judges:
  main: {{use: openai/chat, timeout: 20, retries: RETRIES, with: {{model: scripted, base_url: "URL"}}}}
reward:
  components: {{won: {{use: pairwise/win_rate, with: {{judge: main}}}}}}
  total: won
stages:
  - {{use: rl, algorithm: dr_grpo, steps: STEPS, batch_size: {PROMPTS}, group_size: {SIZE}, max_new_tokens: 8,
     learning_rate: 1.0e-3, save_every: 1}}
backend: BACKEND
"""
AGAIN = "starting again from the checkpoint of step"


@dataclass(frozen=True, kw_only=True)
class FaultTrial:
    """An engine whose jobs lose parts. titles: what is lost -> what is in the title of the engine's process.

    cluster: the variables of a cluster's nodes and of whoever asks it, beside the engine's own.
    """

    jobs: Jobs
    folder: Path
    model: Path
    backend: Mapping
    titles: Mapping[str, str]
    cpus: int = 4
    environment: Mapping[str, str] = field(default_factory=dict)
    cluster: Mapping[str, str] = field(default_factory=dict)

    @contextmanager
    def started(self, judge: "JudgeProcess", *arguments: str, retries: int = 9, steps: int = STEPS) -> Iterator[Job]:
        """Start a job by the recipe; a question waits for 12 s for each of `retries`."""
        text = RECIPE.replace("MODEL", str(self.model)).replace("BACKEND", json.dumps(self.backend))
        text = text.replace("URL", judge.url).replace("RETRIES", str(retries)).replace("STEPS", str(steps))
        path = self.folder / "recipe.yaml"
        path.write_text(text, encoding="utf-8")
        environment = {**self.environment, **(self.cluster if "backend.nodes=2" in arguments else {})}
        name = "resumed" if "--resume" in arguments else "lost"
        with self.jobs.started(self.folder, path, *arguments, name=name, env=environment) as job:
            yield job


def lose_each_on_one_machine(trial: FaultTrial) -> None:
    """Kill one part after the other of one job, each when the job has gone on for two steps after the one before."""
    titles, restarts = {**OF_OURS, **trial.titles}, 0
    with JudgeProcess() as judge, trial.started(judge, "backend.max_restarts=1") as job:
        for lost in ON_ONE_MACHINE:
            go_on(job)
            if lost in titles:
                job.kill_one(titles[lost])
            else:
                judge.kill()
                job.until(lambda: "its questions wait for it" in job.tell())
                judge.start()
                job.until(lambda: "judge 'main' answers again" in job.tell())
            if lost in OF_THE_ENGINE:
                restarts += 1
                job.until(lambda count=restarts: job.tell().count(AGAIN) == count)
        ended = job.wait().succeeded()
    assert ended.output.count(AGAIN) == restarts, "and for nothing else"
    assert_each_step_once(ended, STEPS)
    assert_scored_by_the_judge(ended)


def lose_a_judge_for_good(trial: FaultTrial) -> None:
    """Kill the judge's server: the job ends, though it might be started again; with the server back, it is resumed."""
    steps = 8
    with JudgeProcess() as judge:
        with trial.started(judge, "backend.max_restarts=1", retries=1, steps=steps) as job:
            go_on(job)
            judge.kill()
            ended = job.wait()
        assert ended.code == 1, ended.output[-3000:]
        assert AGAIN not in ended.output, "a judge is no part of the job"
        reason = ended.output.splitlines()[-1]
        assert "component 'won' (pairwise/win_rate)" in reason, ended.output[-3000:]
        assert "judge 'main'" in reason, ended.output[-3000:]
        assert_scored_by_the_judge(ended)
        judge.start()
        again = ("backend.max_restarts=1", "--resume", str(ended.directory))
        with trial.started(judge, *again, retries=1, steps=steps) as job:
            resumed = job.wait().succeeded()
    assert resumed.directory == ended.directory
    assert_each_step_once(resumed, steps)
    assert_scored_by_the_judge(resumed)


def lose_a_node(trial: FaultTrial) -> None:
    """Kill one of two nodes, a raylet with a rank and a rollout engine; another comes when the job waits for it."""
    variables = {**trial.jobs.environment, **trial.environment, **trial.cluster}
    nodes = two_nodes(variables, [trial.jobs.engine], trial.folder, trial.cpus)
    with JudgeProcess() as judge, nodes as cluster:
        arguments = ("backend.nodes=2", "backend.max_restarts=3", f"backend.address={cluster.address}")
        with trial.started(judge, *arguments, steps=12) as job:
            go_on(job)
            cluster.lose_node()
            job.until(lambda: AGAIN in job.tell())
            cluster.add_node()
            ended = job.wait().succeeded()
    assert_each_step_once(ended, 12)
    assert_scored_by_the_judge(ended)
    assert {group.attempt for group in read_groups(ended.directory)} >= {0, 1}


CASES: Mapping[str, Callable[[FaultTrial], None]] = {
    "each on one machine": lose_each_on_one_machine,
    "a judge, for good": lose_a_judge_for_good,
    "a node": lose_a_node,
}
"""what jobs lose, which together is all of FAULTS"""


def go_on(job: Job) -> None:
    """Wait until the job has made two steps more than the terminal has told so far."""
    before = steps_told(job)
    job.until(lambda: steps_told(job) >= before + 2)


def steps_told(job: Job) -> int:
    """Return the last step of which the terminal has a line, 0 before the first."""
    return max(map(int, re.findall(r"step (\d+) of", job.tell())), default=0)


def assert_each_step_once(ended: Ended, steps: int) -> None:
    """Assert that the ledger has each of these steps, once, with whole groups of prompts of their own."""
    stand = steps_that_stand(read_groups(ended.directory), stage=0)
    first = {step: groups for step, groups in stand.items() if step <= steps}
    sizes = {step: [len(group.rows) for group in groups] for step, groups in first.items()}
    assert sizes == {step: [SIZE] * PROMPTS for step in range(1, steps + 1)}
    samples = Counter(group.sample for groups in first.values() for group in groups)
    assert {*samples.values()} == {1}, "each prompt of the recipe's order once"


def assert_scored_by_the_judge(ended: Ended) -> None:
    """Assert that each value is a share of comparisons that were made, and that who lost one lost it to a winner."""
    for group in read_groups(ended.directory):
        tally: Counter[str] = Counter()
        for row in group.rows:
            won = row["components"]["won"]
            if won["value"] is None:
                assert row["total"] is None, group.place
                continue
            made = {name: won["info"][name] for name in ("wins", "losses", "ties")}
            share = (made["wins"] + made["ties"] / 2) / sum(made.values())
            assert isclose(won["value"], share, abs_tol=1e-6), (group.place, won)
            tally.update(made)
        assert tally["wins"] == tally["losses"], group.place


class JudgeProcess:
    """tests/judge_server.py in a process of its own, which is killed and started again under the same address."""

    def __enter__(self) -> "JudgeProcess":
        self._port = 0
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        command = [sys.executable, str(ROOT / "tests" / "judge_server.py"), "--port", str(self._port)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        self._port = int(self.url.split(":")[2].partition("/")[0])

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()
