"""The results of an evaluation: means of each slice (language, ...), as a JSON file and as a table for people."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rewardlab.files import read_json, write_json
from rewardlab.redaction import redact
from rewardlab.scoring import ScoredGroup
from rewardlab.text import columns


@dataclass(frozen=True, kw_only=True)
class Slice:
    """A slice of an evaluation: the means over all completions of some prompts.

    prompts, completions: how many there are. means: "total" and each component -> mean; None if no completion has a
    value.
    """

    name: str
    prompts: int
    completions: int
    means: dict[str, float | None]


@dataclass(frozen=True, kw_only=True)
class Results:
    """The results of an evaluation: the slice of all prompts, then one for each value of each field it was split by."""

    name: str
    slices: list[Slice]

    def save(self, path: Path) -> None:
        """Write the results to a JSON file, whole or not at all."""
        write_json(path, asdict(self))

    @classmethod
    def load(cls, path: Path) -> "Results":
        """Return the results in a file that `save` wrote.

        Raises OSError if it cannot be read, and ValueError, KeyError or TypeError if it is no such file.
        """
        content = read_json(path)
        return cls(name=content["name"], slices=[Slice(**s) for s in content["slices"]])


def summarise(scored: Sequence[ScoredGroup], by: Sequence[str], name: str) -> Results:
    """Return the means over all groups, and over the groups that share a value of each field in `by`.

    `scored` must hold at least one group. Completions without a value do not count towards a mean. If "language" is a
    field and "en" one of more than two values, a slice "all but en" is added.
    """
    slices = [_slice("all", scored)]
    for field in by:
        values = {str(g.sample.fields[field]) for g in scored if field in g.sample.fields}
        for value in sorted(values):
            some = [g for g in scored if str(g.sample.fields.get(field)) == value]
            slices.append(_slice(redact(f"{field} {value}"), some))
        if field == "language" and "en" in values and len(values) > 2:
            some = [g for g in scored if str(g.sample.fields.get(field)) != "en"]
            slices.append(_slice("all but en", some))
    return Results(name=name, slices=slices)


def _slice(name: str, groups: Sequence[ScoredGroup]) -> Slice:
    means = {"total": _mean([t for g in groups for t in g.totals])}
    for component in groups[0].components:
        means[component] = _mean([s.value for g in groups for s in g.components[component]])
    return Slice(name=name, prompts=len(groups), completions=sum(len(g.totals) for g in groups), means=means)


def _mean(values: Sequence[float | None]) -> float | None:
    present = [v for v in values if v is not None]
    return math.fsum(present) / len(present) if present else None


def results_table(results: Results, earlier: Results | None = None) -> str:
    """Return the results as a table in text; with `earlier`, cells are "before -> after"."""
    header = ["", "prompts", *results.slices[0].means]
    lines = [header, *(_line(s, earlier) for s in results.slices)]
    samples = results.slices[0].completions // max(1, results.slices[0].prompts)
    title = f"held-out prompts, {samples} completions each" + (", before -> after" if earlier else "")
    return "\n".join([title, *columns(lines)])


def _line(now: Slice, earlier: Results | None) -> list[str]:
    cells = [_number(value) for value in now.means.values()]
    if earlier is not None:
        then = next((s.means for s in earlier.slices if s.name == now.name), {})
        cells = [f"{_number(then.get(name))} -> {cell}" for name, cell in zip(now.means, cells, strict=True)]
    return [now.name, str(now.prompts), *cells]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
