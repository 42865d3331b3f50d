"""An array of shards under the small Slurm: each task scores its part, cut off or not, and `merge` joins them."""

import json
import os
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

RECIPE = """
version: 1
name: scored
seed: 0
reward: {components: {unhurried: {use: waiting/unhurried}}, total: unhurried}
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

    def launch(name, command="score", **variables):
        job = slurm_job(name, tmp_path, environment | variables)
        job.folder = tmp_path / "my shared" / name
        words = ["recipe.yaml", "rows.jsonl", "--command", command, "--shards", "3", "--on", "slurm"]
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


def test_probe_is_an_array_too(launched):
    probed = launched("probed", "probe")
    assert probed.wait() == {f"101_{task}": "COMPLETED" for task in (1, 2, 3)}, probed.logs()
    merge = f"rewardlab merge '{probed.folder}/scores/probe.jsonl' || [ $? = 1 ]"  # 1: the long ones win
    assert "very_long" in probed.run("bash", "-c", merge)
