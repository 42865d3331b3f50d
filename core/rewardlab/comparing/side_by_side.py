"""One group as people read it: a line a completion, with what A and B gave it and why."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rewardlab.comparing.most_different import Case

LEAST_TEXT = 30
"""columns that a text has at least beside the numbers; with less it stands below them"""
GAP = "  "
JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
"""signs without a width that texts in many languages need"""

Column = tuple[str, Sequence[str]]
"""(title, a cell a completion)"""


def shown(case: Case, width: int) -> str:
    """The group's measures, its prompt and its completions, within `width` columns."""
    row, measures = case.row, case.measures
    flips = f", {measures.flips} of {measures.compared} flip" if not any(measures.flat) else ""
    flat = "".join(f", no variance in {side}" for side, is_flat in zip("AB", measures.flat, strict=True) if is_flat)
    correlated = f"pearson {_number(measures.pearson)}, spearman {_number(measures.spearman)}, "
    place = f" ({row.sample.source})" if row.sample.source else ""
    title = f"{case.a['id']!r}{place}:"
    told = f"{correlated}distance {measures.distance:.3f}{flips}{flat}"
    gap = " " if len(title) + len(told) + 5 <= width else "\n   "  # 5: a number before it, and this gap
    prompt = [f"   {excerpt(row.sample.prompt[-1]['content'], width - 3)}"] if row.sample.prompt else []
    return "\n".join([f"{title}{gap}{told}", *prompt, *_completions(case, width)])


def _completions(case: Case, width: int) -> Iterator[str]:
    """Columns of numbers, as many beside each other as there is room for, the texts after the last ones."""
    numbers = [str(number) for number in range(1, len(case.a["total"]) + 1)]
    blocks = list(_blocks(numbers, _columns(case), width))
    texts = [completion.text for completion in case.row.group.completions]
    for block in blocks:
        room = width - sum(_width(column) + len(GAP) for column in block) - 3
        with_texts = block is blocks[-1] and texts and room >= LEAST_TEXT
        yield from _lines(block, [excerpt(text, room) for text in texts] if with_texts else None)
        if block is blocks[-1] and texts and not with_texts:
            yield from _lines([("#", numbers)], [excerpt(text, width - 8) for text in texts])


def _blocks(numbers: Sequence[str], columns: Sequence[Column], width: int) -> Iterator[list[Column]]:
    block: list[Column] = [("#", numbers)]
    for column in columns:
        if len(block) > 1 and 3 + sum(_width(c) + len(GAP) for c in [*block, column]) > width:
            yield block
            block = [("#", numbers)]
        block.append(column)
    yield block


def _lines(block: Sequence[Column], texts: Sequence[str] | None) -> Iterator[str]:
    for place in range(-1, len(block[0][1])):
        cells = [(title if place < 0 else cells[place]).rjust(_width((title, cells))) for title, cells in block]
        text = [] if texts is None else ["text" if place < 0 else texts[place]]
        yield ("   " + GAP.join([*cells, *text])).rstrip()


def _width(column: Column) -> int:
    title, cells = column
    return max(len(title), *map(len, cells))


def _columns(case: Case) -> list[Column]:
    """What flips, totals, shaped rewards; then the components, once where both sides have the same values."""
    flips = ["x" if place in case.measures.flipped else "" for place in range(len(case.a["total"]))]
    found: list[Column] = [("flip", flips)] if case.measures.flipped else []
    found += [
        (f"{letter} {what}", [_number(value) for value in row[what]])
        for what in ("total", "shaped")
        for letter, row in (("A", case.a), ("B", case.b))
    ]
    ours, theirs = case.a["components"], case.b["components"]
    for name in {**ours, **theirs}:
        sides = [(letter, of[name]) for letter, of in (("A", ours), ("B", theirs)) if name in of]
        alike = len(sides) == 2 and sides[0][1]["value"] == sides[1][1]["value"]
        for letter, columns in sides[:1] if alike else sides:
            found.append((name if alike else f"{letter} {name}", _values(columns)))
    return found


def _values(columns: Mapping[str, Any]) -> list[str]:
    """Values; of those that are missing, whether the component failed or abstained."""
    values = columns["value"]
    errors = columns.get("error") or [None] * len(values)
    return [
        _number(value) if value is not None else "abstains" if error is None else "fails"
        for value, error in zip(values, errors, strict=True)
    ]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def excerpt(text: str, width: int) -> str:
    """The beginning and the end of a text on one line of `width` columns; nothing in it can steer a terminal."""
    line = "".join(map(_harmless, " ".join(text.split())))
    if _columns_of(line) <= width:
        return line
    tail = _cut(line[::-1], (width - 3) // 2)[::-1]
    return f"{_cut(line, width - 3 - _columns_of(tail))}...{tail}"


def _harmless(sign: str) -> str:
    return sign if sign.isprintable() or sign in JOINERS else "\N{REPLACEMENT CHARACTER}"


def _cut(line: str, width: int) -> str:
    used = 0
    for place, sign in enumerate(line):
        used += _columns_of(sign)
        if used > width:
            return line[:place]
    return line


def _columns_of(line: str) -> int:
    """How many columns of a terminal a line takes."""
    return sum(map(_columns_of_sign, line))


def _columns_of_sign(sign: str) -> int:
    if unicodedata.combining(sign) or sign in JOINERS:
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
