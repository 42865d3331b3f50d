"""Examples for the laws of normalizers: options to try them with."""

from rewardlab.laws import NormalizerExample


def examples_of_center() -> list[NormalizerExample]:
    """Return one example: normalize/center has no options."""
    return [NormalizerExample()]


def examples_of_std() -> list[NormalizerExample]:
    """Return the defaults, and a subset so small that most generated pools are larger."""
    small = {"subset": 4}
    return [
        NormalizerExample(title="a group"),
        NormalizerExample(title="pools larger than the subset", options=small),
        NormalizerExample(title="the subset's mean", options=small | {"mean_from": "subset"}),
    ]


def examples_of_length() -> list[NormalizerExample]:
    """Return a usual length, and one that is longer than most generated completions."""
    return [
        NormalizerExample(title="a usual length", options={"reference": 512}),
        NormalizerExample(title="the longest", options={"reference": 4096}),
    ]
