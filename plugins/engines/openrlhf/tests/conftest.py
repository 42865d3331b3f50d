"""What the end-to-end tests share: how jobs are started, the recipes, and the toy plugin installed."""

from dataclasses import replace
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture
def with_options(toy):
    """Add what a recipe's options mean for the actors that score: `with_options(settings)`."""
    from rewardlab_openrlhf.options import service_options

    def add(settings):
        plan = settings.plan()
        return replace(settings, **service_options(plan, settings.stage_of(plan).batch_size))

    return add


@pytest.fixture(scope="session")
def jobs(module_of):
    """The module jobs.py."""
    return module_of(HERE / "jobs.py")


@pytest.fixture(scope="session")
def drive():
    """The recipe that sft and rl run by."""
    return HERE / "recipes" / "drive.yaml"


@pytest.fixture(scope="session")
def driven(jobs, drive, tmp_path_factory):
    """The run of drive.yaml, which takes minutes, for what runs at night."""
    return jobs.run(tmp_path_factory.mktemp("driven"), drive, name="drive").succeeded()


@pytest.fixture(scope="session")
def model(driven):
    """The model that drive.yaml's sft trained, for jobs of a few steps."""
    return driven.directory / "models" / "0-sft"
