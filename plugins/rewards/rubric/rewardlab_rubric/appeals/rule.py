"""The rule that an appeal is from, as a recipe's component would run it: in its processes, its thread, or at once."""

import os
import weakref
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from weakref import WeakValueDictionary

from rewardlab import Completion, Context, Group, GroupStream, RewardSpec, Sample, Score
from rewardlab.scoring import Executor, open_executor, pool_executor
from rewardlab.workers import WorkerPool

from rewardlab_rubric.appeals.options import RuleUse

WORKERS = 4
"""most processes, as for a component"""
Item = tuple[Sample, Completion]


_POOLS: "WeakValueDictionary[tuple[str, ...], WorkerPool]" = WeakValueDictionary()
"""the processes of rules, which all draws of a question and all judges of a panel share"""


class Rule:
    """A reward that is no component of its own. What it starts ends with it."""

    def __init__(self, use: RuleUse, context: Context) -> None:
        self._closing = ExitStack()
        weakref.finalize(self, self._closing.close)
        self._executor = self._opened(use, context)

    def _opened(self, use: RuleUse, context: Context) -> Executor:
        spec, options = use.spec.under(use.config), use.config
        spec = replace(spec, timeout=use.timeout or spec.timeout, memory=use.memory or spec.memory)
        if spec.runs == "worker":
            return pool_executor(spec, _pool(use, spec, context))
        return open_executor(spec, spec.build(options, context).score, f"rewardlab-{use.use}", self._closing)

    async def score(self, items: Sequence[Item]) -> list[Score]:
        """Return one score for each item."""
        scores: list[Score] = []
        for _, together in groupby(items, key=lambda item: id(item[0])):
            group = list(together)
            stream = GroupStream.of(Group(sample=group[0][0], completions=list(map(itemgetter(1), group))))
            scores += await self._executor.score(stream)
        return scores


def _pool(use: RuleUse, spec: RewardSpec, context: Context) -> WorkerPool:
    key = (use.model_dump_json(), str(context.seed), str(context.cache_dir), context.device)
    pool = _POOLS.get(key)
    if pool is None:
        size = use.workers or min(WORKERS, os.cpu_count() or 1)
        pool = WorkerPool(use=use.use, spec=spec, options=use.config, context=context, size=size, threads=use.threads)
        _POOLS[key] = pool
    return pool
