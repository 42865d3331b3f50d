"""The numbers of one training step, for logs and curves."""

import math
from collections.abc import Mapping, Sequence

from rewardlab.judging.usage import Usage
from rewardlab.scoring.composition import ScoredGroup
from rewardlab.scoring.group_numbers import ComponentNumbers, GroupNumbers, numbers_of_group
from rewardlab.training.results import Results


def metrics_of_step(scored: Sequence[ScoredGroup]) -> dict[str, float]:
    """Return the metrics of a step's groups, of which there is at least one; the keys are the same at every step.

    reward/total, reward/<component>: means over the completions that have a value, NaN if none has.
    reward/groups_without_variance: share, 0 to 1, of groups whose totals are all equal or missing.
    group/std: mean over the groups of the standard deviation of their totals.
    missing/<component>: share, 0 to 1, of completions whose score failed with an error.
    """
    return metrics_of_numbers([numbers_of_group(group) for group in scored])


def metrics_of_numbers(groups: Sequence[GroupNumbers]) -> dict[str, float]:
    """Return the metrics of a step of whose groups, at least one, the numbers are known."""
    completions = sum(group.size for group in groups)
    metrics = {"reward/total": _mean([group.total for group in groups])}
    metrics["reward/groups_without_variance"] = sum(group.flat for group in groups) / len(groups)
    metrics["group/std"] = math.fsum(group.std for group in groups) / len(groups)
    for name in groups[0].components:
        numbers = [group.components[name] for group in groups]
        metrics[f"reward/{name}"] = _mean(numbers)
        metrics[f"missing/{name}"] = sum(len(one.failed) for one in numbers) / completions
    return metrics


def judge_metrics(usage: Mapping[str, Usage]) -> dict[str, float]:
    """Return the metrics of the usage of judges in a step.

    judge/<name>/calls, judge/<name>/tokens (of prompts and answers) and judge/<name>/usd, for each judge.
    """
    metrics = {}
    for name, since in usage.items():
        metrics[f"judge/{name}/calls"] = float(since.calls)
        metrics[f"judge/{name}/tokens"] = float(since.prompt_tokens + since.completion_tokens)
        metrics[f"judge/{name}/usd"] = since.usd
    return metrics


def evaluation_metrics(results: Results) -> dict[str, float]:
    """Return the metrics of an evaluation, named like those of a step.

    reward/total, reward/<component>: means over all completions that have a value; the same for each slice, with its
    name before it, such as "language de/reward/total". A mean of nothing has no key.
    """
    metrics = {}
    for number, part in enumerate(results.slices):
        for name, mean in part.means.items():
            if mean is not None:
                metrics[f"{part.name}/reward/{name}" if number else f"reward/{name}"] = mean
    return metrics


def _mean(numbers: Sequence[ComponentNumbers]) -> float:
    count = sum(one.count for one in numbers)
    return math.fsum(one.sum for one in numbers) / count if count else math.nan
