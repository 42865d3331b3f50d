"""Components whose judges are asked several times, or several judges of a panel: many scores become one.

Each draw of each judge is a member, a reward of its own that asks by a JudgeOfDraw, so that no reward need know of it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median, multimode, pstdev
from typing import Any

from rewardlab.concurrency.gather import gather_or_cancel
from rewardlab.group_stream import GroupStream
from rewardlab.plan.plan import UNSTABLE
from rewardlab.recipe.use import ComponentUse
from rewardlab.scoring.executors import Executor
from rewardlab.specs import RewardSpec
from rewardlab.types import Group, Score

COMBINE: Mapping[str, Any] = {"mean": fmean, "median": median, "majority": lambda values: fmean(multimode(values))}
SUMMED = ("calls", "unparsable", "failed", "tokens")  # in `info`, and in its `group`
CRITERIA = "scores"  # of `info`: a score for each criterion
ByJudge = Mapping[str, Sequence[Score]]  # of one completion: judge -> a score for each draw


class Repeated:
    """The executor of a component with several members.

    open: a judge and the number of a draw -> the executor of that member. draws: judge -> how often it is asked.
    """

    def __init__(
        self, use: ComponentUse, spec: RewardSpec, draws: Mapping[str, int], open: Callable[[str, int], Executor]
    ) -> None:
        self._use, self._in_group = use, spec.scope == "group"
        more = range(1 + (use.on_unstable is not None and use.on_unstable.then == "ask_more"))
        self._rounds = [
            {judge: [open(judge, round * times + at) for at in range(times)] for judge, times in draws.items()}
            for round in more
        ]

    async def score(self, stream: GroupStream) -> list[Score]:
        """Return one Score a completion, in the group's order, with all values and their spread under `repeats`."""
        by_judge: list[dict[str, list[Score]]] = [{} for _ in range(stream.size)]
        first, *more = self._rounds
        waves = [first] if self._use.escalate is None else [{judge: first[judge]} for judge in first]
        for wave in waves:
            await self._ask(wave, stream, by_judge, [at for at, known in enumerate(by_judge) if self._is_open(known)])
        for members in more:
            unstable = [(at, known) for at, known in enumerate(by_judge) if self._is_unstable(known)]
            asked = {judge: [at for at, known in unstable if judge in known] for judge in members}
            await gather_or_cancel(self._ask({j: members[j]}, stream, by_judge, asked[j]) for j in members)
        flat = [[score for own in scores.values() for score in own] for scores in by_judge if self._in_group]
        answered = [sum(score.value is not None for score in draw) for draw in zip(*flat, strict=True)]
        whole = answered.index(max(answered)) if answered else None  # the draw whose info the whole group has
        return [self._one(scores, whole) for scores in by_judge]

    async def _ask(
        self,
        members: Mapping[str, Sequence[Executor]],
        stream: GroupStream,
        by_judge: Sequence[dict[str, list[Score]]],
        places: Sequence[int],
    ) -> None:
        """Add the scores of these members at `places`; a reward that compares a group is asked about all of it."""
        if not places:
            return
        asked = list(range(stream.size)) if self._in_group else places
        part = stream
        if len(asked) < stream.size:
            group = await stream.group()
            part = GroupStream.of(Group(sample=group.sample, completions=[group.completions[at] for at in asked]))
        named = [(judge, member) for judge, own in members.items() for member in own]
        scored = await gather_or_cancel(member.score(part) for _, member in named)
        for (judge, _), scores in zip(named, scored, strict=True):
            for at, score in zip(asked, scores, strict=True):
                by_judge[at].setdefault(judge, []).append(score)

    def _is_open(self, scores: ByJudge) -> bool:
        """Return whether the next judge is asked: the first leaves doubt of itself, or the last two of each other."""
        escalate, given = self._use.escalate, [values for own in scores.values() if (values := _values(own))]
        if escalate is None or not given:
            return True
        values = [self._combined(own) for own in given]
        if len(values) > 1:
            return abs(values[-1] - values[-2]) > escalate.apart
        low, high = escalate.unsure or (math.inf, -math.inf)
        return low <= values[0] <= high or pstdev(given[0]) > escalate.apart

    def _is_unstable(self, scores: ByJudge) -> bool:
        limit, spread = self._use.on_unstable, _spread(scores)
        return limit is not None and spread is not None and spread > limit.spread

    def _combined(self, values: Sequence[float]) -> float:
        return float(COMBINE[self._use.combine](values))

    def _one(self, scores: ByJudge, whole: int | None) -> Score:
        """Return the scores of a completion as one."""
        flat = [score for own in scores.values() for score in own]
        by_judge = [values for own in scores.values() if (values := _values(own))]
        if len(flat) == 1 or not by_judge:
            return next((score for score in flat if score.error is not None), flat[0])
        value, spread = self._combined([self._combined(values) for values in by_judge]), _spread(scores)
        known = (score for score in flat if score.value is not None)
        nearest = min(known, key=lambda score: abs((score.value or 0.0) - value)) if whole is None else flat[whole]
        repeats = {"values": {judge: [score.value for score in own] for judge, own in scores.items()}, "spread": spread}
        if CRITERIA in nearest.info:
            repeats[CRITERIA] = {judge: [score.info.get(CRITERIA) for score in own] for judge, own in scores.items()}
        info = {**_summed(nearest.info, [score.info for score in flat]), "repeats": repeats}
        if self._is_open(scores) and (problem := _lost(scores)):  # no other judge of the panel stands in for it
            return Score(info=info, error=problem)
        limit, unstable = self._use.on_unstable, self._is_unstable(scores)
        info |= {UNSTABLE: True} if unstable else {}
        if not unstable or limit is None or limit.then == "ask_more":
            return Score(value=value, info=info)
        problem = f"unstable: its values spread by {spread:.3g}, more than on_unstable.spread: {limit.spread:g}"
        return Score(info=info, error=problem)


def _values(scores: Sequence[Score]) -> list[float]:
    return [score.value for score in scores if score.value is not None]


def _lost(scores: ByJudge) -> str | None:
    """Return which judge of a panel gave no value, and why: that of the others is another instrument's."""
    lost = ((judge, score.error) for judge, own in scores.items() if not _values(own) for score in own if score.error)
    return next((f"judge {judge!r} of the panel gives no value: {error}" for judge, error in lost), None)


def _spread(scores: ByJudge) -> float | None:
    """Return the standard deviation of all values (population); None of fewer than two."""
    values = [value for own in scores.values() for value in _values(own)]
    return pstdev(values) if len(values) > 1 else None


def _summed(info: Mapping[str, Any], infos: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return `info`, and its `group`, with the counts of all infos."""
    counted = [name for name in SUMMED if type(info.get(name)) is int]
    whole = {**info, **{name: sum(o[name] for o in infos if type(o.get(name)) is int) for name in counted}}
    if isinstance(group := info.get("group"), Mapping):
        whole["group"] = _summed(group, [own for other in infos if isinstance(own := other.get("group"), Mapping)])
    return whole
