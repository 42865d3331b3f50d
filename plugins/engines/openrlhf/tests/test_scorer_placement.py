"""GPUs of scorers in a real Ray of three nodes: what they leave of each node is whole rollout engines."""

import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="needs the environment of requirements-openrlhf-cpu.txt")

import ray
from ray.cluster_utils import Cluster
from ray.util.placement_group import placement_group, placement_group_table, remove_placement_group
from rewardlab_ray.job_options import Scorers
from rewardlab_ray.scoring.scorer_placement import ScorerPlacement

pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]
EACH = 4
NODES = 3


@pytest.fixture(scope="module")
def nodes():
    """The ids of three nodes of four fake GPUs each, in a cluster that this process is connected to."""
    folder = Path(tempfile.mkdtemp(prefix="rs_", dir="/tmp"))  # short, for Ray's sockets
    # of the whole process, not of the head alone: the cluster writes its address to a folder that only a node makes
    own_folder = pytest.MonkeyPatch()
    own_folder.setenv("RAY_TMPDIR", str(folder))
    cluster = Cluster()
    try:
        head = {"_system_config": {"enable_metrics_collection": False}}
        for number in range(NODES):
            cluster.add_node(num_cpus=4, num_gpus=EACH, include_dashboard=False, **(head if number == 0 else {}))
        ray.init(address=cluster.address, log_to_driver=False)
        yield [node["NodeID"] for node in ray.nodes()]
    finally:
        ray.shutdown()
        cluster.shutdown()
        own_folder.undo()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def place(nodes):
    """Place scorers, and return how many are on each node that has some; all is given back after the test."""
    placements, actors = [], []

    def start(scorers, tensor_parallel=1, on=()):
        placements.append(ScorerPlacement(scorers, EACH, tensor_parallel, on))
        placements[-1].wait(30)

        @ray.remote
        class Scorer:
            def node(self):
                return ray.get_runtime_context().get_node_id()

        actors.extend(Scorer.options(**options).remote() for options in placements[-1].options())
        return Counter(ray.get([actor.node.remote() for actor in actors]))

    yield start
    for actor in actors:
        ray.kill(actor)
    for placement in placements:
        placement.close()


def engines(count, size):
    """Ask Ray for engines' GPUs as OpenRLHF does; return how many nodes each engine is on."""
    group = placement_group([{"GPU": 1}] * (count * size), strategy="PACK")
    try:
        assert group.wait(30), "the GPUs that the scorers leave are too few"
        by_bundle = placement_group_table(group)["bundles_to_node_id"]
        by_node = sorted(by_bundle, key=lambda bundle: (by_bundle[bundle], bundle))  # openrlhf's get_bundle_indices
        return [len({by_bundle[b] for b in by_node[i * size : (i + 1) * size]}) for i in range(count)]
    finally:
        remove_placement_group(group)


def left(gpus, limit=30.0):
    """Whether Ray, which hears of changes a little later, comes to have so many GPUs that nobody holds."""
    end = time.monotonic() + limit
    while ray.available_resources().get("GPU") != gpus and time.monotonic() < end:
        time.sleep(0.1)
    return ray.available_resources().get("GPU") == gpus


def test_scorers_share_a_node_and_no_engine_is_split(place):
    assert [*place(Scorers(replicas=2, num_gpus=1), tensor_parallel=2).values()] == [2]
    assert engines(count=5, size=2) == [1] * 5


def test_gpus_that_would_make_a_part_of_an_engine_are_held(place):
    """One scorer leaves 3 of its node's GPUs: one engine of two, and one GPU that would split another."""
    place(Scorers(replicas=1, num_gpus=1), tensor_parallel=2)
    assert engines(count=5, size=2) == [1] * 5
    assert left(NODES * EACH - 2)


def test_parts_of_a_gpu_are_of_the_same_one(place):
    assert [*place(Scorers(replicas=3, num_gpus=0.25, num_cpus=0.5)).values()] == [3]
    assert left(NODES * EACH - 1)


def test_more_than_a_node_holds_go_on_to_the_next(place):
    assert sorted(place(Scorers(replicas=6, num_gpus=1, num_cpus=0.5), tensor_parallel=2).values()) == [2, 4]
    assert engines(count=3, size=2) == [1] * 3


def test_scorers_without_a_gpu_go_to_the_nodes_that_were_checked(place, nodes):
    found = place(Scorers(replicas=4, num_cpus=0.5), on=nodes[:2])
    assert found == {nodes[0]: 2, nodes[1]: 2}
