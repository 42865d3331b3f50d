"""What the end-to-end tests share: how jobs are started, the recipes, and the toy plugin installed."""

import importlib.util
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def jobs():
    """The module jobs.py; a folder of tests is no package here."""
    return _module("rewardlab_jobs", HERE / "jobs.py")


@pytest.fixture(scope="session")
def judge_server():
    """The module tests/judge_server.py."""
    return _module("rewardlab_judge_server", HERE.parent / "judge_server.py")


@pytest.fixture(scope="session")
def drive():
    """The recipe that sft and rl run by."""
    return HERE / "recipes" / "drive.yaml"


@pytest.fixture(scope="session")
def driven(jobs, drive, tmp_path_factory):
    """The run of drive.yaml, which takes over a minute: every test that only looks at it shares it."""
    saving = "stages.1.save_every=16"  # for those that look at checkpoints
    return jobs.run(tmp_path_factory.mktemp("driven"), drive, saving, name="drive").succeeded()


@pytest.fixture(scope="session")
def model(driven):
    """The model that drive.yaml's sft trained, for jobs of a few steps."""
    return driven.directory / "models" / "0-sft"


def _module(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # its dataclasses ask for it
    spec.loader.exec_module(module)
    return module
