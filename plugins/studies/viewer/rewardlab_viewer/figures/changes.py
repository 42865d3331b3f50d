"""The changes by a stage: held-out means before and after it, problem by problem, with 95% intervals.

Only problems that were evaluated both times count, so that a difference is of the same prompts.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import fsum

from rewardlab_measure.tables import TableAverage, clustered_average

from rewardlab_viewer.figures.slices import SliceRow, SliceTable
from rewardlab_viewer.read.columns import ScoreColumns

Prompt = tuple[int, int]
"""a problem and the value of the field, such as its language, by their numbers"""


def change_tables(columns: ScoreColumns, field: str | None) -> Iterator[SliceTable]:
    """Yield a table for each stage that was evaluated before and after: of all problems, then by the field's values."""
    parts = columns.groups_by_part()
    values = columns.fields[field].values if field else {}
    codes = columns.fields[field].codes if field else [-1] * columns.groups
    for part, after in parts.items():
        before = next(
            (groups for earlier, groups in parts.items() if (earlier.stage, earlier.phase) == (part.stage, "before")),
            [],
        )
        if part.phase != "after" or not before:
            continue
        pairs = {
            name: (_prompt_means(columns, before, codes, values), _prompt_means(columns, after, codes, values))
            for name, values in columns.metrics()
        }
        rows = [_row(value, code, pairs) for value, code in [("all", None), *sorted(values.items())]]
        known = [row for row in rows if row.problems]
        if known:
            yield SliceTable(part=f"stage {part.stage}", field=field or "", metrics=list(pairs), rows=known)


def _prompt_means(
    columns: ScoreColumns, groups: Sequence[int], codes: Sequence[int], values: Sequence[float]
) -> dict[Prompt, float]:
    means: dict[Prompt, list[float]] = defaultdict(list)
    for group in groups:
        known = [values[at] for at in columns.of_group(group) if values[at] == values[at]]
        means[columns.problem[group], codes[group]] += known
    return {prompt: fsum(known) / len(known) for prompt, known in means.items() if known}


def _row(
    value: str, code: int | None, pairs: Mapping[str, tuple[dict[Prompt, float], dict[Prompt, float]]]
) -> SliceRow:
    averages: list[TableAverage | None] = []
    problems: set[int] = set()
    for before, after in pairs.values():
        both = [prompt for prompt in after if prompt in before and code in (None, prompt[1])]
        shares = all(0 <= means[prompt] <= 1 for means in (before, after) for prompt in both)
        changes = [after[prompt] - before[prompt] for prompt in both]
        averages.append(clustered_average(changes, [prompt[0] for prompt in both], "difference" if shares else "other"))
        problems |= {prompt[0] for prompt in both}
    return SliceRow(value=value, problems=len(problems), completions=0, averages=averages)
