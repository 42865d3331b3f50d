"""Jobs on a Ray cluster by its job API: what is sent, followed, stopped, found again, and what the user reads.

The cluster is a real one of two nodes on this machine, with its job server; the jobs are real stages.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from textwrap import dedent

import psutil
import pytest
from helpers.engine_jobs import LIMIT
from helpers.ray_cluster import two_nodes
from rewardlab_testing.backend_laws.ledger import read_rows

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]

SFT = """
version: 1
name: sent
model: MODEL
dataset: {use: data/jsonl, with: {path: rows.jsonl}}
stages:
  - {use: sft, batch_size: 4, steps: 2, learning_rate: 1.0e-3}
backend:
  use: openrlhf
  nodes: 2
  gpus_per_node: 1
  engine: {attention: eager, packing: false}
"""
STEPS, PROMPTS, SIZE = 3, 4, 2
RL = f"""
version: 1
name: sent
model: MODEL
dataset: {{use: data/jsonl, with: {{path: rows.jsonl}}}}
judges:
  main: {{use: openai/chat, with: {{model: m, base_url: "${{oc.env:OF_A_JUDGE}}", api_key_env: KEY_OF_THE_NODES}}}}
reward:
  components: {{letters: {{use: toy/letters}}, won: {{use: pairwise/win_rate, with: {{judge: main}}}}}}
  total: letters + won
stages:
  - {{use: rl, algorithm: grpo, steps: {STEPS}, batch_size: {PROMPTS}, group_size: {SIZE}, max_new_tokens: 8,
     learning_rate: 1.0e-3}}
backend: {{use: openrlhf, nodes: 2, gpus_per_node: 1, engine: {{sleep: false, zero_stage: 1, packing: false}}}}
"""


@pytest.fixture(scope="module")
def cluster(jobs, toy_path, tmp_path_factory):
    """Two Ray nodes of one fake GPU each, with the plugin toy; the address of their job server."""
    variables = {**jobs.ENVIRONMENT, "KEY_OF_THE_NODES": "k"}
    with two_nodes(variables, [jobs.ENGINE, toy_path], tmp_path_factory.mktemp("ray")) as nodes:
        yield nodes.address


@pytest.fixture
def home(tmp_path, write_recipe):
    """A folder with rows and the recipe SFT, where the command runs."""
    rows = [{"id": str(i), "prompt": f"{i} + {i}?", "response": f"{2 * i}"} for i in range(8)]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    write_recipe(SFT)
    return tmp_path


@pytest.fixture
def write_recipe(tmp_path, model_folder):
    """Write r.yaml: a recipe of a model that is there, since making one costs each job seconds."""

    def write(text):
        (tmp_path / "r.yaml").write_text(dedent(text).replace("MODEL", str(model_folder("llama"))))

    return write


@pytest.fixture
def submit(home, cluster):
    """Start `rewardlab run r.yaml` on a machine that has no Ray of its own, with a time limit."""

    def start(*arguments, stdin=subprocess.DEVNULL, **environment):
        command = [sys.executable, "-m", "rewardlab.cli", "run", "r.yaml", f"backend.address={cluster}", *arguments]
        return subprocess.Popen(
            command,
            cwd=home,
            env={**os.environ, **environment},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    return start


@pytest.mark.nightly
def test_sigterm_stops_the_job_with_all_its_ranks_also_at_a_terminal(submit, home):
    ours, terminal = os.openpty()
    job = submit("stages.0.steps=2000", stdin=terminal)
    name = _job_of(job)
    _until(lambda: len(_ranks(home)) == 2)
    job.send_signal(signal.SIGTERM)
    out, _ = job.communicate(timeout=LIMIT)
    os.close(ours)
    os.close(terminal)
    assert job.returncode == 143, out
    assert "too? [y/N]" not in out
    assert f"job {name} has stopped" in out
    assert "--resume" in out
    (log,) = (home / "runs").glob("*/logs/0-sft.log")
    _until(lambda: not _ranks(home))
    assert "SystemExit" not in log.read_text()


@pytest.mark.nightly  # a minute for one thread of rewardlab_ray/job/outer_job.py
def test_a_job_that_was_started_by_another_ends_with_it_however_that_ends(home, cluster):
    from ray.job_submission import JobSubmissionClient

    client, python = JobSubmissionClient(cluster), shlex.quote(sys.executable)
    run = f"exec {python} -m rewardlab.cli run r.yaml stages.0.steps=2000"
    outer = client.submit_job(entrypoint=f"cd {shlex.quote(str(home))} && {run}")
    _until(lambda: any(_is_inner(job, home) and job.status.value == "RUNNING" for job in client.list_jobs()))
    commands = {process: process.info["cmdline"] for process in psutil.process_iter(["cmdline"])}
    (command,) = (one for one, line in commands.items() if line and "rewardlab.cli" in line and _is_in(one, home))
    command.kill()  # it can tell nobody
    _until(lambda: client.get_job_status(outer).value == "FAILED")
    _until(lambda: not _ranks(home))
    _until(lambda: {job.status.value for job in client.list_jobs() if _is_inner(job, home)} <= {"STOPPED", "FAILED"})


def test_a_lost_terminal_loses_no_job_which_a_resume_finds_again_on_two_nodes_with_storage(
    submit, home, toy_path, write_recipe, judge_server
):
    """Rl, a rank and an engine on each node, which has one GPU: weights and completions go from node to node.

    The judge is asked from the cluster, which alone has its key; where it is, this shell says.
    """
    write_recipe(RL)
    storage = home / "shared"
    server = judge_server.JudgeServer(keys=("k",))
    with judge_server.Serving(server):
        arguments = (f"backend.engine.storage={storage}",)
        ours = {"PYTHONPATH": str(toy_path), "OF_A_JUDGE": server.url}
        job = submit(*arguments, **ours)
        name = _job_of(job)
        job.kill()
        job.wait()
        (run,) = (home / "runs").iterdir()
        again = submit(*arguments, "--resume", str(run), **ours)
        out, _ = again.communicate(timeout=LIMIT)
    assert again.returncode == 0, out
    assert f"job {name} still runs" in out
    kept = storage / run.name
    assert f"the models, the ledger and the results are in {kept}" in out
    assert (kept / "models" / "0-rl" / "model.safetensors").is_file()
    assert not (run / "models" / "0-rl").exists()
    rows = [row for row in read_rows(kept) if row["trained"] == "yes"]
    assert sorted(row["step"] for row in rows) == [step for step in range(1, STEPS + 1) for _ in range(PROMPTS * SIZE)]
    assert all(row["components"]["won"]["error"] is None for row in rows)
    assert "KEY_OF_THE_NODES" not in os.environ
    assert server.answered > 0


def _ranks(home):
    """The processes of OpenRLHF that train for a run of this folder."""
    found = psutil.process_iter(["cmdline"])
    lines = [" ".join(process.info["cmdline"] or ()) for process in found]
    return [line for line in lines if "openrlhf.cli.train_sft" in line and str(home) in line and "-m torch" not in line]


def _is_in(process, folder):
    with suppress(psutil.Error):
        return Path(process.cwd()) == folder
    return False


def _is_inner(job, home):
    return "rewardlab_openrlhf.job.driver" in job.entrypoint and str(home) in job.entrypoint


def _job_of(process):
    said = []
    for line in process.stdout:
        if " is submitted to " in line:
            return line.split()[1]
        said.append(line)
    raise AssertionError(f"no job was submitted: {said}")


def _until(true):
    end = time.monotonic() + LIMIT
    while not true():
        assert time.monotonic() < end
        time.sleep(0.5)
