"""Columns that another tool logged, beside those that each row has itself."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rewardlab.errors import UserError

OWN = ("id", "prompt", "completions", "problem", "recorded")
"""what a row has itself, whatever the logged columns are called"""
_PLACE = re.compile(r"\{(\w*)\}")


def fields_of_name(path: str, pattern: str | None) -> dict[str, str]:
    """Return what the places of a pattern, such as "samples_{task}_{language}_{}.jsonl", stand for in a file's name.

    Raises UserError if the name has another form.
    """
    if pattern is None:
        return {}
    parts = _PLACE.split(pattern)
    form = "".join(
        re.escape(part) if number % 2 == 0 else f"(?P<{part}>.+?)" if part else ".+?"
        for number, part in enumerate(parts)
    )
    match = re.fullmatch(form, Path(path).name)
    if match is None:
        raise UserError(f"its name is not of the form {pattern}", where=path)
    return match.groupdict()


def own_columns(columns: Mapping[str, Any], before: str) -> dict[str, Any]:
    """Return logged columns under names that a row has not itself; `before` stands before those that it has."""
    return {f"{before}{name}" if name in OWN else name: value for name, value in columns.items()}
