"""Rollouts that failed: no reward is asked about them, and none of their scores stands in for another."""

from contextlib import suppress

from rewardlab.group_stream import GroupStream
from rewardlab.scoring.executors import Executor
from rewardlab.scoring.reading import Read, ReadStream
from rewardlab.types import Completion, Group, Score


class NoAnswer(Score):
    """The score of a rollout that failed: it has no total, whatever the recipe says of missing values."""


class _RolloutFailedError(Exception):
    """The end of a reward that began before a rollout of its group turned out to have failed."""


async def scores_of_answers(executor: Executor, stream: GroupStream, read: Read | None) -> list[Score]:
    """Return one score a completion; the others are scored, and compared, as if a failed rollout were not there."""

    def seen(completion: Completion) -> Completion:
        if completion.failure is not None:
            raise _RolloutFailedError
        return completion if read is None else read(completion)

    scores: list[Score] = []
    if not (stream.complete and _failures(await stream.group())):
        with suppress(_RolloutFailedError):  # a reward of group scope gives failed scores then
            scores = await executor.score(ReadStream(stream, seen))
    failures = _failures(group := await stream.group())
    if not failures:
        return scores
    answers = tuple(seen(c) for index, c in enumerate(group.completions) if index not in failures)
    others = GroupStream.of(Group(sample=group.sample, completions=answers)) if answers else None
    given = iter([] if others is None else await executor.score(others))
    failed = {index: NoAnswer(error=f"the rollout failed: {why}") for index, why in failures.items()}
    return [failed[index] if index in failed else next(given) for index in range(stream.size)]


def _failures(group: Group) -> dict[int, str]:
    return {index: why for index, c in enumerate(group.completions) if (why := c.failure) is not None}
