"""The options of the normalizers."""

from typing import Literal

from pydantic import Field
from rewardlab import Config


class CenterOptions(Config):
    """Options of normalize/center: there are none."""


class GdpoOptions(Config):
    """Options of normalize/gdpo."""

    eps: float = Field(default=1e-4, gt=0)
    """Added to each component's standard deviation; TRL's is 1e-4."""
    batch: bool = True
    """Whether the advantages of a step are divided by their standard deviation once the components are added."""


class LengthOptions(Config):
    """Options of normalize/length."""

    reference_length: int = Field(ge=1)
    """The length, in tokens, of a group whose totals stay as they are; a group twice as long counts half. With trl and
    `loss: constant` the stage's max_new_tokens gives each group the mean over its tokens exactly."""


class StdOptions(Config):
    """Options of normalize/std."""

    subset: int = Field(default=64, ge=2)
    """The standard deviation of a pool of more totals than this is that of a random subset of this many."""
    mean_from: Literal["pool", "subset"] = "pool"
    """The totals whose mean is taken if the pool is larger than the subset."""
    eps: float = Field(default=1e-6, gt=0)
    """Added to the standard deviation."""
