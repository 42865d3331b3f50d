"""Group samplers on TRL: a step's prompts get further completions, a round at a time, until the sampler has enough."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rewardlab import Sample
from rewardlab.training import Pool, PooledGroup, Scorer, together

from rewardlab_trl.completions import CompletionReader

PROMPT_IDS, COMPLETION_IDS, COMPLETIONS, LOGPROBS = 0, 1, 3, 4
"""places of what GRPOTrainer._generate returns of each completion; the others are about tools and images"""
Generated = tuple[Any, ...]
Generate = Callable[[list[str]], Generated]


@dataclass
class _Group:
    """A prompt, its pool, and what was generated for each completion of the pool, in its order."""

    prompt: str
    pool: Pool
    parts: list[tuple[Any, ...]]


class GroupRounds:
    """Collects the completions from which the recipe's group sampler chooses, as the OpenRLHF engine does.

    All prompts of a step take part in a round; each generates as many as it wants, and no round is larger than the
    first, so that it takes no more memory.
    """

    def __init__(self, size: int, samples: Sequence[Sample], scorer: Scorer, reader: CompletionReader):
        self._size, self._samples, self._scorer, self._reader = size, samples, scorer, reader
        self._scored: list[PooledGroup] = []

    def collect(self, generate: Generate, prompts: list[str], rows: Sequence[int]) -> Generated:
        """Return what `generate` returns, of the completions that the sampler chose; their scores wait in `taken`.

        prompts: (B x G) each G times; rows: the sample of each. JobError where a reward, a judge or the sampler ends
        the job.
        """
        first = generate(prompts)
        places = range(0, len(prompts), self._size)
        groups = [_Group(prompts[at], self._scorer.collect(self._samples[rows[at]], self._size), []) for at in places]
        try:
            self._put([group for group in groups for _ in range(self._size)], first)
            while wanted := self._wanted(groups):
                for at in range(0, len(wanted), len(prompts)):
                    part = wanted[at : at + len(prompts)]
                    self._put(part, generate([group.prompt for group in part]))
            self._scored = self._scorer.run(together(group.pool.scored() for group in groups))
        except BaseException:
            for group in groups:
                group.pool.drop()
            raise
        return _chosen(first, groups, self._scored)

    def taken(self) -> list[PooledGroup]:
        """Return the scored groups of the step, once."""
        scored, self._scored = self._scored, []
        return scored

    def _put(self, owners: Sequence[_Group], generated: Generated) -> None:
        parts = list(_parts(generated))
        completions = self._reader.read([group.prompt for group in owners], generated[COMPLETION_IDS])
        for group, part, completion in zip(owners, parts, completions, strict=True):
            group.parts.append(part)
            group.pool.put(len(group.parts) - 1, completion)

    def _wanted(self, groups: Sequence[_Group]) -> list[_Group]:
        """Return each group as often as it wants a further completion."""
        more = self._scorer.run(together(group.pool.more() for group in groups))
        return [group for group, count in zip(groups, more, strict=True) for _ in range(count)]


def _parts(generated: Generated) -> Iterator[tuple[Any, ...]]:
    """Yield (prompt ids, completion ids, completion, log-probabilities or None) of each completion."""
    logprobs = generated[LOGPROBS]
    kept = [generated[at] for at in (PROMPT_IDS, COMPLETION_IDS, COMPLETIONS)]
    for number, three in enumerate(zip(*kept, strict=True)):
        yield (*three, None if logprobs is None else logprobs[number])


def _chosen(first: Generated, groups: Sequence[_Group], scored: Sequence[PooledGroup]) -> Generated:
    parts = [group.parts[index] for group, pooled in zip(groups, scored, strict=True) for index in pooled.kept]
    columns = [list(column) for column in zip(*parts, strict=True)]
    made = list(first)
    for place, column in zip((PROMPT_IDS, COMPLETION_IDS, COMPLETIONS, LOGPROBS), columns, strict=True):
        made[place] = None if first[place] is None else column
    return tuple(made)
