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
