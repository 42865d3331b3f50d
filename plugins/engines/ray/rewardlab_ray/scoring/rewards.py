"""The rewards that the engine receives for the completions of a scored group."""

import math
from collections.abc import Sequence

from rewardlab.errors import JobError
from rewardlab.scoring import ScoredGroup, Teaching
from rewardlab_training import CENTRED, group_advantages, numbers_of_group

from rewardlab_ray.messages import OUTCOME, SCORED, GroupRewards
from rewardlab_ray.scoring.sides import sides


def rewards(
    group: ScoredGroup,
    kept: Sequence[int],
    correctness: str | None,
    sampled: int,
    algorithm: str | None = None,
    teaching: Teaching | None = None,
) -> GroupRewards:
    """Return the rewards of the group's members, of whose prompt `sampled` completions were generated.

    The engine averages a log over a batch, and wants the same names for every sample of a run: a missing value becomes
    the mean of its group, or NaN if the whole group has none. A JobError if a reward is not finite.

    Args:
        algorithm: of the training; if its advantages need no critic, they are the rewards. None for an evaluation,
            whose rewards the engine only averages and calls pass rates: they are the correctness, or else the recipe's
            totals.
        correctness: the component that the recipe names as `reward.correctness`, if any.
        teaching: which groups teach, if the engine replaces the others: it gets the outcomes of a training as sides,
            which it compares to the last bit (`OUTCOME`) or by their mean (`correctness`).
    """
    if not all(map(math.isfinite, group.shaped)):
        raise JobError(f"sample {group.sample.id!r}: its rewards are not finite: {list(group.shaped)}")
    logs: list[dict[str, float]] = [{"reward/total": total} for total in _filled(group.totals)]
    for name, scores in group.components.items():
        for log, score, value in zip(logs, scores, _filled([score.value for score in scores]), strict=True):
            log[f"reward/{name}"] = value
            log[f"missing/{name}"] = float(score.value is None and score.error is not None)
    std = numbers_of_group(group).std
    for log, total in zip(logs, group.totals, strict=True):
        log["group/std"] = std
        log["group/size"] = float(len(logs))
        log["group/sampled"] = float(sampled)
        log[SCORED] = float(total is not None)
    correct = None if correctness is None else _known([score.value for score in group.components[correctness]])
    values = _values(group, algorithm, correct)
    if teaching is not None:
        halves = sides(group, teaching.by)
        for log, half in zip(logs, halves, strict=True):
            log[OUTCOME] = half
        outcome = correct or _known([score.value for score in group.components[teaching.by]])
        correct = outcome if algorithm is None else tuple(halves)
    return GroupRewards(
        kept=tuple(kept),
        values=values,
        lost=0.0 if algorithm in CENTRED else math.fsum(values) / len(values),
        correctness=correct,
        logs=tuple(logs),
    )


def _values(group: ScoredGroup, algorithm: str | None, correctness: tuple[float, ...] | None) -> tuple[float, ...]:
    if algorithm is None:  # not the shaped rewards: a normalizer may centre them, and their mean tells nothing
        return _known(group.totals) if correctness is None else correctness
    if algorithm in CENTRED:
        return tuple(group_advantages(algorithm, group))
    if None in group.totals:  # the mean of the others, or 0, would be a reward that nobody gave
        raise JobError(
            f"sample {group.sample.id!r}: {group.totals.count(None)} of its completions have no reward, since a "
            f"component failed on all of them (on_missing: group_mean) or their rollouts did, and {algorithm} can "
            "leave none out; fix what failed and continue the run, or use a number for on_missing"
        )
    return tuple(map(float, group.shaped))


def _known(values: Sequence[float | None]) -> tuple[float, ...]:
    """Return the values, the mean of the others for one that is missing, and 0 if the whole group has none."""
    return tuple(0.0 if math.isnan(value) else value for value in _filled(values))


def _filled(values: Sequence[float | None]) -> list[float]:
    present = [value for value in values if value is not None]
    mean = math.fsum(present) / len(present) if present else math.nan
    return [mean if value is None else float(value) for value in values]
