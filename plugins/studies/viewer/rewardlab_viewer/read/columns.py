"""The numbers of all completions, in typed arrays: what figures are made of, and what the page holds of each.

A completion takes about 30 bytes and 17 for each component, so a million of them fit in memory; no text is kept but the
beginnings of prompts, and the values of fields that tell groups apart, such as a language.
"""

import hashlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rewardlab_viewer.read.source import NONE, TRAINING, Line, doubled, number

MAX_VALUES = 40
"""different values of a field by which completions are split"""
MAX_FIELDS = 64
GOLD = ("answer", "reference", "gold", "solution")
"""fields that tell no kinds of prompts apart"""
MAX_SHOWN = 80
"""characters of a field's value, and of a problem"""
MAX_BEGINNING = 60
"""characters of a prompt in a list"""
UNKNOWN = -1
"""tokens of a completion whose length nobody recorded"""
ABSENT, SCORED, ABSTAINED, FAILED = range(4)
"""what became of one component of a completion"""


class RunPart(NamedTuple):
    """The completions that were made for one purpose: a stage's training, or one of its evaluations.

    Args:
        step: of an evaluation; None of training.
    """

    stage: int
    phase: str
    step: int | None

    def __str__(self) -> str:
        """Return the part as it is headed."""
        if self.phase in (TRAINING, "scored"):
            return {TRAINING: f"training, stage {self.stage}", "scored": "scored rows"}[self.phase]
        if self.phase == "eval":
            return f"evaluation, stage {self.stage}"
        return f"evaluation {self.phase} stage {self.stage}" + ("" if self.step is None else f", step {self.step}")


@dataclass(kw_only=True)
class ComponentColumns:
    """One component of all completions: its value and what it contributed (NaN if there is none), and its state."""

    values: "array[float]" = field(default_factory=lambda: array("d"))
    contributions: "array[float]" = field(default_factory=lambda: array("d"))
    states: "array[int]" = field(default_factory=lambda: array("B"))

    def pad(self, size: int) -> None:
        """Fill up to `size` completions, of which this component knows nothing."""
        missing = size - len(self.states)
        if missing > 0:
            self.values.extend([NONE] * missing)
            self.contributions.extend([NONE] * missing)
            self.states.extend([ABSENT] * missing)


@dataclass(kw_only=True)
class FieldColumn:
    """The value of a field for each group, as a number; -1 for none. values: the texts that the numbers stand for."""

    values: dict[str, int] = field(default_factory=dict)
    codes: "array[int]" = field(default_factory=lambda: array("h"))


class ScoreColumns:
    """The columns of all completions and groups, in the order of their lines. names: of columns, as a Source has."""

    def __init__(self, names: Sequence[tuple[str, str]] = ()) -> None:
        self._names = names
        self.parts: dict[RunPart, int] = {}
        self.components: dict[str, ComponentColumns] = {}
        self.fields: dict[str, FieldColumn] = {}
        self.problems: dict[str, int] = {}
        self.beginnings: dict[str, int] = {}
        # of each group
        self.part, self.step, self.discarded, self.left_out = array("h"), array("i"), array("B"), array("B")
        self.problem, self.beginning, self.starts = array("i"), array("i"), array("q", [0])
        # of each completion
        self.totals, self.shaped, self.tokens, self.truncated = array("d"), array("d"), array("i"), array("B")
        self._dropped: set[str] = set()

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.part)

    def __len__(self) -> int:
        """Return how many completions there are."""
        return len(self.totals)

    def of_group(self, group: int) -> range:
        """Return the places of a group's completions."""
        return range(self.starts[group], self.starts[group + 1])

    def add(self, lines: Sequence[Line], discarded: bool) -> None:
        """Add the lines of a group."""
        first = lines[0]
        step = first.get("step")
        phase = first.get("phase") or ("eval" if first["trained"] == "no" else TRAINING)
        part = RunPart(first["stage"], phase, None if phase == TRAINING else step)
        self.part.append(self.parts.setdefault(part, len(self.parts)))
        self.step.append(-1 if step is None else step)
        self.discarded.append(discarded)
        self.left_out.append("left_out" in first)
        fields = first.get("fields")
        fields = fields if isinstance(fields, Mapping) else {}
        self.problem.append(self.problems.setdefault(problem_of(first), len(self.problems)))
        self.beginning.append(self.beginnings.setdefault(beginning_of(first), len(self.beginnings)))
        self._add_fields(fields)
        for line in lines:
            self._add_completion(line)
        self.starts.append(len(self))

    def _add_completion(self, line: Line) -> None:
        place = len(self)
        self.totals.append(number(line.get("total")))
        self.shaped.append(number(line.get("shaped")))
        tokens = line.get("tokens")
        self.tokens.append(UNKNOWN if tokens is None else tokens)
        self.truncated.append(bool(line.get("truncated")))
        for name, entry in line["components"].items():
            column = self.components.setdefault(name, ComponentColumns())
            column.pad(place)
            value = number(entry.get("value"))
            column.values.append(value)
            column.contributions.append(number(entry.get("contribution")))
            column.states.append(SCORED if value == value else FAILED if entry.get("error") else ABSTAINED)
        for column in self.components.values():
            column.pad(place + 1)

    def _add_fields(self, fields: Mapping[str, Any]) -> None:
        before, twice = self.groups - 1, doubled(fields, self._names)
        for name, value in fields.items():
            if name in self._dropped or name in twice or not isinstance(value, str | int | bool):
                continue
            if name not in self.fields and len(self.fields) >= MAX_FIELDS:
                continue
            column = self.fields.setdefault(name, FieldColumn())
            text = str(value)[:MAX_SHOWN]
            column.codes.extend([-1] * (before - len(column.codes)))
            column.codes.append(column.values.setdefault(text, len(column.values)))
            if len(column.values) > MAX_VALUES:
                self._dropped.add(name)
                del self.fields[name]
        for column in self.fields.values():
            column.codes.extend([-1] * (self.groups - len(column.codes)))

    def split_fields(self) -> list[str]:
        """Return the fields by which groups are split: language and task first, then those of few values."""
        fields = {name: column for name, column in self.fields.items() if name not in GOLD}
        telling = [name for name, column in fields.items() if 1 < len(column.values) <= self.groups / 2]
        order = {"language": 0, "task": 1, "eval_set": 2}
        return sorted(telling, key=lambda name: (order.get(name, 3), len(self.fields[name].values), name))

    def metrics(self) -> Iterator[tuple[str, "array[float]"]]:
        """Yield the name and the values of each number that is averaged: the total, then each component."""
        yield "total", self.totals
        for name, column in self.components.items():
            yield name, column.values

    def groups_by_part(self) -> dict[RunPart, list[int]]:
        """Return the groups of each part, discarded ones included."""
        groups: dict[RunPart, list[int]] = {part: [] for part in self.parts}
        parts = list(self.parts)
        for group, part in enumerate(self.part):
            groups[parts[part]].append(group)
        return groups


def problem_of(first: Line) -> str:
    """Return what a group is about, by its first line: its field `problem`, else its id; of a long text a part."""
    fields = first.get("fields")
    text = str(fields.get("problem", first["id"]) if isinstance(fields, Mapping) else first["id"])
    if len(text) <= MAX_SHOWN:
        return text
    return f"{text[:MAX_SHOWN]}… {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def beginning_of(first: Line) -> str:
    """Return how the last question of a group's prompt begins, by its first line; nothing if it is not recorded."""
    prompt = first.get("prompt")
    messages = (
        [message for message in prompt if isinstance(message, Mapping)]
        if isinstance(prompt, list)
        else [{"content": prompt}]
    )
    asked = [message for message in messages if message.get("role") == "user"] or messages
    content = asked[-1].get("content") if asked else None
    parts = [part.get("text") if isinstance(part, Mapping) else part for part in _listed(content)]
    text = next((part.lstrip() for part in parts if isinstance(part, str) and not part.isspace()), "")
    shown = " ".join(text[: 4 * MAX_BEGINNING].split())
    return shown if len(shown) <= MAX_BEGINNING and len(text) <= 4 * MAX_BEGINNING else shown[:MAX_BEGINNING] + "…"


def _listed(content: Any) -> Sequence[Any]:
    return content if isinstance(content, list) else [content]
