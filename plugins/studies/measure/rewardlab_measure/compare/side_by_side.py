"""One group as people read it: a line a completion, with the rewards that A and B gave it and why."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rewardlab_training import COLUMN_GAP, columns, display_width

from rewardlab_measure.compare.most_different import ComparedGroup

MIN_TEXT = 30
"""columns that a text needs at least beside the numbers; with less room it stands below them"""
INDENT = "   "

Column = tuple[str, Sequence[str]]
"""(title, a cell a completion)"""


def format_group(case: ComparedGroup, width: int) -> str:
    """Return the group's measures, its prompt and its completions, within `width` columns."""
    row, measures = case.row, case.measures
    flips = f", {measures.flips} of {measures.compared} flip" if not any(measures.flat) else ""
    flat = "".join(f", no variance in {side}" for side, is_flat in zip("AB", measures.flat, strict=True) if is_flat)
    correlated = f"pearson {number_text(measures.pearson)}, spearman {number_text(measures.spearman)}, "
    place = f" ({row.sample.source})" if row.sample.source else ""
    title = f"{case.a['id']!r}{place}:"
    numbers = f"{correlated}distance {measures.distance:.3f}{flips}{flat}"
    gap = " " if len(title) + len(numbers) + 5 <= width else f"\n{INDENT}"  # 5: the group's number, and this gap
    prompt = []
    if row.sample.prompt:
        prompt = [f"{INDENT}{excerpt(row.sample.prompt[-1]['content'], width - len(INDENT))}"]
    return "\n".join([f"{title}{gap}{numbers}", *prompt, *_completions(case, width)])


def _completions(case: ComparedGroup, width: int) -> Iterator[str]:
    """Yield the lines: blocks of as many columns as there is room for, and the texts after the last block."""
    numbers = [str(number) for number in range(1, len(case.a["total"]) + 1)]
    blocks = list(_blocks(numbers, _columns(case), width))
    texts = [completion.text for completion in case.row.group.completions]
    for block in blocks:
        room = width - sum(_width(column) + len(COLUMN_GAP) for column in block) - len(INDENT)
        with_texts = block is blocks[-1] and texts and room >= MIN_TEXT
        yield from _lines(block, [excerpt(text, room) for text in texts] if with_texts else None)
        if block is blocks[-1] and texts and not with_texts:
            yield from _lines([("#", numbers)], [excerpt(text, width - 8) for text in texts])


def _blocks(numbers: Sequence[str], given: Sequence[Column], width: int) -> Iterator[list[Column]]:
    block: list[Column] = [("#", numbers)]
    for column in given:
        if len(block) > 1 and len(INDENT) + sum(_width(c) + len(COLUMN_GAP) for c in [*block, column]) > width:
            yield block
            block = [("#", numbers)]
        block.append(column)
    yield block


def _lines(block: Sequence[Column], texts: Sequence[str] | None) -> Iterator[str]:
    lines = [[title for title, _ in block], *zip(*(cells for _, cells in block), strict=True)]
    if texts is not None:
        lines = [[*line, text] for line, text in zip(lines, ["text", *texts], strict=True)]
    for line in columns(lines, align=">" * len(block) + "<"):
        yield f"{INDENT}{line}"


def _width(column: Column) -> int:
    title, cells = column
    return max(map(display_width, [title, *cells]))


def _columns(case: ComparedGroup) -> list[Column]:
    """Return flips, totals and shaped rewards; then the components, once if both sides have the same values."""
    flips = ["x" if place in case.measures.flipped else "" for place in range(len(case.a["total"]))]
    columns: list[Column] = [("flip", flips)] if case.measures.flipped else []
    columns += [
        (f"{letter} {column}", [number_text(value) for value in row[column]])
        for column in ("total", "shaped")
        for letter, row in (("A", case.a), ("B", case.b))
    ]
    of_a, of_b = case.a["components"], case.b["components"]
    for name in {**of_a, **of_b}:
        sides = [(letter, components[name]) for letter, components in (("A", of_a), ("B", of_b)) if name in components]
        alike = len(sides) == 2 and sides[0][1]["value"] == sides[1][1]["value"]
        for letter, scores in sides[:1] if alike else sides:
            columns.append((name if alike else f"{letter} {name}", _values(scores)))
    return columns


def _values(scores: Mapping[str, Any]) -> list[str]:
    """Return a component's values as text; for those that are missing, whether it failed or abstained."""
    values = scores["value"]
    errors = scores.get("error") or [None] * len(values)
    return [
        number_text(value) if value is not None else "abstains" if error is None else "fails"
        for value, error in zip(values, errors, strict=True)
    ]


def number_text(value: float | None) -> str:
    """Return a number as people read it; "-" if there is none."""
    return "-" if value is None else f"{value:.3f}"


def excerpt(text: str, width: int) -> str:
    """Return the beginning and the end of a text on one line of `width` columns, harmless to a terminal."""
    line = "".join(map(_harmless, " ".join(text.split())))
    if display_width(line) <= width:
        return line
    tail = _cut(line[::-1], (width - 3) // 2)[::-1]
    return f"{_cut(line, width - 3 - display_width(tail))}...{tail}"


def _harmless(sign: str) -> str:
    visible_or_joiner = sign.isprintable() or not display_width(sign)
    return sign if visible_or_joiner else "\N{REPLACEMENT CHARACTER}"


def _cut(line: str, width: int) -> str:
    used = 0
    for place, sign in enumerate(line):
        used += display_width(sign)
        if used > width:
            return line[:place]
    return line
