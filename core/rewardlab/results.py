"""Results of an evaluation: means by slice (language, ...), as a file and as a table that people read."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rewardlab.composition import ScoredGroup
from rewardlab.types import Sample


@dataclass(frozen=True, kw_only=True)
class Slice:
    """Means over the completions of some prompts: of `total` and every component (None: no value)."""

    name: str
    prompts: int
    completions: int
    means: dict[str, float | None]


@dataclass(frozen=True, kw_only=True)
class Results:
    """An evaluation: the slice of all prompts first, then one for each value of each field in `by`."""

    name: str
    slices: list[Slice]

    def save(self, path: Path) -> None:
        """Write as JSON, whole or not at all."""
        scratch = path.with_name(f".{path.name}")
        scratch.write_text(json.dumps(asdict(self), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        scratch.replace(path)

    @classmethod
    def load(cls, path: Path) -> "Results":
        """Read what `save` wrote."""
        content = json.loads(path.read_text(encoding="utf-8"))
        return cls(name=content["name"], slices=[Slice(**s) for s in content["slices"]])


def summarise(scored: Sequence[ScoredGroup], by: Sequence[str], name: str) -> Results:
    """Means over all groups and over those that share a value of each field of `by`."""
    slices = [_slice("all", scored)]
    for field in by:
        values = {str(g.sample.fields[field]) for g in scored if field in g.sample.fields}
        for value in sorted(values):
            some = [g for g in scored if str(g.sample.fields.get(field)) == value]
            slices.append(_slice(f"{field} {value}", some))
        if field == "language" and "en" in values and len(values) > 2:
            some = [g for g in scored if str(g.sample.fields.get(field)) != "en"]
            slices.append(_slice("all but en", some))
    return Results(name=name, slices=slices)


def _slice(name: str, groups: Sequence[ScoredGroup]) -> Slice:
    means = {"total": _mean([t for g in groups for t in g.total])}
    for component in groups[0].components:
        means[component] = _mean([s.value for g in groups for s in g.components[component]])
    return Slice(name=name, prompts=len(groups), completions=sum(len(g.total) for g in groups), means=means)


def _mean(values: Sequence[float | None]) -> float | None:
    present = [v for v in values if v is not None]
    return math.fsum(present) / len(present) if present else None


def spread(samples: Sequence[Sample], most: int | None, by: Sequence[str]) -> list[Sample]:
    """At most `most` samples, taken in turn from each combination of values of `by`."""
    if most is None or most >= len(samples):
        return list(samples)
    bins: dict[tuple[Any, ...], list[Sample]] = {}
    for sample in samples:
        bins.setdefault(tuple(str(sample.fields.get(field)) for field in by), []).append(sample)
    queues = list(bins.values())
    longest = max(map(len, queues))
    in_turn = [queue[round_] for round_ in range(longest) for queue in queues if round_ < len(queue)]
    return in_turn[:most]


def table(results: Results, earlier: Results | None = None) -> str:
    """The results as text; with `earlier`, as "before -> after"."""
    header = ["", "prompts", *results.slices[0].means]
    lines = [header, *(_line(s, earlier) for s in results.slices)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    text = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
    samples = results.slices[0].completions // max(1, results.slices[0].prompts)
    title = f"held-out prompts, {samples} completions each" + (", before -> after" if earlier else "")
    return "\n".join([title, *text])


def _line(now: Slice, earlier: Results | None) -> list[str]:
    cells = [_number(value) for value in now.means.values()]
    if earlier is not None:
        then = next((s.means for s in earlier.slices if s.name == now.name), {})
        cells = [f"{_number(then.get(name))} -> {cell}" for name, cell in zip(now.means, cells, strict=True)]
    return [now.name, str(now.prompts), *cells]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
