"""The numbers of one training step, for logs and curves."""

import math
from collections.abc import Mapping, Sequence

from rewardlab.judging import Usage
from rewardlab.scoring import ScoredGroup
from rewardlab.training.results import Results


def metrics_of_step(scored: Sequence[ScoredGroup]) -> dict[str, float]:
    """Return the metrics of a step's groups, of which there is at least one; the keys are the same at every step.

    reward/total, reward/<component>: means over the completions that have a value, NaN if none has.
    reward/groups_without_variance: share, 0 to 1, of groups whose totals are all equal or missing.
    missing/<component>: share, 0 to 1, of completions whose score failed with an error.
    """
    totals = [total for group in scored for total in group.totals if total is not None]
    metrics = {"reward/total": _mean(totals)}
    flat = sum(len({t for t in group.totals if t is not None}) <= 1 for group in scored)
    metrics["reward/groups_without_variance"] = flat / len(scored)
    for name in scored[0].components:
        scores = [score for group in scored for score in group.components[name]]
        metrics[f"reward/{name}"] = _mean([s.value for s in scores if s.value is not None])
        metrics[f"missing/{name}"] = sum(s.value is None and s.error is not None for s in scores) / len(scores)
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


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
