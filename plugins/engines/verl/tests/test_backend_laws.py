"""verl under the laws that every engine keeps."""

import pytest
from rewardlab.testing import check_backend
from rewardlab_testing.outcomes.law_words import BACKEND

pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.verl]


def test_verl_keeps_every_law_but_that_of_the_same_completions(jobs, model_folder, toy, tmp_path):
    """And no process of its jobs is left, however they end; some laws are tried at night alone (test_nightly.py)."""
    recipe = jobs.laws_recipe(model_folder("llama"))
    tried = [law for law in BACKEND if law not in jobs.AT_NIGHT]
    with jobs.ray_environment(tmp_path) as (environment, left):
        environment["REWARDLAB_CPU_ENGINE_TOKENS"] = "8"
        [result] = check_backend(recipe, environment=environment, only=tried)
        assert not left()
    assert [outcome.law for outcome in result.of("off")] == ["same"]
    assert [outcome.law for outcome in result.of("held")] == [law for law in tried if law != "same"]
