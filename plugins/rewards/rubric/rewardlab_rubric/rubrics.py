"""Rubrics as a recipe gives them: a file, levels, variants, or the field of a row that has its own."""

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from rewardlab import Sample

from rewardlab_rubric.goldens import RubricGolden, goldens_by_level
from rewardlab_rubric.levels import Kind, Levels, levels_of
from rewardlab_rubric.rubric_file import Place, read_rubric_file

TIES = ("Tie", "Both Bad")
IN_ROWS_LANGUAGE = {"language": "row"}
"""beside `field`: rows' own rubrics are in each row's language"""


@dataclass(frozen=True)
class Rubric:
    """One variant of a rubric.

    Args:
        description: the task that it is for; None without one.
        goldens: examples whose level is known.
    """

    levels: Levels
    description: str | None = None
    goldens: tuple[RubricGolden, ...] = field(default=(), compare=False, kw_only=True)

    def without_ties(self) -> "Rubric":
        """Return it without the levels Tie and Both Bad."""
        texts = {label: text for label, text in self.levels.texts.items() if label not in TIES}
        goldens = tuple(golden for golden in self.goldens if golden.level in texts)
        return replace(self, levels=Levels(self.levels.kind, texts), goldens=goldens)


Rubrics = Callable[[Sample], tuple[int, Rubric]]
"""The variant for a row and its number; raises ValueError that says what is wrong with the row's rubric."""


def rubrics_of_rows(rubric: Any, kinds: Sequence[Kind]) -> Rubrics | None:
    """Return the function that gives each row the variant of its own rubric; None if rows have none."""
    field = field_of(rubric)
    return None if field is None else lambda sample: chosen(sample, variants_of_row(sample, field, kinds))


def known_variants(rubric: Any, kinds: Sequence[Kind], packaged: str | None = None) -> list[Rubric]:
    """Return the variants of a rubric that stands in a file or in the recipe; none of one that rows have."""
    if field_of(rubric) is not None:
        return []
    if isinstance(rubric, Mapping) and "field" in rubric:
        raise ValueError("rows' own rubrics are {field: NAME}, or {field: NAME, language: row} in the row's language")
    if rubric is not None and not isinstance(rubric, str):
        return _variants(rubric, kinds, lambda place: "")
    if rubric is None:
        return [*_packaged(packaged, tuple(kinds))]
    return _of_file(Path(os.path.expanduser(rubric)), kinds)


@cache  # a recipe of four data steps asks thirty times
def _packaged(name: str | None, kinds: tuple[Kind, ...]) -> list[Rubric]:
    return _of_file(files("rewardlab_rubric") / "rubrics" / f"{name}.yaml", kinds)


def _of_file(path: Path | Any, kinds: Sequence[Kind]) -> list[Rubric]:
    data, where = read_rubric_file(path)
    return _variants(data, kinds, lambda place: f"{where(place)}: ")


def field_of(rubric: Any) -> str | None:
    """Return the field that holds each row's own rubric; None if the recipe has one for all."""
    if not isinstance(rubric, Mapping) or not isinstance(rubric.get("field"), str):
        return None
    return rubric["field"] if {**rubric, "field": ""} in ({"field": ""}, {"field": "", **IN_ROWS_LANGUAGE}) else None


def is_in_rows_language(rubric: Any) -> bool:
    """Return whether rows' own rubrics are in each row's language, and not in English."""
    return field_of(rubric) is not None and "language" in rubric


def variants_of_row(sample: Sample, field: str, kinds: Sequence[Kind]) -> list[Rubric]:
    """Return the variants of the rubric in a field of a row. Raises ValueError that says what is wrong with it."""
    value = sample.fields.get(field)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise ValueError(f"field {field!r} holds no rubric as a mapping or as JSON, but {value[:60]!r}") from None
    return _variants(value, kinds, lambda place: f"field {field!r}: ")


def chosen(sample: Sample, variants: Sequence[Rubric]) -> tuple[int, Rubric]:
    """Return the variant for a row by its id alone, so that neither order nor process matters."""
    if len(variants) == 1:
        return 0, variants[0]
    digest = hashlib.sha256(json.dumps(["rubric", sample.id]).encode()).digest()
    number = int.from_bytes(digest[:8], "big") % len(variants)
    return number, variants[number]


def _variants(data: Any, kinds: Sequence[Kind], where: Callable[[Place], str]) -> list[Rubric]:
    """Return the variants of a rubric. where: how a message about a part of it begins."""
    if not isinstance(data, list):
        return [_variant(data, kinds, (), where)]
    if not data:
        raise ValueError(f"{where(())}an empty list holds no rubric")
    return [_variant(variant, kinds, (number,), where) for number, variant in enumerate(data)]


def _variant(data: Any, kinds: Sequence[Kind], place: Place, where: Callable[[Place], str]) -> Rubric:
    if not isinstance(data, Mapping) or "scoring" not in data:
        return Rubric(_levels(data, kinds, where(place)))
    if unknown := [key for key in data if key not in ("description", "scoring", "goldens")]:
        problem = f"{unknown[0]!r} has no place beside description, scoring and goldens"
        raise ValueError(f"{where((*place, unknown[0]))}{problem}")
    description = data.get("description")
    if description is not None and (not isinstance(description, str) or not description.strip()):
        raise ValueError(f"{where((*place, 'description'))}the description is not a text")
    levels = _levels(data["scoring"], kinds, where((*place, "scoring")))
    goldens = goldens_by_level(data.get("goldens"), levels, (*place, "goldens"), where)
    return Rubric(levels, None if description is None else description.strip(), goldens=goldens)


def _levels(scoring: Any, kinds: Sequence[Kind], where: str) -> Levels:
    try:
        return levels_of(scoring, kinds)
    except ValueError as problem:
        why = f"{where}{problem}"
    raise ValueError(why)
