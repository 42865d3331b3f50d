"""The cases for which a normalizer's laws are tried: groups as they come in training, and generated ones."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from rewardlab_testing.examples.search import search
from rewardlab_testing.harness.component_under_test import ComponentUnderTest

MAX_POOL = 96
"""totals; more than a normalizer may look at (normalize/std looks at 64)"""
NEAR = 1e-12
LEVELS = (0.0, 1.0, 0.1, 0.7)
USUAL = (
    [0.0],
    [0.1, 0.1, 0.1],
    [0.0, 1.0],
    [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    [0.3, 0.3 + NEAR, 0.3 - NEAR, 0.3],
    [1e6, -1e6, 0.5, 1e6],
    [1.0] + [0.0] * (MAX_POOL - 1),
)
"""totals of groups: of one, all equal, one right or one wrong, hardly different, large, a pool with one right"""
SEEDS = range(3)
SHOWN = 16
"""numbers of a list in a failing example"""


def list_numbers(values: Sequence[Any]) -> str:
    """Return the numbers as text; of many the first and the last, and how many there are."""
    if len(values) <= SHOWN:
        return repr(list(values))
    first, last = (", ".join(map(repr, part)) for part in (values[: SHOWN // 2], values[-SHOWN // 2 :]))
    return f"[{first}, ..., {last}] ({len(values)} of them)"


@dataclass(frozen=True, kw_only=True)
class ShapeCase:
    """The arguments of one call of `shape`.

    Args:
        totals: (P,).
        tokens: (P,) or None.
        kept: (G,) different places in the pool.
        seed: below 2**32.
    """

    totals: Sequence[float]
    tokens: Sequence[int] | None
    kept: Sequence[int]
    seed: int

    def __str__(self) -> str:
        counts = None if self.tokens is None else list_numbers(self.tokens)
        totals, kept = list_numbers(self.totals), list_numbers(self.kept)
        return f"shape(totals={totals}, tokens={counts}, kept={kept}, seed={self.seed})"

    @property
    def whole(self) -> "ShapeCase":
        """Return this case with every place kept."""
        return replace(self, kept=list(range(len(self.totals))))

    @property
    def alone(self) -> "ShapeCase":
        """Return this case with the kept places for the whole pool."""
        return ShapeCase(
            totals=[self.totals[place] for place in self.kept],
            tokens=None if self.tokens is None else [self.tokens[place] for place in self.kept],
            kept=list(range(len(self.kept))),
            seed=self.seed,
        )

    def reordered(self, places: Sequence[int]) -> "ShapeCase":
        """Return the same case in another order: place `places[k]` becomes place k."""
        return ShapeCase(
            totals=[self.totals[place] for place in places],
            tokens=None if self.tokens is None else [self.tokens[place] for place in places],
            kept=[places.index(place) for place in self.kept],
            seed=self.seed,
        )


def check_cases(tested: ComponentUnderTest, check: Callable[[ShapeCase], None], equal_tokens: bool = False) -> int:
    """Check generated cases, to find the smallest that fails, and the usual ones; return how many.

    Args:
        equal_tokens: all completions have the same number of tokens.
    """
    seen = search(check, generated_cases(tested, equal_tokens), tries=tested.tries)
    usual = list(usual_cases(tested, equal_tokens))
    for case in usual:
        check(case)
    return seen + len(usual)


def usual_cases(tested: ComponentUnderTest, equal_tokens: bool = False) -> Iterator[ShapeCase]:
    """Yield each of USUAL under several seeds, with its last places kept."""
    for totals in USUAL:
        size = len(totals)
        counts = [7] * size if equal_tokens else list(range(1, size + 1))
        for seed in SEEDS:
            kept = list(range(size))[-4:]
            yield ShapeCase(totals=totals, tokens=counts if tested.spec.needs_tokens else None, kept=kept, seed=seed)


def generated_cases(tested: ComponentUnderTest, equal_tokens: bool = False) -> st.SearchStrategy[ShapeCase]:
    """Return a strategy for cases. equal_tokens: all completions have the same number of tokens."""
    near = st.builds(lambda base, steps: [base + step * NEAR for step in steps], st.floats(-1, 1), _several(_small))
    totals = st.one_of(
        _several(_level),
        _several(st.floats(-4, 4)),
        near,
        _several(st.floats(-1e6, 1e6)),
        st.lists(st.sampled_from([0.0, 1.0, 0.25]), min_size=MAX_POOL // 2, max_size=MAX_POOL),
    )
    counted, seeds = st.integers(0, 4096), st.integers(0, 2**32 - 1)

    @st.composite
    def drawn(draw: st.DrawFn) -> ShapeCase:
        given = draw(totals)
        size = len(given)
        counts = None
        if tested.spec.needs_tokens or draw(st.booleans()):
            each = (
                counted.map(lambda n: [n] * size) if equal_tokens else st.lists(counted, min_size=size, max_size=size)
            )
            counts = draw(each)
        places = draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=min(size, 8), unique=True))
        return ShapeCase(totals=given, tokens=counts, kept=places, seed=draw(seeds))

    return drawn()


_small = st.integers(-2, 2)
_level = st.sampled_from(LEVELS)


def _several(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(strategy, min_size=1, max_size=12)
