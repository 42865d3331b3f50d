"""Normalizers: from a group's totals to shaped rewards."""

from rewardlab import NormalizerSpec, hookimpl
from rewardlab.laws import Laws

from rewardlab_normalize.options import CenterOptions, GdpoOptions, LengthOptions, StdOptions


def _center_range(_options: CenterOptions, total: tuple[float, float], _size: int) -> tuple[float, float]:
    # a pool can be larger than the group, so the mean may come as near to either end as it likes
    low, high = total
    return low - high, high - low


def _std_range(options: StdOptions | GdpoOptions, total: tuple[float, float], _size: int) -> tuple[float, float]:
    # sqrt(P - 1) bounds it while the pool is its own subset; a larger pool P is bounded by eps alone
    low, high = total
    return (low - high) / options.eps, (high - low) / options.eps


def _length_range(options: LengthOptions, total: tuple[float, float], size: int) -> tuple[float, float]:
    # the shortest group has one token
    low, high = total
    most = float(options.reference_length * size)
    return min(0.0, low) * most, max(0.0, high) * most


def _whitens(options: GdpoOptions) -> bool:
    return options.batch


def _subset(options: StdOptions) -> int:
    return options.subset


@hookimpl
def rewardlab_normalizers() -> list[NormalizerSpec]:
    return [
        NormalizerSpec(
            name="center",
            summary="each total less the mean of its group",
            config=CenterOptions,
            subtracts_mean=True,
            range=_center_range,
            build="rewardlab_normalize.center:Center",
            laws=Laws(examples="rewardlab_normalize.examples:examples_of_center"),
        ),
        NormalizerSpec(
            name="std",
            summary="each total less the mean of its group, over the group's standard deviation",
            config=StdOptions,
            subtracts_mean=True,
            range=_std_range,
            subset=_subset,
            build="rewardlab_normalize.std:Std",
            laws=Laws(examples="rewardlab_normalize.examples:examples_of_std"),
        ),
        NormalizerSpec(
            name="gdpo",
            summary="each component less its mean in the group, over its own standard deviation; then their sum",
            config=GdpoOptions,
            subtracts_mean=True,
            by_component=True,
            whitens=_whitens,
            range=_std_range,
            build="rewardlab_normalize.gdpo:Gdpo",
            laws=Laws(examples="rewardlab_normalize.examples:examples_of_gdpo"),
        ),
        NormalizerSpec(
            name="length",
            summary="each total times a reference length over the mean tokens of the group that is trained on",
            config=LengthOptions,
            needs_tokens=True,
            scales_loss=True,
            range=_length_range,
            build="rewardlab_normalize.length:Length",
            laws=Laws(examples="rewardlab_normalize.examples:examples_of_length"),
        ),
    ]
