"""The groups of a trainer's batch as rows to score: which completions belong together, and what is a group's row."""

import hashlib
import json
import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any


def rows_of(
    sizes: Iterable[int],
    prompts: Sequence[Any],
    completions: Sequence[Mapping[str, Any]],
    fields: Mapping[str, Sequence[Any]],
    id_column: str,
) -> Iterator[dict[str, Any]]:
    """Yield a row to score for each group. A row of the dataset that stands in a batch twice gets another id there."""
    seen: Counter[Any] = Counter()
    start = 0
    for size in sizes:
        row = {name: values[start] for name, values in fields.items()}
        given = row.pop(id_column, None)
        given = given.item() if getattr(given, "ndim", None) == 0 else given
        if type(given) in (str, int) and given != "":  # else it is a column that is called so, and no id
            seen[given] += 1
            row[id_column] = given if seen[given] == 1 else f"{given}#{seen[given]}"
        yield {**row, "prompt": prompts[start], "completions": list(completions[start : start + size])}
        start += size


def runs_of(rows: Sequence[str]) -> Iterator[int]:
    """Yield how often each row stands there before another one comes."""
    return (sum(1 for _ in run) for _, run in groupby(rows))


def fits(rows: Sequence[str], size: int) -> bool:
    """Return whether the rows stand in groups of this size, each of equal rows."""
    chunks = (rows[start : start + size] for start in range(0, len(rows), size))
    return len(rows) % size == 0 and all(len(set(chunk)) == 1 for chunk in chunks)


def key_of(row: Sequence[Any]) -> str:
    """Return a text that is the same for equal rows: NaN and arrays are not equal to themselves."""
    try:
        return json.dumps(row, default=_content, sort_keys=True)
    except (TypeError, ValueError, RecursionError):  # keys that are no texts
        return _content(row)


def _content(value: Any) -> str:
    """Return a text that is the same for equal values that JSON does not know, such as pictures; else their type."""
    try:
        return hashlib.sha256(pickle.dumps(value)).hexdigest()
    except Exception as error:  # each library has errors of its own
        return f"{type(value).__name__}: {type(error).__name__}"
