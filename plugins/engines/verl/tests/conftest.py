"""What the tests of jobs share: how they are started."""

import json
from pathlib import Path

import pytest
from helpers.learning import QUICKSTART

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def jobs(module_of):
    """The module jobs.py."""
    return module_of(HERE / "jobs.py")


@pytest.fixture(scope="session")
def recipe(jobs):
    """The quickstart's recipe with verl: the arguments of `run`."""
    backend = {"use": "verl", "gpus_per_node": 1, "precision": "fp32", "tensorboard": True, "engine": jobs.ON_CPU}
    rows = ["stages.0.micro_batch_size=16", "stages.1.micro_batch_size=64"]
    return [QUICKSTART, f"backend={json.dumps(backend)}", *rows]


@pytest.fixture
def assert_adapters_are_merged(model_folder):
    """Assert that transformers reads a model whole, and that it is the tiny llama but for all of its projections."""

    def check(folder):
        from safetensors.torch import load_file
        from transformers import AutoModelForCausalLM

        _, loading = AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True)
        assert not any(loading.values()), loading
        before, after = (load_file(of / "model.safetensors") for of in (model_folder("llama"), folder))
        assert after.keys() == before.keys()
        changed = {name for name, value in after.items() if not value.equal(before[name])}
        assert changed == {name for name in after if name.endswith("_proj.weight")}

    return check
