"""The spec of a normalizer: how totals of a group become shaped rewards."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from rewardlab.references import Function
from rewardlab.specs.context import Context, Normalizer, Spec


@dataclass(frozen=True, kw_only=True)
class NormalizerSpec(Spec):
    """A normalizer.

    `build` returns an object with
    `shape(totals: (P,), tokens: (P,) | None, kept: (G,), seed: int) -> (G,)`: lists of floats and indices;
    P = G unless a group sampler collected a larger pool.

    Args:
        needs_tokens: true when token counts are required.
        range: a function (options, (low, high) of the total, group size) -> (low, high) of the shaped values; None if
            the shaped values have no known bounds.
        scales_loss: true if it multiplies all totals of a group by one positive factor, which depends on the kept
            completions' tokens and stands for the loss's own division by them. It must be the last of `normalize`, and
            a stage with `loss: seq_mean`, which divides by each completion's tokens, is refused.
        subtracts_mean: true if it takes a mean off the totals, of the group or of the pool behind it: the shaped values
            are advantages then, and no engine takes a mean off them again. Without one that does, dr_grpo takes the
            group's.
        subset: a function of the options: the largest pool of totals that is used whole; of a larger pool a random
            subset of this size is used. None: no limit. `check` warns if no pool can be larger.
        by_component: true if it shapes each component by itself: `shape` is called once for each that the total names,
            with its values (stand-ins for missing ones included) in the place of totals, and the total's weights are
            applied to what it returns. It must be the first of `normalize`, and the total a sum of weighted components.
        whitens: a function of the options: whether the values of a step's completions that have a total are divided by
            their standard deviation, with n - 1, + 1e-4, before they are trained on. None: they are not.
    """

    kind: ClassVar[str] = "normalizer"
    build: Function[Callable[[Any, Context], Normalizer]] = Function()
    needs_tokens: bool = False
    range: Function[Callable[[Any, tuple[float, float], int], tuple[float, float]] | None] = Function(None)
    scales_loss: bool = False
    subtracts_mean: bool = False
    subset: Function[Callable[[Any], int] | None] = Function(None)
    by_component: bool = False
    whitens: Function[Callable[[Any], bool] | None] = Function(None)
