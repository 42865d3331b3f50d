"""The Ray cluster on which the tests of hosts run: one for all of them."""

import os
import secrets
from types import SimpleNamespace

import pytest
from helpers.paths import TESTS
from helpers.ray_cluster import two_nodes


@pytest.fixture(scope="session")
def nodes(tmp_path_factory):
    """A cluster of two nodes of one CPU each, whose processes have the plugin `cases`."""
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}  # without one Ray 2.60 answers nobody
    plugin = TESTS / "score_plugin"
    paths = os.pathsep.join([str(plugin), *filter(None, [os.environ.get("PYTHONPATH")])])
    with two_nodes(token, [plugin], tmp_path_factory.mktemp("ray"), cpus=1, job_server=False) as cluster:
        of_drivers = {**os.environ, **token, "PYTHONPATH": paths, "RAY_ADDRESS": cluster.gcs}
        yield SimpleNamespace(cluster=cluster, of_drivers=of_drivers)
