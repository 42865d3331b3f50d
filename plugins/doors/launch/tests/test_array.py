"""An array of shards under the small Slurm: each task scores its part, cut off or not, and `merge` joins them."""

import json
import os
import sys
from pathlib import Path

import pytest
from helpers.paths import TESTS

pytestmark = pytest.mark.slow

RECIPE = """
version: 1
name: scored
seed: 0
reward: {components: {unhurried: {use: waiting/unhurried}}, total: unhurried}
"""
JUDGED = """
version: 1
name: judged
seed: 0
judges:
  main: {use: openai/chat, with: {model: scripted, base_url: "${oc.env:JUDGE_URL}"}}
reward:
  components: {liked: {use: pairwise/win_rate, with: {judge: main, privileged: null}}}
  total: liked
"""
WAITING = """
import os
import time

from rewardlab import reward


@reward(range=(0, 1))
def unhurried(prompt, completion):
    "A reward that takes its time, so that a task can be cut off in the middle."
    time.sleep(float(os.environ.get("UNHURRIED_S", 0)))
    return len(completion.text) / 100
"""
SITE = {"version": 1, "compute": {"walltime": "01:00:00", "pools": {"cpu": {"gpus": 0}}}}


@pytest.fixture
def launched(slurm, slurm_job, offer, write, tmp_path):
    """A function that submits an array of three shards as job `name`, and returns the job."""
    write("recipe.yaml", RECIPE)
    rows = [{"id": f"q{n}", "prompt": f"Say {n}.", "completions": ["a" * (n + 1), "b"]} for n in range(60)]
    write("rows.jsonl", rows)
    write("site.yaml", json.dumps(SITE | {"job": {"output": str(tmp_path / "my shared"), "workdir": str(tmp_path)}}))
    (tmp_path / "my shared").mkdir()
    paths = [str(offer("waiting", WAITING)), os.environ.get("PYTHONPATH", "")]
    environment = {**slurm, "PYTHONPATH": os.pathsep.join(paths), "REWARDLAB_GRACE_S": "20"}

    def launch(name, command="score", shards=3, site=(), **variables):
        job = slurm_job(name, tmp_path, environment | variables)
        job.folder = tmp_path / "my shared" / name
        words = ["recipe.yaml", "rows.jsonl", "--command", command, "--on", "slurm"]
        words += ["--shards", str(shards)] if shards else []
        tree = json.loads((tmp_path / "site.yaml").read_text())
        for key, value in site:
            tree.setdefault(key, {}).update(value)
        write("site.yaml", json.dumps(tree))
        job.said = job.rewardlab("launch", *words, "--site", "site.yaml", "--name", name, "--submit")
        return job

    return launch


def test_the_tasks_of_an_array_score_the_rows_and_merge_gives_the_bytes_of_one_machine(launched, tmp_path):
    job = launched("it", UNHURRIED_S="0.05")
    first = job.folder / "scores" / "score.1-of-3.jsonl"
    job.until(lambda: first.exists() and first.stat().st_size)
    job.run("scancel", "--signal=USR1", "--batch", "101_1")  # as before the limit: it is queued again, and goes on
    assert job.wait() == {f"101_{task}": "COMPLETED" for task in (1, 2, 3)}, job.logs()
    log = (job.folder / "logs" / "101.1.log").read_text()
    assert "a signal: the command saves where it is" in log
    assert "rows have scores" in log
    assert "shard 2 of 3 ended with code 0" in job.rewardlab("launch", "logs", "it")
    output = job.folder / "scores" / "score.jsonl"
    assert f"rewardlab merge '{output}'" in job.said
    job.run("rewardlab", "merge", output)
    job.run("rewardlab", "score", "recipe.yaml", "rows.jsonl", "-o", "alone.jsonl")
    assert output.read_bytes() == (tmp_path / "alone.jsonl").read_bytes()


def test_what_is_cancelled_is_not_queued_again(launched):
    job = launched("it", UNHURRIED_S="0.2")
    job.until(lambda: (job.folder / "scores/score.1-of-3.jsonl").exists())
    assert "101_1|RUNNING" in job.run("sacct", "--noheader", "--jobs=101", "--format=JobID,State")
    job.rewardlab("launch", "stop", "it")
    assert job.wait() == {f"101_{task}": "CANCELLED" for task in (1, 2, 3)}, job.logs()
    assert not [*Path(job.environment["FAKE_SLURM"]).glob("jobs/*/requeue")]


@pytest.mark.nightly
def test_probe_is_an_array_too(launched):
    probed = launched("probed", "probe")
    assert probed.wait() == {f"101_{task}": "COMPLETED" for task in (1, 2, 3)}, probed.logs()
    merge = f"rewardlab merge '{probed.folder}/scores/probe.jsonl' || [ $? = 1 ]"  # 1: the long ones win
    assert "very_long" in probed.run("bash", "-c", merge)


def scored_here(tmp_path, job, server):
    """The bytes of the same rows scored by one process on this machine."""
    job.environment = job.environment | {"JUDGE_URL": server.url}
    job.run("rewardlab", "score", "recipe.yaml", "rows.jsonl", "-o", "alone.jsonl")
    return (tmp_path / "alone.jsonl").read_bytes()


@pytest.mark.nightly
def test_the_tasks_of_an_array_share_a_judge_that_runs(launched, judge_server, write, tmp_path):
    """Its address is the site's; the server has no part in the array."""
    write("recipe.yaml", JUDGED)
    with judge_server.Serving(judge_server.JudgeServer()) as server:
        job = launched("judged", site=[("compute", {"environment": {"JUDGE_URL": server.url}})])
        assert job.wait() == {f"101_{task}": "COMPLETED" for task in (1, 2, 3)}, job.logs()
        output = job.folder / "scores" / "score.jsonl"
        job.run("rewardlab", "merge", output)
        asked = len(server.requests)
        assert asked
        assert output.read_bytes() == scored_here(tmp_path, job, server)
        assert len(server.requests) == 2 * asked  # no question twice, and none left out


def test_rows_are_scored_by_a_job_that_brings_its_judges(launched, judge_server, free_port, write, tmp_path):
    write("recipe.yaml", JUDGED)
    command = [sys.executable, str(TESTS / "judge_server.py"), "--port", "{port}"]
    judge = {"server": "command", "command": command, "variable": "JUDGE_URL", "gpus": 0, "cpus": 1, "replicas": 2}
    judge |= {"port": free_port(), "health": {"path": "/stats", "timeout": 120}}
    job = launched("whole", shards=0, site=[("services", {"judge": judge})])
    assert job.wait() == {"101": "COMPLETED", "102": "CANCELLED"}, job.logs()
    with judge_server.Serving(judge_server.JudgeServer()) as server:
        assert (job.folder / "scores" / "score.jsonl").read_bytes() == scored_here(tmp_path, job, server)
