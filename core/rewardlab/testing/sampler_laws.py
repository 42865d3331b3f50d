"""The laws of a group sampler, on pools whose scores are put together from those of the example's pools.

The same text has the same scores: what a reward says of a completion does not depend on when it came.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from rewardlab.errors import one_line
from rewardlab.group_sampler import Candidates, PoolEntry
from rewardlab.testing.elsewhere import answered_elsewhere
from rewardlab.testing.outcome import Broken, NothingToTry, Untried
from rewardlab.testing.searching import search
from rewardlab.testing.trial import Trial
from rewardlab.types import Completion, Sample, Score

LARGEST_GROUP = 8
MOST_EXTRA = 16
"""completions of a generated pool beyond the group's"""
LONGEST = 4096
"""completions after which a collection is left, if its `most` allows as many"""
ELSEWHERE = 12


def more(tested: Trial) -> int:
    """A pool grows as a trainer fills it: by what `more` asks for, until it says 0."""
    sampler = _built(tested)
    if tested.spec.most is None:
        raise Broken("`build` gave an object with `more`\nexpected `most` in its spec: how many it may collect at most")

    def check(pool: Candidates) -> None:
        most = max(pool.size, tested.spec.most(tested.options, pool.size))
        _more(sampler, pool)  # a whole number of any pool, also where a trainer would ask no more
        filled = _first(pool, pool.size)
        while len(filled) < LONGEST:
            wanted = _more(sampler, filled)
            if wanted == 0:
                return
            if len(filled) + wanted > most:
                expected = f"at most {most - len(filled)} more: `most` is {most}"
                raise Broken(f"asked more({_told(filled)})\ngot {wanted}\nexpected {expected}")
            filled = _first(pool, len(filled) + wanted)

    return _over(tested, check)


def select(tested: Trial) -> int:
    sampler = _built(tested)
    return _over(tested, lambda pool: _selected(sampler, pool) and None)


def arrival(tested: Trial) -> int:
    sampler = _built(tested)

    def check(both: tuple[Candidates, Candidates]) -> None:
        pool, moved = both
        first, then = (_texts(one, _selected(sampler, one)) for one in both)
        if Counter(first) != Counter(then):
            raise Broken(
                f"asked select({_told(pool)})\ngot the texts {sorted(first)!r}\n"
                f"then asked the same in another order, select({_told(moved)})\ngot the texts {sorted(then)!r}\n"
                "expected the same texts"
            )

    moved = _pools(tested).flatmap(
        lambda pool: st.permutations(pool.entries).map(lambda entries: (pool, _with(pool, entries)))
    )
    given = [
        (pool, _with(pool, entries)) for own in _own(tested) for pool in (own, _tied(own)) for entries in _moved(pool)
    ]
    for both in given:
        check(both)
    return len(given) + search(check, moved, tries=tested.tries)


def _tied(pool: Candidates) -> Candidates:
    """The pool's completions, all with the scores of the first: what decides between equals shows at once."""
    return _with(pool, [PoolEntry(completion=entry.completion, scores=pool[0].scores) for entry in pool])


def _moved(pool: Candidates) -> list[list[PoolEntry]]:
    """Its entries backwards, and turned by one."""
    entries = list(pool)
    return [entries[::-1], entries[1:] + entries[:1]]


def worker(tested: Trial, sampler: Any) -> int:
    """What is selected, in a spawned process."""
    cases: list[Candidates] = []
    search(cases.append, _pools(tested), tries=min(ELSEWHERE, tested.tries))
    here = [_selected(sampler, pool) for pool in cases]
    payload = [_as_json(pool) for pool in cases]
    there = answered_elsewhere(tested, f"{__name__}:selected_there", payload)
    for pool, first, then in zip(cases, here, there, strict=True):
        if first != then:
            raise Broken(f"asked select({_told(pool)})\ngot {first!r}\nin another process\ngot {then!r}")
    return len(cases)


def selected_there(sampler: Any, payload: Sequence[Any]) -> list[list[int]]:
    """`select` of each pool in JSON."""
    return [list(sampler.select(pool, pool.size)) for pool in map(_from_json, payload)]


def _built(tested: Trial) -> Any:
    sampler = tested.built()
    if not hasattr(sampler, "more"):
        raise NothingToTry("it is no group sampler: it has no `more`")
    return sampler


def _more(sampler: Any, pool: Candidates) -> int:
    try:
        wanted = sampler.more(pool)
    except (Exception, SystemExit) as error:
        raise Broken(f"asked more({_told(pool)})\ngot {one_line(error)}\nexpected a whole number") from error
    if type(wanted) is not int or wanted < 0:
        raise Broken(f"asked more({_told(pool)})\ngot {wanted!r}\nexpected a whole number of 0 or above")
    return wanted


def _selected(sampler: Any, pool: Candidates) -> list[int]:
    try:
        given = list(sampler.select(pool, pool.size))
    except (Exception, SystemExit) as error:
        raise Broken(f"asked select({_told(pool)})\ngot {one_line(error)}\nexpected {pool.size} places") from error
    places = {place for place in given if type(place) is int and 0 <= place < len(pool)}
    if len(given) != pool.size or len(places) != pool.size:
        expected = f"{pool.size} different places from 0 to {len(pool) - 1}"
        raise Broken(f"asked select({_told(pool)})\ngot {given!r}\nexpected {expected}")
    return given


def _over(tested: Trial, check: Any) -> int:
    """The example's own pools, then generated ones."""
    own = _own(tested)
    generated = _pools(tested)
    for pool in own:
        check(pool)
    return len(own) + search(check, generated, tries=tested.tries)


def _own(tested: Trial) -> list[Candidates]:
    """The example's pools of which a whole group can be chosen."""
    return [pool for pool in tested.example.pools if len(pool) >= pool.size]


def _pools(tested: Trial) -> st.SearchStrategy[Candidates]:
    """Pools of n to n + MOST_EXTRA completions, some of them equal, with scores as the example's pools have them."""
    known = [(pool.sample, entry.scores) for pool in tested.example.pools for entry in pool]
    if not known:
        what = "an example with pools (rewardlab.group_sampler.Candidates) whose scores name its components"
        raise Untried(f"needs {what}")
    scores = st.fixed_dictionaries({name: _scores([s[name] for _, s in known if name in s]) for name in known[0][1]})

    @st.composite
    def pools(draw: st.DrawFn) -> Candidates:
        size = draw(st.integers(1, LARGEST_GROUP))
        count = size + draw(st.integers(0, MOST_EXTRA))
        kinds = draw(st.lists(scores, min_size=1, max_size=count))
        which = draw(st.lists(st.integers(0, len(kinds) - 1), min_size=count, max_size=count))
        entries = [PoolEntry(completion=Completion(text=f"text {kind}"), scores=kinds[kind]) for kind in which]
        return Candidates(sample=draw(st.sampled_from([sample for sample, _ in known])), size=size, entries=(*entries,))

    return pools()


def _scores(seen: Sequence[Score]) -> st.SearchStrategy[Score]:
    """A value that was seen or one between them, an abstention, a failure."""
    values = sorted({score.value for score in seen if score.value is not None}) or [0.0, 1.0]
    missing = st.sampled_from([Score(), Score(error="no answer")])
    return st.one_of(
        st.sampled_from(values).map(lambda value: Score(value=value)),
        st.floats(values[0], values[-1]).map(lambda value: Score(value=value)),
        missing,
    )


def _first(pool: Candidates, count: int) -> Candidates:
    """`count` entries: the pool's, then those again as new texts."""
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


def _from_json(told: dict[str, Any]) -> Candidates:
    entries = [
        PoolEntry(
            completion=Completion(text=text),
            scores={name: Score(value=value, error=error) for name, (value, error) in scores.items()},
        )
        for text, scores in told["entries"]
    ]
    return Candidates(sample=Sample(id=told["id"]), size=told["size"], entries=tuple(entries))


SHOWN = 12


def _told(pool: Candidates) -> str:
    """The pool's completions, one a line, with their scores."""
    lines = [f"    {place}: {entry.completion.text!r} {_listed(entry.scores)}" for place, entry in enumerate(pool)]
    cut = [*lines[:SHOWN], f"    ... ({len(lines)} of them)"] if len(lines) > SHOWN else lines
    return f"a pool of {len(pool)} for a group of {pool.size}:\n" + "\n".join(cut) + "\n"


def _listed(scores: Any) -> str:
    return " ".join(f"{name}={'failed' if score.error else score.value}" for name, score in scores.items())
