"""Rollouts that failed: no reward is asked about them, and none of their scores stands in for another."""

from collections.abc import Iterator
from contextlib import suppress

from rewardlab.group_stream import GroupStream
from rewardlab.scoring.executors import Executor
from rewardlab.scoring.reading import Read, ReadStream
from rewardlab.types import Completion, Group, Score

ROLLOUT_FAILED = "rollout_failed"
"""the sign in `info`, which every record of a score keeps"""


def is_no_answer(score: Score) -> bool:
    """Return whether it is of a rollout that failed, which has no total, whatever is said of missing values."""
    return score.error is not None and score.info.get(ROLLOUT_FAILED) is True


class _RolloutFailedError(Exception):
    """The end of a reward that began before a rollout of its group turned out to have failed."""


async def scores_of_answers(executor: Executor, stream: GroupStream, read: Read | None) -> list[Score]:
    """Return one score a completion; the others are scored, and compared, as if a failed rollout were not there."""

    def seen(completion: Completion) -> Completion:
        if completion.failure is not None:
            raise _RolloutFailedError
        return completion if read is None else read(completion)

    scores: list[Score] | None = None
    if not stream.complete:
        with suppress(_RolloutFailedError):  # a reward of group scope gives failed scores then
            scores = await executor.score(ReadStream(stream, seen))
    group = await stream.group()
    failures = {at: completion.failure for at, completion in enumerate(group.completions) if completion.failure}
    if not failures:
        return scores or await executor.score(stream if read is None else ReadStream(stream, read))
    given: Iterator[Score] = iter(())
    if places := [at for at in range(stream.size) if at not in failures]:
        answers = GroupStream.of(Group(sample=group.sample, completions=[seen(group.completions[at]) for at in places]))
        answers.places = places
        given = iter(await executor.score(answers))
    errors = [f"the rollout failed: {failures[index]}" if index in failures else "" for index in range(stream.size)]
    return [Score(error=error, info={ROLLOUT_FAILED: True}) if error else next(given) for error in errors]
