"""Normalizers: from a group's totals to shaped rewards."""

from typing import Any

from rewardlab import Context, NormalizerSpec, hookimpl
from rewardlab.laws import Laws, NormalizerExample

from rewardlab_normalize.options import CenterOptions, LengthOptions, StdOptions


def _center(options: CenterOptions, context: Context) -> Any:
    from rewardlab_normalize.center import Center

    return Center()


def _std(options: StdOptions, context: Context) -> Any:
    from rewardlab_normalize.std import Std

    return Std(options)


def _length(options: LengthOptions, context: Context) -> Any:
    from rewardlab_normalize.length import Length

    return Length(options)


def _center_range(options: CenterOptions, total: tuple[float, float], size: int) -> tuple[float, float]:
    # a pool can be larger than the group, so the mean may come as near to either end as it likes
    low, high = total
    return low - high, high - low


def _std_range(options: StdOptions, total: tuple[float, float], size: int) -> tuple[float, float]:
    # sqrt(P - 1) bounds it while the pool is its own subset; a larger pool P is bounded by eps alone
    low, high = total
    return (low - high) / options.eps, (high - low) / options.eps


def _length_range(options: LengthOptions, total: tuple[float, float], size: int) -> tuple[float, float]:
    # the shortest group has one token
    low, high = total
    most = float(options.reference_length * size)
    return min(0.0, low) * most, max(0.0, high) * most


def _subset(options: StdOptions) -> int:
    return options.subset


def _center_examples() -> list[NormalizerExample]:
    from rewardlab_normalize.examples import examples_of_center

    return examples_of_center()


def _std_examples() -> list[NormalizerExample]:
    from rewardlab_normalize.examples import examples_of_std

    return examples_of_std()


def _length_examples() -> list[NormalizerExample]:
    from rewardlab_normalize.examples import examples_of_length

    return examples_of_length()


@hookimpl
def rewardlab_normalizers() -> list[NormalizerSpec]:
    return [
        NormalizerSpec(
            name="center",
            summary="each total less the mean of its group",
            config=CenterOptions,
            subtracts_mean=True,
            range=_center_range,
            build=_center,
            laws=Laws(examples=_center_examples),
        ),
        NormalizerSpec(
            name="std",
            summary="each total less the mean of its group, over the group's standard deviation",
            config=StdOptions,
            subtracts_mean=True,
            range=_std_range,
            subset=_subset,
            build=_std,
            laws=Laws(examples=_std_examples),
        ),
        NormalizerSpec(
            name="length",
            summary="each total times a reference length over the mean tokens of the group that is trained on",
            config=LengthOptions,
            needs_tokens=True,
            scales_loss=True,
            range=_length_range,
            build=_length,
            laws=Laws(examples=_length_examples),
        ),
    ]
