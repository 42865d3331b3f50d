"""What is wrong with the nodes of a cluster: three real ones of this host.

The second lacks things; the third, too, but has no GPU.
"""

import os
import re
import shutil
import socket
import sys
import tempfile
import time
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="needs the environment of requirements-openrlhf-cpu.txt")

import ray
from ray.cluster_utils import Cluster
from rewardlab.errors import UserError
from rewardlab_openrlhf.job.engine import ENGINE
from rewardlab_ray.job import check_nodes as checks
from rewardlab_ray.job import cluster_nodes
from rewardlab_ray.job.check_nodes import check_nodes, examine
from rewardlab_ray.stage_task import StageTask

pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]
ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the nodes' processes cannot import a test
DRIVER = os.getpid()

RECIPE = """
    version: 1
    model: MODEL
    dataset: {use: data/arithmetic, with: {kind: prompts}}
    judges:
      main: {use: openai/chat, with: {model: m, base_url: "http://127.0.0.1:9", api_key_env: KEY_OF_A_NODE}}
    reward:
      components: {preference: {use: pairwise/win_rate, with: {judge: main}}}
      total: preference
    stages:
      - {use: rl, algorithm: dr_grpo, group_size: 2, batch_size: 2, steps: 1, max_new_tokens: 8}
    backend: {use: openrlhf, nodes: 2, gpus_per_node: 1}
"""


@pytest.fixture(scope="module")
def connected(jobs):
    """This process, in a cluster of two nodes of one fake GPU each, and one without."""
    folder = Path(tempfile.mkdtemp(prefix="rn_", dir="/tmp"))  # short, for Ray's sockets
    # of the whole process, not of the head alone: the cluster writes its address to a folder that only a node makes
    own_folder = pytest.MonkeyPatch()
    own_folder.setenv("RAY_TMPDIR", str(folder))
    cluster = Cluster()
    started = [(1, {"PYTHONPATH": str(jobs.ENGINE), "KEY_OF_A_NODE": "k"}), (1, {}), (0, {})]
    try:
        for gpus, own in started:
            with pytest.MonkeyPatch.context() as patch:  # a node has the variables of what starts it
                for name in ("PYTHONPATH", "KEY_OF_A_NODE", "RAY_OVERRIDE_RESOURCES"):
                    patch.delenv(name, raising=False)
                for name, value in ({**jobs.ENVIRONMENT, **own}).items():
                    if name != "RAY_OVERRIDE_RESOURCES":
                        patch.setenv(name, value)
                cluster.add_node(num_cpus=2, num_gpus=gpus, include_dashboard=False)
        ray.init(address=cluster.address, log_to_driver=False)
        yield
    finally:
        ray.shutdown()
        cluster.shutdown()
        own_folder.undo()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def said():
    return []


@pytest.fixture
def task(connected, write, tmp_path, said):
    """A stage that starts from some model."""

    def make(model="org/model"):
        write("recipe.resolved.yaml", RECIPE.replace("MODEL", model))
        task = StageTask(run=tmp_path, index=0, attempt=0, home=tmp_path, say=said.append)
        task.folder.mkdir(parents=True, exist_ok=True)
        return task

    return make


@pytest.fixture
def problems(task):
    """What is wrong for a stage that needs some GPUs and starts from some model."""

    def check(gpus, model="org/model"):
        with pytest.raises(UserError) as raised:
            check_nodes(task(model), ENGINE, gpus)
        assert all("backend" in problem.where for problem in raised.value.problems)
        return [problem.what for problem in raised.value.problems]

    return check


def test_all_of_it_is_told_at_once_and_nodes_of_one_host_have_names_of_their_own(problems):
    host = re.escape(socket.gethostname())
    gpus, modules, secrets = problems(gpus=3)
    assert re.match(
        rf"the stage needs 3 GPUs and Ray has 2 \((?:{host} \(\w{{8}}\) [01](?:, |\))){{3}}; change nodes", gpus
    )
    assert re.match(rf"node {host} \(\w{{8}}\) has no flash_attn, vllm in the environment of ", modules)
    assert re.match(rf"node {host} \(\w{{8}}\) has no KEY_OF_A_NODE in its environment; name it in backend", secrets)


def test_each_node_that_does_not_see_the_model_is_named(problems, tmp_path):
    folder = tmp_path / "nowhere"
    found = [what for what in problems(gpus=2, model=str(folder)) if "model folder" in what]  # not the one without GPU
    assert len({what.split(" does not")[0] for what in found}) == 2
    assert all(f"does not see the model folder {folder}; put it where every node sees it" in what for what in found)


def _meet(paths, **rest):
    """Examine a node once another one is being examined, too."""
    if os.getpid() != DRIVER:
        met = Path(next(iter(paths))).parent / "met"
        met.mkdir(exist_ok=True)
        (met / str(os.getpid())).touch()
        _until(lambda: len([*met.iterdir()]) > 1, limit=20.0)
    return examine(paths, **rest)


def test_all_nodes_are_asked_at_once(problems, monkeypatch):
    """One after the other, a hundred nodes would take minutes; here none answers before the next is asked."""
    monkeypatch.setattr(checks, "examine", _meet)
    assert not [what for what in problems(gpus=2) if "cannot run rewardlab" in what]


class TestGpusInUse:
    @pytest.fixture
    def busy(self, connected):
        """Another job holds the GPU of the second node, which lacks things."""

        @ray.remote(num_gpus=1)
        class Holder:
            def node(self):
                return ray.get_runtime_context().get_node_id()

        lacking = next(n["NodeID"] for n in ray.nodes() if n["Resources"].get("GPU") and n["NodeID"] != _head())
        there = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(lacking, soft=False)
        holder = Holder.options(scheduling_strategy=there).remote()
        assert ray.get(holder.node.remote()) == lacking
        yield holder
        ray.kill(holder)

    def test_a_node_whose_gpus_another_job_holds_is_not_needed(self, busy, task, said):
        """Nor is one without GPUs: what it lacks keeps scorers away from it, and no more."""
        assert check_nodes(task(), ENGINE, gpus=1) == [_head()]
        assert [line.split(":")[0] for line in said] == ["no scorer is placed there"]
        assert "has no KEY_OF_A_NODE in its environment" in said[0]

    def test_too_few_free_ones_are_told_with_those_of_each_node(self, busy, problems, monkeypatch):
        monkeypatch.setattr(cluster_nodes, "FREE_LIMIT_S", 0.0)
        first = problems(gpus=2)[0]
        assert first.startswith("the stage needs 2 GPUs and 1 are free (")
        assert sorted(re.findall(r"\) (\d of \d)", first)) == ["0 of 1", "1 of 1"]

    def test_a_job_that_ends_meanwhile_is_waited_for(self, busy, problems):
        ray.kill(busy)
        assert not [what for what in problems(gpus=2) if "GPUs" in what]


def _head():
    return next(node["NodeID"] for node in ray.nodes() if "node:__internal_head__" in node["Resources"])


def _until(true, limit=60.0):
    end = time.monotonic() + limit
    while not true():
        assert time.monotonic() < end
        time.sleep(0.3)
