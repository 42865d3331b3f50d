"""Groups that the recipe's group sampler chooses, after as many rounds of generation as it wants."""

from collections.abc import Callable, Sequence

from rewardlab import Completion
from rewardlab.scoring import PooledGroup, Scorer
from rewardlab.training import collect_groups

from rewardlab_trl.completions import CompletionReader

Ids = list[int]


class SampledGroups:
    """The groups of each step: chosen while TRL generates, and taken by the reward, which it calls afterwards."""

    def __init__(self, scorer: Scorer, reader: CompletionReader) -> None:
        self._scorer = scorer
        self._reader = reader
        self._chosen: list[PooledGroup] = []

    def choose(
        self,
        prompts: Sequence[str],
        rows: Sequence[int],
        completion_ids: Sequence[Ids],
        generate: Callable[[Sequence[int]], Sequence[Ids]],
    ) -> list[Ids]:
        """Return the ids of the B x G completions to train on, G of a prompt one after the other.

        prompts, rows, completion_ids: of the first B x G completions. generate: gives the ids of one further completion
        for each place among these whose prompt wants one.
        """
        size = self._reader.size
        pools = [list(completion_ids[start : start + size]) for start in range(0, len(rows), size)]

        def further(groups: Sequence[int]) -> list[Completion]:
            places = [group * size for group in groups]
            ids = generate(places)
            for group, own in zip(groups, ids, strict=True):
                pools[group].append(own)
            return self._reader.completions([prompts[place] for place in places], ids)

        self._chosen = collect_groups(self._scorer, self._reader.groups(prompts, completion_ids, rows), further)
        return [pool[index] for pool, chosen in zip(pools, self._chosen, strict=True) for index in chosen.kept]

    def take(self) -> list[PooledGroup]:
        """Return the groups of the last `choose`, once."""
        chosen, self._chosen = self._chosen, []
        return chosen
