"""What `--on ray` takes and checks before it scores; no cluster is asked."""

import asyncio
import pickle

import pytest
from helpers.each_case import each_case
from rewardlab.commands import scorer_on
from rewardlab.errors import JobError, UserError
from rewardlab.judging import JudgingSettings
from rewardlab_shards.host_actor import HostActor, HostFacts, versions
from rewardlab_shards.ray_address import RayAddress
from rewardlab_shards.ray_hosts import problems_of

GOOD = [
    ("ray", RayAddress()),
    ("ray,hosts=8,cpus=4,gpus=1", RayAddress(None, 8, 4, 1)),
    ("ray://head-node:10001", RayAddress("ray://head-node:10001")),
    ("ray://10.0.0.1:10001,cpus=2", RayAddress("ray://10.0.0.1:10001", cpus=2)),
]
BAD = [
    ("ray,nodes=2", "--on ray,nodes=2: 'nodes=2' is none of hosts=N, cpus=N, gpus=N"),
    ("ray,cpus=two", "'cpus=two' is none of"),
    ("ray://head", "an address is ray, for the cluster of this machine, or ray://HOST:10001"),
    ("rays", "nothing here scores on 'rays', as on ray or ray://HOST:10001"),
    ("http://head:8265", "send the command to this job server: ray job submit --address http://head:8265 -- rewardlab"),
]


@each_case("text, address", GOOD)
def test_an_address_names_a_cluster_and_how_many_hosts_it_gets(text, address):
    assert RayAddress.parse(text) == address


@each_case("text, told", BAD)
def test_what_is_no_address_is_refused(text, told):
    with pytest.raises(UserError) as error:
        scorer_on(text)
    assert told in str(error.value)


def test_a_host_that_comes_later_scores_nothing_with_other_versions():
    here = versions(["rewardlab-core"]) | {"rewardlab-core": "0.0.9"}
    host = HostActor(pickle.dumps((None, None)), JudgingSettings(), here)
    with pytest.raises(JobError, match=r"node .* has rewardlab-core .*, this machine rewardlab-core 0.0.9"):
        asyncio.run(host.ready())


def test_a_host_with_other_versions_or_without_the_folder_is_named(tmp_path):
    here = versions(["rewardlab-core", "not-installed"])
    assert here["not-installed"] == "absent"
    same = HostFacts(node="n1", versions=here, sees_folder=True)
    assert problems_of(same, here, JudgingSettings(folder=tmp_path)) == []
    other = HostFacts(node="n7", versions=here | {"rewardlab-core": "0.0.9"}, sees_folder=False)
    assert problems_of(other, here, JudgingSettings(folder=tmp_path)) == [
        f"node n7 has rewardlab-core 0.0.9, this machine rewardlab-core {here['rewardlab-core']}",
        f"node n7 does not see {tmp_path}, where judges' answers are kept; name a shared folder",
    ]
