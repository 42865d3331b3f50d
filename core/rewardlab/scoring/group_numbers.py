"""The numbers of a scored group, without its texts, and what a step's log makes of them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from rewardlab.judging.usage import Usage
from rewardlab.scoring.composition import ScoredGroup
from rewardlab.text.redaction import redact

MAX_CAUSE_LENGTH = 500
"""characters of a failure that are kept"""


@dataclass(frozen=True, kw_only=True, slots=True)
class ComponentNumbers:
    """The values of one component in a group: their sum, how many there are, and which completions it failed on."""

    sum: float
    count: int
    failed: tuple[int, ...] = ()
    cause: str = ""
    """of the last failure: the completion's place and the error, without secrets; "" if none failed"""


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupNumbers:
    """The numbers of a group of `size` completions. Some 100 bytes a component, and picklable."""

    size: int
    total: ComponentNumbers
    flat: bool
    """whether all totals are equal or missing"""
    std: float
    """population standard deviation of the totals that are not missing; 0 if there is none"""
    components: Mapping[str, ComponentNumbers]

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers as JSON values."""
        components = {name: _as_list(numbers) for name, numbers in self.components.items()}
        total = _as_list(self.total)
        return {"size": self.size, "flat": self.flat, "std": self.std, "total": total, "components": components}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the numbers that `as_dict` returned."""
        components = {name: _from_list(one) for name, one in values["components"].items()}
        total = _from_list(values["total"])
        flat, std = values["flat"], values["std"]
        return cls(size=values["size"], flat=flat, std=std, total=total, components=components)


def numbers_of_group(scored: ScoredGroup) -> GroupNumbers:
    """Return the numbers of a scored group."""
    components = {}
    for name, scores in scored.components.items():
        failed = tuple(i for i, score in enumerate(scores) if score.value is None and score.error is not None)
        cause = f"{scored.sample.place(failed[-1])}: {scores[failed[-1]].error}" if failed else ""
        numbers = _numbers([score.value for score in scores])
        components[name] = ComponentNumbers(
            sum=numbers.sum, count=numbers.count, failed=failed, cause=redact(cause)[:MAX_CAUSE_LENGTH]
        )
    flat = len({total for total in scored.totals if total is not None}) <= 1
    total = _numbers(scored.totals)
    std = 0.0 if flat else _std([value for value in scored.totals if value is not None])
    return GroupNumbers(size=len(scored.totals), total=total, flat=flat, std=std, components=components)


def _numbers(values: Iterable[float | None]) -> ComponentNumbers:
    present = [value for value in values if value is not None]
    return ComponentNumbers(sum=math.fsum(present), count=len(present))


def _std(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))


def _as_list(numbers: ComponentNumbers) -> list[Any]:
    return [numbers.sum, numbers.count, list(numbers.failed), numbers.cause]


def _from_list(values: list[Any]) -> ComponentNumbers:
    total, count, failed, cause = values
    return ComponentNumbers(sum=total, count=count, failed=tuple(failed), cause=cause)


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


def _mean(numbers: Sequence[ComponentNumbers]) -> float:
    count = sum(one.count for one in numbers)
    return math.fsum(one.sum for one in numbers) / count if count else math.nan
