"""What the end-to-end tests share: how jobs are started, and a model that a first job trained."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def jobs(module_of):
    """The module jobs.py."""
    return module_of(HERE / "jobs.py")


@pytest.fixture(scope="session")
def drive():
    """The recipe that sft and rl run by."""
    return HERE / "recipes" / "drive.yaml"
