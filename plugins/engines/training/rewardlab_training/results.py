"""The results of an evaluation: means of each slice (language, ...), as files and as a table for people."""

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rewardlab import Sample
from rewardlab.errors import JobError
from rewardlab.files import read_record, write_json
from rewardlab.scoring import NothingGiven, ScoredGroup
from rewardlab.text import redact

from rewardlab_training.aligned_columns import columns


@dataclass(frozen=True, kw_only=True)
class Slice:
    """A slice of an evaluation: the means over all completions of some prompts.

    Args:
        prompts, completions: how many there are.
        means: "total" and each component -> mean; None if no completion has a value.
        missing: completions that a served policy did not give, which are not among `completions` and in no mean.
        truncated, empty: completions that were cut at the length limit, and that have no text but white space.
        failed: rollouts that failed, which are among `completions` and in no mean.
        counted_info: component -> key of its `info` -> completions that have it, of the keys that its plugin counts.
        nothing: component -> why it gave most completions no score above 0, with how many, in words.
    """

    name: str
    prompts: int
    completions: int
    means: dict[str, float | None]
    missing: int = 0
    truncated: int = 0
    empty: int = 0
    failed: int = 0
    counted_info: dict[str, dict[str, int]] = field(default_factory=dict)
    nothing: dict[str, list[str]] = field(default_factory=dict)

    def notes(self) -> Iterator[str]:
        """Yield how many completions are missing, cut or empty, and what rewards counted, if there are any."""
        asked = self.completions + self.missing
        if self.missing:
            yield (
                f"{self.missing:,} of {asked:,} completions are missing: the server gave none, and no mean counts them"
            )
        if self.failed:
            yield f"{self.failed:,} of {asked:,} rollouts failed, and no mean counts them; the ledger says why"
        if self.truncated:
            yield f"{self.truncated:,} of {asked:,} completions were cut at the length limit (max_new_tokens)"
        if self.empty:
            yield f"{self.empty:,} of {asked:,} completions are empty; they are scored as they are"
        for component, counts in self.counted_info.items():
            counted = ", ".join(f"{key.replace('_', ' ')} {count:,}" for key, count in counts.items())
            yield f"{component}, of {asked:,} completions: {counted}"
        for component, lines in self.nothing.items():
            yield from (f"{component} of {asked:,} completions: {line}" for line in lines)


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

        Raises OSError if it cannot be read, and JobError if it is not such a file.
        """
        record = read_record(path, cls)
        if not record.slices:
            raise JobError(f"{path} is damaged (it has no slices); move it away to go on without it")
        return record

    def table(self, earlier: "Results | None" = None) -> str:
        """Return the results as a table in text; with `earlier`, cells are "before -> after".

        Below it stands how many completions are missing, cut or empty, if any are.
        """
        whole = self.slices[0]
        some_missing = whole.missing > 0
        header = ["", "prompts", *(["missing"] if some_missing else []), *whole.means]
        lines = [header, *(_line(s, earlier, some_missing) for s in self.slices)]
        samples = (whole.completions + whole.missing) // max(1, whole.prompts)
        title = f"held-out prompts, {samples} completions each" + (", before -> after" if earlier else "")
        return "\n".join([title, *columns(lines), *whole.notes()])

    def metrics(self) -> dict[str, float]:
        """Return the metrics of the evaluation, named like those of a step.

        reward/total, reward/<component>: means over all completions that have a value; the same for each slice, with
        its name before it, such as "language de/reward/total". A mean of nothing has no key.
        """
        metrics = {}
        for number, part in enumerate(self.slices):
            for name, mean in part.means.items():
                if mean is not None:
                    metrics[f"{part.name}/reward/{name}" if number else f"reward/{name}"] = mean
        return metrics


def summarise(
    scored: Sequence[ScoredGroup],
    by: Sequence[str],
    name: str,
    missing: Sequence[Sample] = (),
    counted: Mapping[str, Sequence[str]] | None = None,
) -> Results:
    """Return the means over all groups, and over the groups that share a value of each field in `by`.

    `scored` must hold at least one group. Completions without a value do not count towards a mean. If "language" is a
    field and "en" one of more than two values, a slice "all but en" is added.

    Args:
        missing: a sample for each completion that a served policy did not give.
        counted: component -> the keys of `info` that are counted (Plan.counted_info).
    """
    names = list(scored[0].components)
    slices = [_slice("all", names, scored, missing, counted or {})]
    for column in by:
        samples = [*(group.sample for group in scored), *missing]
        values = {str(sample.fields[column]) for sample in samples if column in sample.fields}
        for value in sorted(values):
            part = _having(scored, missing, column, {value})
            slices.append(_slice(redact(f"{column} {value}"), names, *part, counted or {}))
        if column == "language" and "en" in values and len(values) > 2:
            others = {str(sample.fields.get(column)) for sample in samples} - {"en"}
            slices.append(_slice("all but en", names, *_having(scored, missing, column, others), counted or {}))
    return Results(name=name, slices=slices)


def _having(
    scored: Sequence[ScoredGroup], missing: Sequence[Sample], field: str, values: Collection[str]
) -> tuple[list[ScoredGroup], list[Sample]]:
    """Return the groups and the missing completions whose field, as text, has one of these values."""
    groups = [group for group in scored if str(group.sample.fields.get(field)) in values]
    return groups, [sample for sample in missing if str(sample.fields.get(field)) in values]


def _slice(
    name: str,
    components: Sequence[str],
    groups: Sequence[ScoredGroup],
    missing: Sequence[Sample],
    counted: Mapping[str, Sequence[str]],
) -> Slice:
    means = {"total": _mean([t for g in groups for t in g.totals])}
    for component in components:
        means[component] = _mean([s.value for g in groups for s in g.components[component]])
    completions = [completion for group in groups for completion in group.completions]
    unanswered = {sample.id for sample in missing} - {group.sample.id for group in groups}
    return Slice(
        name=name,
        prompts=len(groups) + len(unanswered),
        completions=len(completions),
        means=means,
        missing=len(missing),
        truncated=sum(completion.truncated for completion in completions),
        empty=sum(not completion.text.strip() for completion in completions if completion.failure is None),
        failed=sum(completion.failure is not None for completion in completions),
        counted_info={
            component: counts
            for component in components
            if (counts := _counted_info(component, groups, counted.get(component, ())))
        },
        nothing={component: why for component in components if (why := _nothing(component, groups))},
    )


def _counted_info(component: str, groups: Sequence[ScoredGroup], keys: Sequence[str]) -> dict[str, int]:
    """Return key -> completions in whose `info` it is there, and neither null, false nor 0."""
    scores = [score for group in groups for score in group.components[component]]
    counts = Counter(key for score in scores for key in keys if score.info.get(key))
    return {key: counts[key] for key in keys if counts[key]}


def _nothing(component: str, groups: Sequence[ScoredGroup]) -> list[str]:
    scores = [score for group in groups for score in group.components[component]]
    tally = NothingGiven()
    tally.add((score.value for score in scores), (score.info for score in scores))
    return list(tally.lines())


def _mean(values: Sequence[float | None]) -> float | None:
    present = [v for v in values if v is not None]
    return math.fsum(present) / len(present) if present else None


def _line(now: Slice, earlier: Results | None, some_missing: bool) -> list[str]:
    cells = [_number(value) for value in now.means.values()]
    if earlier is not None:
        then = next((s.means for s in earlier.slices if s.name == now.name), {})
        cells = [f"{_number(then.get(name))} -> {cell}" for name, cell in zip(now.means, cells, strict=True)]
    return [now.name, str(now.prompts), *([str(now.missing)] if some_missing else []), *cells]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def write_evaluation(
    path: Path,
    scored: Sequence[ScoredGroup],
    by: Sequence[str],
    name: str,
    counted: Mapping[str, Sequence[str]],
    missing: Sequence[Sample] = (),
) -> Results:
    """Return the results of an evaluation, `summarise` says of what; they and its rows are written.

    Args:
        path: of the results, NAME.json; the rows go to NAME.rows.jsonl beside it. Existing files are overwritten.
    """
    _write_rows(path.with_suffix(".rows.jsonl"), scored)
    results = summarise(scored, by, name=name, missing=missing, counted=counted)
    results.save(path)
    return results


def _write_rows(path: Path, scored: Iterable[ScoredGroup]) -> None:
    """Write one line for each prompt: the sample's own columns, and `completions`, a list of G.

    A completion is {"text", "token_count", "truncated"}, of a conversation with its `messages`.
    """
    with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
        for group in scored:
            row = group.sample.as_row()
            row["completions"] = [completion.as_dict() for completion in group.completions]
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
