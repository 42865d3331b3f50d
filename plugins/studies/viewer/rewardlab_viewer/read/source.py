"""A source of completions as the page sees it, whatever wrote it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from math import isfinite
from pathlib import Path
from typing import Any

from rewardlab.errors import RewardlabError
from rewardlab.plan import Interval, Plan, make_plan
from rewardlab.recipe import load
from rewardlab_training import LEDGER_COLUMNS, SCORE_COLUMNS, Results

Line = Mapping[str, Any]
TRAINING = "training"
NONE = float("nan")
MAX_NUMBER = 1e30
"""above all that means something; of larger ones, squares and the browser's numbers would be infinite"""
MAX_COUNT = 2**31
"""above all that a 32-bit array holds"""
NUMBERS, SCORE_NUMBERS = (
    [name for name, kind in columns.items() if kind == "float"] for columns in (LEDGER_COLUMNS, SCORE_COLUMNS)
)


@dataclass(kw_only=True)
class LoggedStage:
    """The numbers that an engine logged of a stage: numbers by name, one a step, None for a step that lacks it."""

    name: str
    steps: Sequence[int]
    numbers: Mapping[str, Sequence[float | None]]


@dataclass(kw_only=True)
class Source:
    """A source of completions.

    Args:
        notes: what is broken or unfinished, in words; they grow while `lines` is read.
        folder: of a run; None of anything else.
        results: of each evaluation, by the name of its file.
        expected: how many completions there should be of a stage and phase, as far as the recipe or the results say
            so.
        correctness: the component that the recipe calls so.
        reward: all that the recipe says of it.
        scored_by: what `load` reads the recipe from; None if nothing says it.
        replies: the folder of its judges' kept replies.
        begun: of a run, what tells it from others from its start to its end, as JSON values.
        counted_info: of each component, the keys of `info` that count.
        names: (a name of ours, the column of the rows that a recipe reads under it).
    """

    name: str
    recipe: str = ""
    manifest: Mapping[str, Any] = field(default_factory=dict)
    begun: Any = None
    counted_info: Mapping[str, Sequence[str]] = field(default_factory=dict)
    folder: Path | None = None
    results: Mapping[str, Results] = field(default_factory=dict)
    logs: Sequence[LoggedStage] = ()
    usage: Path | None = None
    correctness: str | None = None
    reward: Any = None
    scored_by: Path | Mapping[str, Any] | None = None
    replies: Path | None = None
    expected: Mapping[tuple[int, str], int] = field(default_factory=dict)
    names: Sequence[tuple[str, str]] = ()
    notes: list[str] = field(default_factory=list)

    @property
    def made_with(self) -> str:
        """The manifest as people read it."""
        return json.dumps(self.manifest, indent=1, ensure_ascii=False)

    @cached_property
    def planned(self) -> tuple[Plan | None, str]:
        """The plan of what scored it, or why it cannot be made here; neither if nothing says what scored it."""
        if self.scored_by is None:
            return None, ""
        try:
            return make_plan(load(self.scored_by, strict=False)), ""
        except RewardlabError as error:
            return None, str(error)

    def ranges(self) -> Mapping[str, Interval]:
        """Return the bounds of the total and of each component, as far as they are declared and finite."""
        plan, _ = self.planned
        if plan is None:
            return {}
        declared = {"total": plan.total_range} | {
            name: component.spec.range for name, component in plan.components.items()
        }
        return {name: bounds for name, bounds in declared.items() if bounds is not None and all(map(isfinite, bounds))}

    def lines(self) -> Iterator[Line]:
        """Yield the lines in their order, each once."""
        raise NotImplementedError


def groups_of(lines: Iterator[Line]) -> Iterator[list[Line]]:
    """Yield the lines of each group, which follow each other."""
    for _, group in groupby(lines, key=lambda line: (line["attempt"], line["group"], line["trained"])):
        yield list(group)


def doubled(fields: Mapping[str, Any], names: Sequence[tuple[str, str]]) -> set[str]:
    """Return the columns of a row that stand in it a second time, under the name of ours by which a recipe reads them.

    Args:
        names: (ours, the column), as a Source has them.
    """
    own = {field for field, _ in names}
    return {
        column
        for field, column in names
        if column not in own and column in fields and field in fields and fields[column] == fields[field]
    }


def number(value: Any) -> float:
    """Return a number as it is, and anything else as NaN."""
    return float(value) if isinstance(value, int | float) and abs(value) < MAX_NUMBER else NONE


def is_count(value: Any) -> bool:
    """Return whether this is a number that counts something."""
    return type(value) is int and 0 <= value < MAX_COUNT


def is_line(line: Line) -> bool:
    """Return whether a line has all that figures read of it, and in the form that a run writes."""
    components = line.get("components")
    return (
        all(type(line.get(key)) is int for key in ("attempt", "group", "index"))
        and {"step", "trained", "id"} <= line.keys()
        and is_count(line.get("stage"))
        and all(line.get(key) is None or is_count(line[key]) for key in ("step", "tokens"))
        and all(isinstance(line.get(key), str | None) for key in ("phase", "completion"))
        and isinstance(line.get("messages"), list | None)
        and _has_numbers(line, NUMBERS)
        and isinstance(components, Mapping)
        and all(isinstance(entry, Mapping) for entry in components.values())
        and all(isinstance(entry.get("info") or {}, Mapping) for entry in components.values())
        and all(_has_numbers(entry, SCORE_NUMBERS) for entry in components.values())
    )


def _has_numbers(values: Mapping[str, Any], names: Sequence[str]) -> bool:
    return all((value := values.get(name)) is None or number(value) == value for name in names)
