"""What a normalizer is given when its laws are tried: groups as they come in training, and generated ones."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from rewardlab.testing.searching import search
from rewardlab.testing.trial import Trial

LARGEST_POOL = 96
"""totals; more than a normalizer may look at, as normalize/std at 64"""
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
    [1.0] + [0.0] * (LARGEST_POOL - 1),
)
"""totals of groups: of one, all equal, one right or one wrong, hardly different, large, a pool with one right"""
SEEDS = range(3)
SHOWN = 16
"""numbers of a list in a failing example"""


def listed(values: Sequence[Any]) -> str:
    """The numbers; of many the first and the last, and how many there are."""
    if len(values) <= SHOWN:
        return repr(list(values))
    first, last = (", ".join(map(repr, part)) for part in (values[: SHOWN // 2], values[-SHOWN // 2 :]))
    return f"[{first}, ..., {last}] ({len(values)} of them)"


@dataclass(frozen=True, kw_only=True)
class Case:
    """What `shape` is given. totals: (P,). tokens: (P,) or None. kept: (G,) different places. seed: below 2**32."""

    totals: Sequence[float]
    tokens: Sequence[int] | None
    kept: Sequence[int]
    seed: int

    def __str__(self) -> str:
        counts = None if self.tokens is None else listed(self.tokens)
        return f"shape(totals={listed(self.totals)}, tokens={counts}, kept={listed(self.kept)}, seed={self.seed})"

    @property
    def whole(self) -> "Case":
        """The same, with every place kept."""
        return replace(self, kept=list(range(len(self.totals))))

    def moved(self, places: Sequence[int]) -> "Case":
        """The same with place `places[k]` as its place k."""
        return Case(
            totals=[self.totals[place] for place in places],
            tokens=None if self.tokens is None else [self.tokens[place] for place in places],
            kept=[places.index(place) for place in self.kept],
            seed=self.seed,
        )


def over(tested: Trial, check: Callable[[Case], None], alike: bool = False) -> int:
    """Check generated cases, for the smallest that fails, and the usual ones; how many.

    alike: all completions have the same number of tokens.
    """
    seen = search(check, cases(tested, alike), tries=tested.tries)
    known = list(usual(tested, alike))
    for case in known:
        check(case)
    return seen + len(known)


def usual(tested: Trial, alike: bool = False) -> Iterator[Case]:
    """Each of USUAL under several seeds, with its last places kept."""
    for totals in USUAL:
        size = len(totals)
        counts = [7] * size if alike else list(range(1, size + 1))
        for seed in SEEDS:
            kept = list(range(size))[-4:]
            yield Case(totals=totals, tokens=counts if tested.spec.needs_tokens else None, kept=kept, seed=seed)


def cases(tested: Trial, alike: bool = False) -> st.SearchStrategy[Case]:
    """alike: all completions have the same number of tokens."""
    near = st.builds(lambda base, steps: [base + step * NEAR for step in steps], st.floats(-1, 1), _several(_small))
    totals = st.one_of(
        _several(_level),
        _several(st.floats(-4, 4)),
        near,
        _several(st.floats(-1e6, 1e6)),
        st.lists(st.sampled_from([0.0, 1.0, 0.25]), min_size=LARGEST_POOL // 2, max_size=LARGEST_POOL),
    )
    counted, seeds = st.integers(0, 4096), st.integers(0, 2**32 - 1)

    @st.composite
    def drawn(draw: st.DrawFn) -> Case:
        given = draw(totals)
        size = len(given)
        counts = None
        if tested.spec.needs_tokens or draw(st.booleans()):
            each = counted.map(lambda n: [n] * size) if alike else st.lists(counted, min_size=size, max_size=size)
            counts = draw(each)
        places = draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=min(size, 8), unique=True))
        return Case(totals=given, tokens=counts, kept=places, seed=draw(seeds))

    return drawn()


_small = st.integers(-2, 2)
_level = st.sampled_from(LEVELS)


def _several(of: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(of, min_size=1, max_size=12)
