"""Normalizers: from a group's totals to shaped rewards."""

from typing import Any

from rewardlab import Context, NormalizerSpec, hookimpl
from rewardlab.laws import Laws, NormalizerExample

from rewardlab_normalize.options import CenterOptions, StdOptions


def _center(options: CenterOptions, context: Context) -> Any:
    from rewardlab_normalize.center import Center

    return Center()


def _std(options: StdOptions, context: Context) -> Any:
    from rewardlab_normalize.std import Std

    return Std(options)


def _center_range(options: CenterOptions, total: tuple[float, float], size: int) -> tuple[float, float]:
    # a pool can be larger than the group, so the mean may come as near to either end as it likes
    low, high = total
    return low - high, high - low


def _std_range(options: StdOptions, total: tuple[float, float], size: int) -> tuple[float, float]:
    # sqrt(P - 1) bounds it while the pool is its own subset; a larger pool P is bounded by eps alone
    low, high = total
    return (low - high) / options.eps, (high - low) / options.eps


def _center_examples() -> list[NormalizerExample]:
    from rewardlab_normalize.examples import examples_of_center

    return examples_of_center()


def _std_examples() -> list[NormalizerExample]:
    from rewardlab_normalize.examples import examples_of_std

    return examples_of_std()


@hookimpl
def rewardlab_normalizers() -> list[NormalizerSpec]:
    return [
        NormalizerSpec(
            name="center",
            summary="each total less the mean of its group",
            config=CenterOptions,
            range=_center_range,
            build=_center,
            laws=Laws(examples=_center_examples),
        ),
        NormalizerSpec(
            name="std",
            summary="each total less the mean of its group, over the group's standard deviation",
            config=StdOptions,
            range=_std_range,
            build=_std,
            laws=Laws(examples=_std_examples),
        ),
    ]
