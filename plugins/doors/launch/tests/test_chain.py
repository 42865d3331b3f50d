"""The scripts for Slurm under a small Slurm: attempts, successors, and a ledger as if nothing had happened."""

import json
import os
import sys
from pathlib import Path

import pytest
from helpers.paths import TESTS

pytestmark = pytest.mark.slow

RECIPE = """
version: 1
name: chained
seed: 0
model: {use: tiny}
dataset: {use: data/jsonl, with: {path: rows.jsonl}}
judges:
  main: {use: openai/chat, with: {model: scripted, base_url: "${oc.env:JUDGE_URL}"}}
reward:
  components:
    liked: {use: pairwise/win_rate, with: {judge: main, privileged: null}}
    unhurried: {use: waiting/unhurried}
  total: liked + 0.1 * unhurried
stages:
  - {use: rl, algorithm: grpo, group_size: 4, batch_size: 2, steps: 40, learning_rate: 1.0e-3, save_every: 1}
backend: {use: toy}
"""
WAITING = """
import os
import time

from rewardlab import reward


@reward(range=(0, 1))
def unhurried(prompt, completion):
    "A reward that takes its time, so that a run can be cut off in the middle."
    time.sleep(float(os.environ.get("UNHURRIED_S", 0)))
    return len(completion.text) / 100
"""
ON_RAY = '''
"""The toy engine as one whose jobs bring a Ray cluster."""

from rewardlab import BackendSpec, hookimpl
from rewardlab_ray.job_options import RayOptions
from toy_rewards.engine.backend import ToyBackend
from toy_rewards.engine.options import ANSWERS


class Options(RayOptions):
    answers: list[str] = ANSWERS
    """all that the policy can say"""
    step_size: float = 1000.0
    """how far a step goes"""


@hookimpl
def rewardlab_backends():
    return [BackendSpec(name="on_ray", summary="the toy on Ray", config=Options, build=ToyBackend)]
'''
RAY_THAT_WAITS = """#!/bin/sh
[ "$2" = --help ] || { touch "$FAKE_SLURM/waits"; exec sleep 1000; }
"""
STEPS = 40


@pytest.fixture
def site(tmp_path, free_port):
    """A function that writes a site file with two judge servers, and changes; it returns its path."""

    def write(health_timeout=120, exclusive=True, secret=None, **job):
        port = free_port()
        server = [sys.executable, str(TESTS / "judge_server.py"), "--port", "{port}"]
        judge = {"server": "command", "command": server, "variable": "JUDGE_URL", "gpus": 0, "cpus": 1, "replicas": 2}
        judge |= {"port": port, "health": {"path": "/stats", "timeout": health_timeout}, "pool": "judges"}
        compute = {"walltime": "01:00:00"}
        compute["pools"] = {name: {"gpus": 0, "cpus": 2, "exclusive": exclusive} for name in ("train", "judges")}
        if secret is not None:
            compute["secrets"] = {"SOME_KEY": str(secret)}
        tree = {"version": 1, "services": {"judge": judge}, "compute": compute}
        tree["job"] = {"output": str(tmp_path / "shared"), "workdir": str(tmp_path), **job}
        (tmp_path / "shared").mkdir(exist_ok=True)
        if health_timeout < 10:
            judge["command"] = ["sleep", "1000", "{port}"]  # a server that never answers
        (tmp_path / "site.yaml").write_text(json.dumps(tree))
        return tmp_path / "site.yaml"

    return write


@pytest.fixture
def launched(slurm, slurm_job, site, toy_path, offer, write, tmp_path):
    """A function that submits the recipe as job `name`, and returns the job."""
    write("recipe.yaml", RECIPE)
    write("rows.jsonl", [{"id": f"q{n}", "prompt": f"Say {n}.", "answer": str(n)} for n in range(6)])
    paths = [str(toy_path), str(offer("waiting", WAITING)), os.environ.get("PYTHONPATH", "")]
    environment = {**slurm, "PYTHONPATH": os.pathsep.join(paths), "REWARDLAB_GRACE_S": "20"}

    def launch(name, *overrides, site_file=None, unseen=False, more_path="", **variables):
        options = ["--on", "slurm", "--site", site_file or site(), "--name", name, "--submit"]
        variables["PYTHONPATH"] = os.pathsep.join([environment["PYTHONPATH"], more_path])
        job = slurm_job(name, tmp_path, environment | variables)
        if unseen:  # a file that is there when the job is submitted, and not when it runs
            (tmp_path / "elsewhere.jsonl").write_text((tmp_path / "rows.jsonl").read_text())
        job.rewardlab("launch", "recipe.yaml", *overrides, *options)
        if unseen:
            (tmp_path / "elsewhere.jsonl").unlink()
        return job

    return launch


@pytest.mark.nightly
def test_a_run_that_is_cut_off_three_times_has_the_ledger_of_an_undisturbed_one(launched, site):
    calm = launched("calm")
    assert calm.wait() == {"101": "COMPLETED", "102": "CANCELLED"}, calm.logs()  # a successor that nothing needs
    disturbed = launched("disturbed", site_file=site(resume={"retries": 4}), UNHURRIED_S="0.05")
    disturbed.until(disturbed.has_trained(3))
    disturbed.run("scancel", "--signal=USR1", "--batch", "103")  # as before the limit: the run saves and ends
    disturbed.until(disturbed.has_trained(10))
    disturbed.run("scontrol", "requeue", "104")
    disturbed.until(disturbed.has_trained(17))
    disturbed.run("preempt", "104")
    states = disturbed.wait()
    assert {job: states[job] for job in ("103", "104", "105", "106")} == {
        **{"103": "FAILED", "104": "PREEMPTED", "105": "COMPLETED", "106": "CANCELLED"},
    }, disturbed.logs()
    assert len(states) == 6  # requeued, 104 has queued no other successor
    assert "ended with code 143" in (disturbed.folder / "logs" / "103.log").read_text()
    assert len(calm.ledger()) == STEPS * 8
    assert disturbed.ledger() == calm.ledger()
    assert calm.ledger()[1, "q3", 0]["components"]["liked"]["info"]["calls"]  # the job's own servers were asked


def test_a_job_has_as_many_attempts_as_the_site_allows(launched, site):
    never = {"resume": {"retries": 1}}
    job = launched("never", site_file=site(health_timeout=1, **never))
    assert job.wait() == {"101": "FAILED", "102": "FAILED"}, job.logs()
    assert job.logs().count("nothing answers at http://127.0.0.1:") == 2
    assert "attempt 2 of 2, job 102, successor none" in job.logs()


def test_a_signal_while_servers_are_waited_for_ends_the_attempt_and_the_next_begins(launched, site):
    job = launched("early", site_file=site(health_timeout=5, resume={"retries": 1}))
    job.until(lambda: (job.folder / "launch" / "pid").exists())
    job.run("scancel", "--signal=USR1", "--batch", "101")
    assert job.wait() == {"101": "FAILED", "102": "FAILED"}, job.logs()
    assert "ended with code 143" in (job.folder / "logs" / "101.log").read_text()
    assert "attempt 2 of 2" in (job.folder / "logs" / "102.log").read_text()


def test_a_signal_while_nodes_are_waited_for_ends_the_attempt(launched, site, slurm, offer):
    """Ray waits long for its nodes, and runs no command before."""
    folder = Path(slurm["FAKE_SLURM"])
    (folder / "bin" / "ray").write_text(RAY_THAT_WAITS)
    (folder / "bin" / "ray").chmod(0o700)
    path = os.pathsep.join([str(offer("on_ray", ON_RAY)), os.environ.get("PYTHONPATH", "")])
    alone = site(resume={"retries": 0})
    job = launched("waiting", "backend={use: on_ray, gpus_per_node: 0}", site_file=alone, more_path=path)
    job.until((folder / "waits").exists)
    job.run("scancel", "--signal=USR1", "--batch", "101")
    assert job.wait() == {"101": "FAILED"}, job.logs()
    assert "ended with code 1" in (job.folder / "logs" / "101.log").read_text()


@pytest.mark.nightly
def test_no_attempt_begins_once_the_walltime_of_all_is_used(launched, site):
    bound = {"resume": {"retries": 9, "walltime": "00:04:00"}, "grace": 60}
    job = launched("bound", site_file=site(health_timeout=6, **bound), FAKE_SLURM_MINUTE_S="3")
    states = job.wait()
    assert {*states.values()} <= {"FAILED", "TIMEOUT"}
    assert len(states) < 6, job.logs()  # each attempt has had two of its minutes, of three seconds
    assert job.logs().count("the attempts have had the walltime of job.resume") == 1, job.logs()


def test_a_refused_recipe_has_no_successor(launched):
    job = launched("refused", "stages.0.dataset={use: data/jsonl, with: {path: elsewhere.jsonl}}", unseen=True)
    assert job.wait() == {"101": "FAILED", "102": "CANCELLED"}, job.logs()
    assert "elsewhere.jsonl" in job.logs()
    assert "ended with code 2" in job.logs()


def test_a_job_is_asked_about_and_stopped_by_its_name(launched):
    job = launched("named", UNHURRIED_S="0.5")
    job.until(job.has_trained(1))
    assert "101|RUNNING" in job.rewardlab("launch", "status", "named")
    assert "judges that answer: main" in job.rewardlab("launch", "logs", "named")
    assert "named is told to stop" in job.rewardlab("launch", "stop", "named")
    assert job.wait() == {"101": "CANCELLED", "102": "CANCELLED"}
    assert job.has_trained(1)()
    assert not job.has_trained(STEPS)()


@pytest.mark.nightly
def test_two_jobs_on_the_same_nodes_ask_each_its_own_judges(launched, site):
    """One site file, so one port; the second job would ask the first one's servers, and nobody would know."""
    file = site(exclusive=False)
    first, second = launched("first", "stages.0.steps=4", site_file=file), launched("second", site_file=file)
    assert first.wait() | second.wait() == {
        **{"101": "COMPLETED", "102": "CANCELLED", "103": "COMPLETED", "104": "CANCELLED"},
    }, first.logs() + second.logs()
    port = json.loads(file.read_text())["services"]["judge"]["port"]
    for job, number in [(first, 101), (second, 103)]:
        servers = (job.folder / "logs" / f"{number}.judge.0.log").read_text()
        assert f":{port + number * 50}" in servers
        assert f":{port + number * 50 + 1}" in servers
        assert "has ended with code" not in servers


def test_a_secret_is_read_by_the_job_and_kept_by_no_scheduler(launched, site, tmp_path):
    """Slurm keeps the variables that a successor is submitted with, in files of its own."""
    (tmp_path / "key").write_text("a-very-secret-key\n")
    job = launched("secret", "stages.0.steps=2", site_file=site(secret=tmp_path / "key"))
    assert job.wait() == {"101": "COMPLETED", "102": "CANCELLED"}, job.logs()
    kept = Path(job.environment["FAKE_SLURM"]) / "jobs" / "102" / "environment"
    assert "PATH" in json.loads(kept.read_text())
    assert "a-very-secret-key" not in kept.read_text()
    assert "a-very-secret-key" not in job.logs()
