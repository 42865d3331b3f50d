"""The scripts for Slurm with a real Ray of two nodes: `ray symmetric-run` on each, a preemption, and a successor."""

import importlib.util
import json
import os
import sys
from pathlib import Path

import pytest
from helpers.paths import TESTS

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.verl,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is in the environment of verl's tests"),
]

RECIPE = """
version: 1
name: on-two-nodes
seed: 0
model: {use: tiny}
dataset: {use: data/jsonl, with: {path: rows.jsonl}}
judges:
  main: {use: openai/chat, with: {model: scripted, base_url: "${oc.env:JUDGE_URL}"}}
reward:
  components:
    liked: {use: pairwise/win_rate, with: {judge: main, privileged: null}}
    counted: {use: cluster/counted}
  total: liked + 0.1 * counted
stages:
  - {use: rl, algorithm: grpo, group_size: 4, batch_size: 2, steps: 12, learning_rate: 1.0e-3, save_every: 1}
backend: {use: cluster, nodes: 2, gpus_per_node: 0}
"""
ENGINE = '''
"""The toy engine as one whose jobs bring a Ray cluster, and a reward that is counted on all of its nodes."""

import os

from rewardlab import BackendSpec, RewardSpec, Score, hookimpl
from rewardlab_ray.job_options import RayOptions
from toy_rewards.engine.backend import ToyBackend
from toy_rewards.engine.options import ANSWERS


class Options(RayOptions):
    answers: list[str] = ANSWERS
    """all that the policy can say"""
    step_size: float = 1000.0
    """how far a step goes"""


def length_of(text):
    return len(text)


class Counted:
    def score(self, items):
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        if not ray.is_initialized():
            ray.init(address=os.environ["REWARDLAB_HEAD"] + ":6379", log_to_driver=False)
        nodes = sorted(node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"])
        ids = {node["NodeManagerAddress"]: node["NodeID"] for node in ray.nodes()}
        length = ray.remote(num_cpus=0)(length_of)
        values = []
        for number, (_, completion) in enumerate(items):
            there = NodeAffinitySchedulingStrategy(node_id=ids[nodes[number % len(nodes)]], soft=False)
            values.append(length.options(scheduling_strategy=there).remote(completion.text))
        return [Score(value=value / 100, info={"nodes": nodes}) for value in ray.get(values)]


@hookimpl
def rewardlab_backends():
    return [BackendSpec(name="cluster", summary="the toy on Ray", config=Options, build=ToyBackend)]


@hookimpl
def rewardlab_rewards():
    build = lambda options, context: Counted()
    return [RewardSpec(name="counted", summary="the length", build=build, range=(0.0, 1.0))]
'''
STEPS = 12
LIMIT_S = 300.0
"""for Ray to start, and to stop, on a machine that is busy"""


@pytest.fixture
def nodes(module_of):
    """Two nodes that share this machine's disk and nothing else: address -> the words that lead there."""
    module = module_of(Path(__file__).with_name("separate_nodes.py"))
    if not module.may_be_made():
        pytest.skip("this user may not make namespaces")
    with module.separate_nodes(3) as made:
        yield made


def test_a_job_on_two_nodes_is_preempted_and_its_successor_ends_with_the_undisturbed_ledger(
    nodes, slurm, slurm_job, toy_path, offer, write, tmp_path
):
    (Path(slurm["FAKE_SLURM"]) / "nodes.json").write_text(json.dumps(nodes))
    write("recipe.yaml", RECIPE)
    write("rows.jsonl", [{"id": f"q{n}", "prompt": f"Say {n}.", "answer": str(n)} for n in range(6)])
    server = [sys.executable, str(TESTS / "judge_server.py"), "--host", "0.0.0.0", "--port", "{port}"]
    judge = {"server": "command", "command": server, "cpus": 1, "gpus": 0}
    judge |= {"variable": "JUDGE_URL", "pool": "judges", "health": {"path": "/stats", "timeout": 120}}
    compute = {"walltime": "01:00:00", "pools": {"train": {"gpus": 0}, "judges": {"gpus": 0}}}
    compute["ray_options"] = ["--num-cpus=2", "--object-store-memory=100000000"]
    job = {"output": str(tmp_path / "shared"), "workdir": str(tmp_path)}
    write("site.yaml", json.dumps({"version": 1, "services": {"judge": judge}, "compute": compute, "job": job}))
    (tmp_path / "shared").mkdir()
    paths = [str(toy_path), str(offer("cluster", ENGINE)), os.environ.get("PYTHONPATH", "")]
    environment = {**slurm, "PYTHONPATH": os.pathsep.join(paths), "REWARDLAB_GRACE_S": "20"}

    def launched(name):
        made = slurm_job(name, tmp_path, environment)
        made.rewardlab("launch", "recipe.yaml", "--on", "slurm", "--site", "site.yaml", "--name", name, "--submit")
        return made

    calm = launched("calm")
    assert calm.wait(LIMIT_S) == {"101": "COMPLETED", "102": "CANCELLED"}, calm.logs()
    disturbed = launched("disturbed")
    disturbed.until(disturbed.has_trained(4), LIMIT_S)
    disturbed.run("preempt", "103")
    states = disturbed.wait(LIMIT_S)
    assert {job: states[job] for job in ("103", "104", "105")} == {
        **{"103": "PREEMPTED", "104": "COMPLETED", "105": "CANCELLED"},
    }, disturbed.logs()
    assert len(calm.ledger()) == STEPS * 8
    assert {tuple(row["components"]["counted"]["info"]["nodes"]) for row in disturbed.ledger().values()} == {
        ("10.77.0.1", "10.77.0.2")
    }
    assert disturbed.ledger() == calm.ledger()
