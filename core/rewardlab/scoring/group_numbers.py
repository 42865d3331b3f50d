"""The numbers of a scored group that a step's means and its missing values are made from, without its texts."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from rewardlab.redaction import redact
from rewardlab.scoring.composition import ScoredGroup

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
