"""The numbers of one training step, for logs and curves."""

import math
from collections.abc import Mapping, Sequence

from rewardlab.judging.usage import Usage
from rewardlab.scoring.composition import ScoredGroup
from rewardlab.scoring.group_numbers import ComponentNumbers, GroupNumbers, numbers_of_group


def metrics_of_step(
    groups: Sequence[ScoredGroup | GroupNumbers], usage: Mapping[str, Usage] | None = None
) -> dict[str, float]:
    """Return the metrics of a step's groups, of which there is at least one; the keys are the same at every step.

    reward/total, reward/<component>: means over the completions that have a value, NaN if none has.
    reward/groups_without_variance: share, 0 to 1, of groups whose totals are all equal or missing.
    group/std: mean over the groups of the standard deviation of their totals.
    missing/<component>: share, 0 to 1, of completions whose score failed with an error.
    judge/<name>/calls, judge/<name>/tokens (of prompts and answers) and judge/<name>/usd: of each judge in `usage`.
    """
    numbers = [group if isinstance(group, GroupNumbers) else numbers_of_group(group) for group in groups]
    completions = sum(group.size for group in numbers)
    metrics = {"reward/total": _mean([group.total for group in numbers])}
    metrics["reward/groups_without_variance"] = sum(group.flat for group in numbers) / len(numbers)
    metrics["group/std"] = math.fsum(group.std for group in numbers) / len(numbers)
    for name in numbers[0].components:
        of_component = [group.components[name] for group in numbers]
        metrics[f"reward/{name}"] = _mean(of_component)
        metrics[f"missing/{name}"] = sum(len(one.failed) for one in of_component) / completions
    for name, since in (usage or {}).items():
        metrics[f"judge/{name}/calls"] = float(since.calls)
        metrics[f"judge/{name}/tokens"] = float(since.prompt_tokens + since.completion_tokens)
        metrics[f"judge/{name}/usd"] = since.usd
    return metrics


def finite(value: object) -> float | None:
    """Return a number as JSON has it: None if the value is NaN, infinite or not a number."""
    return value if isinstance(value, float | int) and math.isfinite(value) else None


def _mean(numbers: Sequence[ComponentNumbers]) -> float:
    count = sum(one.count for one in numbers)
    return math.fsum(one.sum for one in numbers) / count if count else math.nan
