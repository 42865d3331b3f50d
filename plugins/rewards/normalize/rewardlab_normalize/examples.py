"""Examples for the laws of normalizers: options to try them with."""

from rewardlab.laws import NormalizerExample


def examples_of_center() -> list[NormalizerExample]:
    """Return one example: normalize/center has no options."""
    return [NormalizerExample()]


def examples_of_gdpo() -> list[NormalizerExample]:
    """Return the defaults, and a larger eps."""
    return [NormalizerExample(), NormalizerExample(title="a larger eps", options={"eps": 1e-2})]


def examples_of_length() -> list[NormalizerExample]:
    """Return a short and a long reference length."""
    return [
        NormalizerExample(title="a token", options={"reference_length": 1}),
        NormalizerExample(title="long completions", options={"reference_length": 1024}),
    ]


def examples_of_std() -> list[NormalizerExample]:
    """Return the defaults, and a subset so small that most generated pools are larger."""
    small = {"subset": 4}
    return [
        NormalizerExample(title="a group"),
        NormalizerExample(title="pools larger than the subset", options=small),
        NormalizerExample(title="the subset's mean", options=small | {"mean_from": "subset"}),
    ]
