"""Rows of other libraries as JSON has them: numpy's values, dates, and what is missing."""

import math
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from rewardlab.data.jsonl import shown_name

TEXTS = (date, datetime, time, timedelta, Decimal, UUID)
"""values without a word in JSON, which become text"""


def plain_row(row: Mapping[str, Any], nan_is_null: bool = False) -> dict[str, Any]:
    """Return a row without what is missing: None, and NaN, as which pandas writes it. ValueError for other values.

    nan_is_null: infinite numbers are missing, too.
    """
    return {name: plain(value, name, nan_is_null) for name, value in row.items() if not _is_missing(value)}


def plain(value: Any, name: str, nan_is_null: bool = False) -> Any:
    """Return a value as JSON has it. ValueError, with the column's name, for what JSON has no word for."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if math.isinf(value) and not nan_is_null:
            raise ValueError(f"the column {shown_name(name)} holds an infinite number")
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(item, name, nan_is_null) for key, item in value.items() if not _is_missing(item)}
    if isinstance(value, list | tuple):
        return [plain(item, name, nan_is_null) for item in value]
    if isinstance(value, TEXTS):
        return str(value)
    if hasattr(value, "tolist"):  # an array or number of numpy
        return plain(value.tolist(), name, nan_is_null)
    raise ValueError(
        f"the column {shown_name(name)} holds {type(value).__name__}, which is not a text, number, list or object"
    )


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
