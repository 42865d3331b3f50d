"""What the tests of jobs share: how they are started."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def jobs(module_of):
    """The module jobs.py."""
    return module_of(HERE / "jobs.py")
