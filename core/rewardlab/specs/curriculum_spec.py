"""The spec of a curriculum or a group sampler."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from rewardlab.references import Function
from rewardlab.specs.context import Context, Curriculum, GroupSampler, Spec


@dataclass(frozen=True, kw_only=True)
class CurriculumSpec(Spec):
    """A curriculum. `build` returns an object with either or both of two parts.

    order(samples: Sequence[Sample], seed: int) -> list[int]: what the trainer reads, deterministic.
    more(pool) -> int and select(pool, n) -> list[int]: a group sampler. It collects completions of one prompt, a
        round at a time, until `more` says 0, and selects the n different ones that are trained on. `pool` is a
        sequence of the P completions so far, with `pool.sample` and `pool.size` (n); each entry has `completion`
        and `scores`: component name -> Score, of the components that score each completion by itself (completion
        and batch scope), whose `value` is None if it is missing. Group-scope rewards run on the n selected, in
        the order selected. Both are plain functions that take little time and depend on the pool alone, best not
        even on the order of its entries, which says nothing. To test one: rewardlab.Candidates.

    Args:
        most: for a group sampler, a function (options, n) -> the most completions that a group of n may collect;
            None if the curriculum only orders.
    """

    kind: ClassVar[str] = "curriculum"
    build: Function[Callable[[Any, Context], Curriculum | GroupSampler]] = Function()
    most: Function[Callable[[Any, int], int] | None] = Function(None)
