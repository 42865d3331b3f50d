"""Flat groups: those in which all completions got the same total, so that a trainer learns nothing from them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rewardlab_viewer.read.columns import ScoreColumns

ROUNDING = 1e-12


def is_flat(columns: ScoreColumns, group: int) -> bool:
    """Return whether two or more completions of a group have a total, and all of these are equal but for rounding."""
    totals = [columns.totals[at] for at in columns.of_group(group) if columns.totals[at] == columns.totals[at]]
    return len(totals) > 1 and max(totals) - min(totals) <= ROUNDING * max(map(abs, totals))


@dataclass(frozen=True, kw_only=True)
class FlatGroups:
    """How many groups of a part are flat. where: "" for all of them, else a field with its value."""

    part: str
    where: str
    flat: int
    groups: int


def flat_groups(columns: ScoreColumns, fields: Sequence[str]) -> Iterator[FlatGroups]:
    """Yield the count of each part, and of its groups with each value of these fields."""
    for part, groups in columns.groups_by_part().items():
        flags = {group: is_flat(columns, group) for group in groups if not columns.discarded[group]}
        if not any(flags.values()):
            continue
        yield FlatGroups(part=str(part), where="", flat=sum(flags.values()), groups=len(flags))
        for name in fields:
            column = columns.fields[name]
            for value, code in column.values.items():
                chosen = [flag for group, flag in flags.items() if column.codes[group] == code]
                if any(chosen):
                    yield FlatGroups(part=str(part), where=f"{name} {value}", flat=sum(chosen), groups=len(chosen))
