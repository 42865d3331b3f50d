"""A rubric of criteria: what each says of a response, and what it weighs if it is met; a negative weight lowers."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rewardlab_rubric.goldens import golden_texts
from rewardlab_rubric.rubric_file import Place

Worth = Literal["linear", "clipped"]
Where = Callable[[Place], str]
MAX_CRITERIA = 200
"""criteria of one question"""
WEIGHT = ("weight", "points")
"""the two names that published rubrics have for it"""
KEYS = {"criterion", "name", "tags", *WEIGHT}
FORM = "a list of criteria, each {criterion: what is met or not, weight: a number, below 0 for what is bad}"


@dataclass(frozen=True)
class Criterion:
    """One criterion. name: its number if the rubric gives none."""

    name: str
    text: str
    weight: float


@dataclass(frozen=True)
class CriteriaGolden:
    """A response of which it is known which criteria it meets. place: for messages."""

    place: str
    input: str
    response: str
    met: tuple[bool, ...]


@dataclass(frozen=True)
class Criteria:
    """The criteria of one rubric. description: the task that they are for; None without one."""

    criteria: tuple[Criterion, ...]
    description: str | None = None
    goldens: tuple[CriteriaGolden, ...] = ()

    def worth(self, met: Sequence[bool], way: Worth) -> float:
        """Return the value of a response, in [0, 1].

        It is the sum of the weights of what is met, S, between the least and the most that it can be, L and M. linear:
        (S - L) / (M - L). clipped: S / M, and 0 if that is less.
        """
        got = math.fsum(criterion.weight for criterion, is_met in zip(self.criteria, met, strict=True) if is_met)
        most = math.fsum(criterion.weight for criterion in self.criteria if criterion.weight > 0)
        least = math.fsum(criterion.weight for criterion in self.criteria if criterion.weight < 0)
        share = got / most if way == "clipped" else (got - least) / (most - least)
        return min(1.0, max(0.0, share))


def criteria_of(data: Any, way: Worth, where: Where) -> Criteria:
    """Return the criteria of a rubric: a list, or a mapping with `criteria`. Raises ValueError that says what is wrong.

    Args:
        where: how a message about a place in the rubric begins.
    """
    if not isinstance(data, Mapping):
        return Criteria(_listed(data, (), way, where))
    if unknown := [key for key in data if key not in ("description", "criteria", "goldens")]:
        problem = f"{unknown[0]!r} has no place beside description, criteria and goldens"
        raise ValueError(f"{where((unknown[0],))}{problem}")
    description = data.get("description")
    if description is not None and (not isinstance(description, str) or not description.strip()):
        raise ValueError(f"{where(('description',))}the description is not a text")
    criteria = _listed(data.get("criteria"), ("criteria",), way, where)
    goldens = _goldens(data.get("goldens"), [criterion.name for criterion in criteria], where)
    return Criteria(criteria, None if description is None else description.strip(), goldens)


def _listed(data: Any, place: Place, way: Worth, where: Where) -> tuple[Criterion, ...]:
    if not isinstance(data, Sequence) or isinstance(data, str) or not data:
        raise ValueError(f"{where(place)}this rubric is {FORM}")
    if len(data) > MAX_CRITERIA:
        raise ValueError(f"{where(place)}{len(data)} criteria, and a question has {MAX_CRITERIA} at most")
    made = [_criterion(one, number, where((*place, number - 1))) for number, one in enumerate(data, start=1)]
    names = [criterion.name for criterion in made]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"{where(place)}two criteria have the name {twice!r}")
    if way == "clipped" and all(criterion.weight < 0 for criterion in made):
        raise ValueError(f"{where(place)}no weight is above 0, so that every response is worth 0; take worth: linear")
    return tuple(made)


def _criterion(data: Any, number: int, where: str) -> Criterion:
    mapping = data if isinstance(data, Mapping) else {}
    text, name = mapping.get("criterion"), mapping.get("name", str(number))
    weights = [mapping[key] for key in WEIGHT if key in mapping]
    if not isinstance(text, str) or not text.strip() or len(weights) != 1 or {*mapping} - KEYS:
        raise ValueError(f"{where}criterion {number} should be one of {FORM}")
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"{where}the name of criterion {number} is not a text")
    return Criterion(name.strip(), text.strip(), _weight(weights[0], f"{where}criterion {number}"))


def _weight(value: Any, words: str) -> float:
    try:
        weight = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        weight = math.nan
    if not math.isfinite(weight) or weight == 0 or abs(weight) > 1e6:
        raise ValueError(f"{words}: its weight should be a number other than 0, not {str(value)[:40]!r}")
    return weight


def _goldens(data: Any, names: Sequence[str], where: Where) -> tuple[CriteriaGolden, ...]:
    if data is None:
        return ()
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise ValueError(f"{where(('goldens',))}goldens are a list, each {{input: .., response: .., met: [names]}}")
    made = []
    for number, example in enumerate(data):
        words = f"{where(('goldens', number))}golden {number + 1}"
        query, (response, *_) = golden_texts(example, words, others=("met",))
        met = example.get("met")
        if not isinstance(met, Sequence) or isinstance(met, str) or {*map(str, met)} - {*names}:
            raise ValueError(f"{words}: `met` lists the criteria that it meets, of {', '.join(names)[:200]}")
        made.append(CriteriaGolden(words, query, response, tuple(name in {*map(str, met)} for name in names)))
    return tuple(made)
