"""The criteria of a row: those of the recipe, in a file or in itself, or the row's own."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rewardlab import Sample

from rewardlab_rubric.criteria.criteria import Criteria, Worth, criteria_of
from rewardlab_rubric.rubric_file import read_rubric_file


def field_with_criteria(rubric: Any) -> str | None:
    """Return the field that holds each row's own criteria; None if the recipe has some for all."""
    named = isinstance(rubric, Mapping) and {*rubric} == {"field"} and isinstance(rubric["field"], str)
    return rubric["field"] if named else None


def known_criteria(rubric: Any, way: Worth) -> Criteria | None:
    """Return the criteria that a recipe has, None if rows have them. Raises ValueError that says what is wrong."""
    if field_with_criteria(rubric) is not None:
        return None
    if not isinstance(rubric, str):
        return criteria_of(rubric, way, lambda place: "")
    data, where = read_rubric_file(Path(os.path.expanduser(rubric)))
    return criteria_of(data, way, lambda place: f"{where(place)}: ")


def criteria_of_rows(rubric: Any, way: Worth) -> Callable[[Sample], Criteria]:
    """Return the function that gives each row its criteria; it raises ValueError that says what is wrong with them."""
    field, known = field_with_criteria(rubric), known_criteria(rubric, way)

    def of_row(sample: Sample) -> Criteria:
        if known is not None:
            return known
        value = sample.fields.get(str(field))
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                raise ValueError(f"field {field!r} holds no criteria as a list or as JSON: {value[:60]!r}") from None
        return criteria_of(value, way, lambda place: f"field {field!r}: ")

    return of_row
