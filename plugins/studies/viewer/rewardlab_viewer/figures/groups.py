"""Flat groups: those in which all completions got the same total, so that a trainer learns nothing from them."""

from collections.abc import Iterator, Sequence

from rewardlab_viewer.read.columns import ScoreColumns

ROUNDING = 1e-12


def is_flat(columns: ScoreColumns, group: int) -> bool:
    """Return whether two or more completions of a group have a total, and all of these are equal but for rounding."""
    totals = [columns.totals[at] for at in columns.of_group(group) if columns.totals[at] == columns.totals[at]]
    return len(totals) > 1 and max(totals) - min(totals) <= ROUNDING * max(map(abs, totals))


def flat_table(columns: ScoreColumns, fields: Sequence[str]) -> Iterator[list[str]]:
    """Yield a head and a line for each part with flat groups, and for its groups with each value of these fields."""
    rows = []
    for part, groups in columns.groups_by_part().items():
        flags = {group: is_flat(columns, group) for group in groups if not columns.discarded[group]}
        chosen = {
            f"{name} {value}": (columns.fields[name].codes, code)
            for name in fields
            for value, code in columns.fields[name].values.items()
        }
        flags_by_value = [("all", [*flags.values()])]
        flags_by_value += [
            (where, [flag for group, flag in flags.items() if codes[group] == code])
            for where, (codes, code) in chosen.items()
        ]
        rows += [
            [str(part), where, f"{sum(flat):,}", f"{len(flat):,}", f"{sum(flat) / len(flat):.1%}"]
            for where, flat in flags_by_value
            if any(flat)
        ]
    if rows:
        yield from (["groups of", "with", "flat", "groups", "share"], *rows)
