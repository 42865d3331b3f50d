"""The laws of a group sampler, on pools whose scores are drawn from those of the example's pools.

Equal texts have equal scores: a reward's score for a completion does not depend on when the completion arrived.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from rewardlab import Candidates, Completion, PoolEntry, Sample, Score
from rewardlab.errors import one_line

from rewardlab_testing.examples.search import search
from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.harness.other_process import call_in_process
from rewardlab_testing.outcomes.outcome import LawViolation, NothingToTry, UnmetNeed

MAX_GROUP = 8
MAX_EXTRA = 16
"""completions of a generated pool beyond the group's"""
LONGEST = 4096
"""completions after which we stop collecting, if `most` allows as many"""
ELSEWHERE = 12
"""pools that another process is asked about"""
SHOWN = 12
"""completions of a pool in a failing example"""


def more(tested: ComponentUnderTest) -> int:
    """Let pools grow as a trainer fills them: by what `more` asks for, until it returns 0."""
    sampler = _build(tested)
    if tested.spec.most is None:
        raise LawViolation(
            "`build` gave an object with `more`\nexpected `most` in its spec: how many it may collect at most"
        )

    def check(pool: Candidates) -> None:
        most = max(pool.size, tested.spec.most(tested.options, pool.size))
        _more(sampler, pool)  # it must be a whole number for any pool, even if a trainer would not ask
        filled = _grown(pool, pool.size)
        while len(filled) < LONGEST:
            wanted = _more(sampler, filled)
            if wanted == 0:
                return
            if len(filled) + wanted > most:
                expected = f"at most {most - len(filled)} more: `most` is {most}"
                raise LawViolation(f"asked more({_describe_pool(filled)})\ngot {wanted}\nexpected {expected}")
            filled = _grown(pool, len(filled) + wanted)

    return _check_pools(tested, check)


def select(tested: ComponentUnderTest) -> int:
    sampler = _build(tested)
    return _check_pools(tested, lambda pool: _select(sampler, pool) and None)


def arrival(tested: ComponentUnderTest) -> int:
    sampler = _build(tested)

    def check(both: tuple[Candidates, Candidates]) -> None:
        pool, moved = both
        first, then = (_texts(candidates, _select(sampler, candidates)) for candidates in both)
        if Counter(first) != Counter(then):
            raise LawViolation(
                f"asked select({_describe_pool(pool)})\ngot the texts {sorted(first)!r}\n"
                f"then asked the same in another order, select({_describe_pool(moved)})\n"
                f"got the texts {sorted(then)!r}\nexpected the same texts"
            )

    moved = _pools(tested).flatmap(
        lambda pool: st.permutations(pool.entries).map(lambda entries: (pool, _with(pool, entries)))
    )
    given = [
        (pool, _with(pool, entries))
        for own in _own_pools(tested)
        for pool in (own, _tied(own))
        for entries in _moved(pool)
    ]
    for both in given:
        check(both)
    return len(given) + search(check, moved, tries=tested.tries)


def _tied(pool: Candidates) -> Candidates:
    """Return the pool with the first entry's scores for all: this shows what the sampler does among equals."""
    return _with(pool, [PoolEntry(completion=entry.completion, scores=pool[0].scores) for entry in pool])


def _moved(pool: Candidates) -> list[list[PoolEntry]]:
    """Return the pool's entries in two other orders: backwards, and turned by one."""
    entries = list(pool)
    return [entries[::-1], entries[1:] + entries[:1]]


def worker(tested: ComponentUnderTest, sampler: Any) -> int:
    """Compare what is selected here and in a spawned process."""
    cases: list[Candidates] = []
    search(cases.append, _pools(tested), tries=min(ELSEWHERE, tested.tries))
    here = [_select(sampler, pool) for pool in cases]
    payload = [_as_json(pool) for pool in cases]
    there = call_in_process(tested, f"{__name__}:selections_as_json", payload)
    for pool, first, then in zip(cases, here, there, strict=True):
        if first != then:
            raise LawViolation(f"asked select({_describe_pool(pool)})\ngot {first!r}\nin another process\ngot {then!r}")
    return len(cases)


def selections_as_json(sampler: Any, payload: Sequence[Any]) -> list[list[int]]:
    """Return what `select` gives for each pool in JSON; called in the other process."""
    return [list(sampler.select(pool, pool.size)) for pool in map(_from_json, payload)]


def _build(tested: ComponentUnderTest) -> Any:
    sampler = tested.build()
    if not hasattr(sampler, "more"):
        raise NothingToTry("it is not a group sampler: it has no `more`")
    return sampler


def _more(sampler: Any, pool: Candidates) -> int:
    try:
        wanted = sampler.more(pool)
    except (Exception, SystemExit) as error:
        raise LawViolation(
            f"asked more({_describe_pool(pool)})\ngot {one_line(error)}\nexpected a whole number"
        ) from error
    if type(wanted) is not int or wanted < 0:
        raise LawViolation(f"asked more({_describe_pool(pool)})\ngot {wanted!r}\nexpected a whole number of 0 or above")
    return wanted


def _select(sampler: Any, pool: Candidates) -> list[int]:
    try:
        given = list(sampler.select(pool, pool.size))
    except (Exception, SystemExit) as error:
        raise LawViolation(
            f"asked select({_describe_pool(pool)})\ngot {one_line(error)}\nexpected {pool.size} places"
        ) from error
    places = {place for place in given if type(place) is int and 0 <= place < len(pool)}
    if len(given) != pool.size or len(places) != pool.size:
        expected = f"{pool.size} different places from 0 to {len(pool) - 1}"
        raise LawViolation(f"asked select({_describe_pool(pool)})\ngot {given!r}\nexpected {expected}")
    return given


def _check_pools(tested: ComponentUnderTest, check: Any) -> int:
    """Check the example's own pools, then generated ones; return how many."""
    own = _own_pools(tested)
    generated = _pools(tested)
    for pool in own:
        check(pool)
    return len(own) + search(check, generated, tries=tested.tries)


def _own_pools(tested: ComponentUnderTest) -> list[Candidates]:
    """Return the example's pools that are large enough for a whole group."""
    return [pool for pool in tested.example.pools if len(pool) >= pool.size]


def _pools(tested: ComponentUnderTest) -> st.SearchStrategy[Candidates]:
    """Return a strategy for pools of n to n + MAX_EXTRA completions, some of them equal, scored as the example's."""
    known = [(pool.sample, entry.scores) for pool in tested.example.pools for entry in pool]
    if not known:
        raise UnmetNeed("needs an example with pools (rewardlab.Candidates) whose scores name its components")
    scores = st.fixed_dictionaries(
        {name: _scores_like([s[name] for _, s in known if name in s]) for name in known[0][1]}
    )

    @st.composite
    def pools(draw: st.DrawFn) -> Candidates:
        size = draw(st.integers(1, MAX_GROUP))
        count = size + draw(st.integers(0, MAX_EXTRA))
        kinds = draw(st.lists(scores, min_size=1, max_size=count))
        which = draw(st.lists(st.integers(0, len(kinds) - 1), min_size=count, max_size=count))
        entries = [PoolEntry(completion=Completion(text=f"text {kind}"), scores=kinds[kind]) for kind in which]
        return Candidates(sample=draw(st.sampled_from([sample for sample, _ in known])), size=size, entries=(*entries,))

    return pools()


def _scores_like(seen: Sequence[Score]) -> st.SearchStrategy[Score]:
    """Return a strategy for scores: values that were seen or lie between those, abstentions, failures."""
    values = sorted({score.value for score in seen if score.value is not None}) or [0.0, 1.0]
    missing = st.sampled_from([Score(), Score(error="no answer")])
    return st.one_of(
        st.sampled_from(values).map(lambda value: Score(value=value)),
        st.floats(values[0], values[-1]).map(lambda value: Score(value=value)),
        missing,
    )


def _grown(pool: Candidates, count: int) -> Candidates:
    """Return a pool of `count` entries: those of the pool, then the same again under new texts."""
    entries = []
    for index in range(count):
        entry, turn = pool[index % len(pool)], index // len(pool)
        text = entry.completion.text + (f", draw {turn + 1}" if turn else "")
        entries.append(PoolEntry(completion=Completion(text=text), scores=entry.scores))
    return _with(pool, entries)


def _with(pool: Candidates, entries: Sequence[PoolEntry]) -> Candidates:
    return Candidates(sample=pool.sample, size=pool.size, entries=tuple(entries))


def _texts(pool: Candidates, places: Sequence[int]) -> list[str]:
    return [pool[place].completion.text for place in places]


def _as_json(pool: Candidates) -> dict[str, Any]:
    entries = [
        [entry.completion.text, {name: [score.value, score.error] for name, score in entry.scores.items()}]
        for entry in pool
    ]
    return {"id": pool.sample.id, "size": pool.size, "entries": entries}


def _from_json(given: dict[str, Any]) -> Candidates:
    entries = [
        PoolEntry(
            completion=Completion(text=text),
            scores={name: Score(value=value, error=error) for name, (value, error) in scores.items()},
        )
        for text, scores in given["entries"]
    ]
    return Candidates(sample=Sample(id=given["id"]), size=given["size"], entries=tuple(entries))


def _describe_pool(pool: Candidates) -> str:
    """Return the pool's completions with their scores, one a line; the first SHOWN of them."""
    lines = [
        f"    {place}: {entry.completion.text!r} {_describe_scores(entry.scores)}" for place, entry in enumerate(pool)
    ]
    cut = [*lines[:SHOWN], f"    ... ({len(lines)} of them)"] if len(lines) > SHOWN else lines
    return f"a pool of {len(pool)} for a group of {pool.size}:\n" + "\n".join(cut) + "\n"


def _describe_scores(scores: Any) -> str:
    return " ".join(f"{name}={'failed' if score.error else score.value}" for name, score in scores.items())
