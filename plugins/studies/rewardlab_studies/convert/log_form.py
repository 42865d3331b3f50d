"""How what another evaluation tool logged becomes rows: the right answer's column, and fields that file names say."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rewardlab.errors import UserError

OWN = ("id", "prompt", "completions", "problem")
"""what a row has itself, whatever the logged columns are called"""
_PLACE = re.compile(r"\{(\w*)\}")


@dataclass(frozen=True, kw_only=True)
class LogForm:
    """Settings that turn logged samples into rows.

    gold: the column with the right answer, None for the task's own target. name: a pattern of the files' names, whose
    {places} become fields: "samples_{task}_direct_{language}_{}.jsonl". fields: the same of every row. Of
    lm-evaluation-harness alone: read, what a completion is (`resps` the model's whole text, `filtered_resps` what a
    filter left of it), and filter, whose lines count, None for the first in a file.
    """

    gold: str | None = None
    name: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    read: Literal["resps", "filtered_resps"] = "resps"
    filter: str | None = None


def fields_of_name(path: str, pattern: str | None) -> dict[str, str]:
    """Return what the places of a pattern stand for in a file's name. Raises UserError if it has another form."""
    if pattern is None:
        return {}
    parts = _PLACE.split(pattern)
    form = "".join(
        re.escape(part) if number % 2 == 0 else f"(?P<{part}>.+?)" if part else ".+?"
        for number, part in enumerate(parts)
    )
    found = re.fullmatch(form, Path(path).name)
    if found is None:
        raise UserError(f"its name is not of the form {pattern}", where=path)
    return found.groupdict()


def own_columns(columns: Mapping[str, Any], before: str) -> dict[str, Any]:
    """Return logged columns under names that a row has not itself; `before` stands before those that it has."""
    return {f"{before}{name}" if name in OWN else name: value for name, value in columns.items()}
