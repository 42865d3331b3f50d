"""The quickstart's recipe with verl's own loop learns, as it does with trl."""

import pytest
from helpers.learning import assert_lifts_the_held_out_total

pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = pytest.mark.nightly


def test_verl_lifts_the_held_out_total(jobs, recipe, tmp_path):
    assert_lifts_the_held_out_total("verl", jobs.run(tmp_path, *recipe, limit=900).succeeded().directory)
