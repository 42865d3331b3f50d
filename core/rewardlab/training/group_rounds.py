"""The groups of a group sampler if an engine generates in batches: rounds for all prompts, until none wants more.

An engine that generates completion by completion asks each pool itself (`Scorer.collect`); the groups are the same.
"""

from collections.abc import Callable, Sequence

from rewardlab.concurrency.gather import gather_or_cancel
from rewardlab.scoring.pool import Pool, PooledGroup
from rewardlab.scoring.scorer import Scorer
from rewardlab.types import Completion, Group


def collect_groups(
    scorer: Scorer, first: Sequence[Group], generate: Callable[[Sequence[int]], Sequence[Completion]]
) -> list[PooledGroup]:
    """Return the group that is trained on for each prompt, in order. Not for use on an event loop.

    first: each prompt with its first G completions. generate: called with places in `first`, as often as each of them
    wants a further completion, in order; gives one completion for each. While it runs, nothing is being scored.
    JobError if a reward, a judge or the group sampler ends the job.
    """
    pools = [scorer.collect(group.sample, len(group.completions)) for group in first]
    try:
        for pool, group in zip(pools, first, strict=True):
            for index, completion in enumerate(group.completions):
                pool.put(index, completion)
        _add_rounds(scorer, pools, [len(group.completions) for group in first], generate)
        return scorer.run(gather_or_cancel(pool.scored() for pool in pools))
    except BaseException:
        for pool in pools:
            pool.drop()
        raise


def _add_rounds(
    scorer: Scorer,
    pools: Sequence[Pool],
    sizes: list[int],
    generate: Callable[[Sequence[int]], Sequence[Completion]],
) -> None:
    """Put further completions into the pools until each has said once that it wants no more."""
    growing = list(range(len(pools)))
    while growing:
        wanted = scorer.run(gather_or_cancel(pools[place].more() for place in growing))
        places = [place for place, count in zip(growing, wanted, strict=True) for _ in range(count)]
        growing = [place for place, count in zip(growing, wanted, strict=True) if count]
        for place, completion in zip(places, generate(places) if places else (), strict=True):
            pools[place].put(sizes[place], completion)
            sizes[place] += 1
