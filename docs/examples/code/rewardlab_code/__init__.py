"""A reward that waits: it runs the unit tests of generated Python code, in a worker, without a network, with limits."""

from pydantic import Field
from rewardlab import Config, RewardSpec, hookimpl
from rewardlab.laws import Laws


class Options(Config):
    field: str = "tests"
    """the row's field with the tests: a list of Python texts, each of which passes where it raises nothing"""
    seconds: float = Field(default=10.0, gt=0, le=50)
    """for all tests of a completion together, by the clock; each test also has as much processor time"""
    memory_mb: int = Field(default=512, ge=64)
    """address space of a test"""
    file_mb: int = Field(default=8, ge=0)
    """the largest file that a test may write"""


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        RewardSpec(
            name="tests",
            summary="share of the row's unit tests that the last fenced Python code passes",
            config=Options,
            range=(0.0, 1.0),
            requires=lambda options: [options.field],
            runs="worker",
            timeout=60.0,
            build="rewardlab_code.reward:CodeTests",
            laws=Laws(examples="rewardlab_code.examples:examples"),
        )
    ]
