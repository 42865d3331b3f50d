"""The quickstart's recipe with OpenRLHF's own loop learns, as it does with trl."""

import json

import pytest
from helpers.learning import QUICKSTART, assert_lifts_the_held_out_total

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = pytest.mark.nightly


def test_openrlhf_lifts_the_held_out_total(jobs, tmp_path):
    engine = {"sleep": False, "zero_stage": 1, "packing": False}
    backend = {"use": "openrlhf", "gpus_per_node": 1, "engine": engine}
    ended = jobs.run(tmp_path, QUICKSTART, f"backend={json.dumps(backend)}", limit=900).succeeded()
    assert_lifts_the_held_out_total("openrlhf", ended.directory)
