r"""Compare answers of several parts whose order says what is what: lists with dots, named values, counted things.

`1, 2, \ldots, n` is no set. `w=16, d=3` is `16, 3`, and `7 \text{ goats and } 4 \text{ helicopters}` is `7, 4`, each in
the order of the right answer: another order would be another answer. Where both give names, the names tell.
"""

import re
from collections.abc import Callable

from rewardlab_math.quantities import quantities
from rewardlab_math.systems import split
from rewardlab_math.wording import with_commas, without_text_groups
from rewardlab_math.writing import compact

DOTS = r"\ldots"
MAX_PARTS = 24

_NAME = r"(?:\\?[A-Za-z]+(?:_(?:\{\w{1,12}\}|\w))?'?(?:\(\s*\w{1,6}\s*\))?|[A-Za-z]{2,20}(?: [A-Za-z]{2,20}){1,2})"
_NAMED = re.compile(rf"\s*(?P<name>{_NAME})\s*(?:=|:)\s*(?P<value>[^=<>:]*[^=<>:\s])\s*")
_HAS_WORD = re.compile(r"[^\W\d_]{3}")

Equal = Callable[[str, str], bool]


def equal_in_order(gold: str, answer: str, equal: Equal) -> bool | None:
    """Return whether the parts of an answer are those of the gold one, in its order; None if order is no matter.

    Args:
        gold, answer: plain (see `notation.plain`).
        equal: compares a part of the gold answer with one of the answer.
    """
    parts, others = _parts(gold), _parts(answer)
    if DOTS in gold or DOTS in answer:
        return _same_with_dots(parts, others, equal)
    if not 2 <= len(parts) == len(others) <= MAX_PARTS:
        return None
    named, other_named = _named(parts), _named(others)
    if named and other_named:
        return named.keys() == other_named.keys() and all(equal(named[name], other_named[name]) for name in named)
    if other_named:
        return _all_equal(parts, list(other_named.values()), equal)
    if (_counted(others) or _counted(parts)) and all(map(quantities, [*parts, *others])):
        return _all_equal(parts, others, equal)
    return None


def _parts(text: str) -> list[str]:
    return [part.strip() for part in split(with_commas(without_text_groups(text)).replace(";", ","))]


def _all_equal(golds: list[str], answers: list[str], equal: Equal) -> bool:
    return all(map(equal, golds, answers))


def _same_with_dots(golds: list[str], answers: list[str], equal: Equal) -> bool:
    """Return whether dots stand in the same places, and what stands between them is equal."""
    if len(golds) != len(answers) or len(golds) > MAX_PARTS:
        return False
    return all(
        compact(gold) == compact(answer) if DOTS in gold or DOTS in answer else equal(gold, answer)
        for gold, answer in zip(golds, answers, strict=True)
    )


def _named(parts: list[str]) -> dict[str, str] | None:
    """Return the values of parts by their names; None unless all have names, each another."""
    matches = [_NAMED.fullmatch(part) for part in parts]
    named = {"".join(part["name"].split()).lower(): part["value"] for part in matches if part}
    return named if len(named) == len(parts) else None


def _counted(parts: list[str]) -> bool:
    """Return whether each part names what it counts."""
    return all(map(_HAS_WORD.search, parts))
