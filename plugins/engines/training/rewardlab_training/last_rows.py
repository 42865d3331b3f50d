"""The last row of a file of JSON lines, such as a ledger."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from rewardlab.files import line_start, parse_json


def last_row(path: Path) -> Mapping[str, Any] | None:
    """Return the last row of a JSONL file of whole lines; None if there is none or it is not a JSON object."""
    if not path.exists():
        return None
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(line_start(file, max(0, size - 1)))
        with suppress(ValueError):
            row = parse_json(file.readline() or b"null")
            return row if isinstance(row, dict) else None
    return None
