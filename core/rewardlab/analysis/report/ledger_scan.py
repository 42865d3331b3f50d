"""One reading of a run's ledger for all parts of the report that come from it.

A ledger may have millions of lines. They are read one at a time, and each part keeps no more than sums or the few
lines that the page shows.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from rewardlab.data import read_lines
from rewardlab.scoring.attribution import CurrentSteps

_BEGINNING = re.compile(
    rb'\{"attempt": (\d+), "stage": (\d+), "step": (\d+|null), "group": \d+, "index": \d+, "trained": "(\w+)", '
)
"""the beginning of a line as `Ledger` writes it"""


class LinePart(Protocol):
    """A part of the report that is made from the lines of a ledger."""

    def add(self, line: Mapping[str, Any]) -> None:
        """Take one line into account."""


def ledger_lines(path: Path, parts: Sequence[LinePart]) -> Iterator[Mapping[str, Any]]:
    """Yield the lines of a ledger in their order, each after all `parts` have taken it; none where there is no file.

    Lines that cannot be read are left out, such as one that a running or killed job has not written to its end. A
    UserError where the file cannot be opened.
    """
    return _passing(read_lines(path) if path.exists() else (), parts)


def _passing(rows: Iterable[tuple[int, Any]], parts: Sequence[LinePart]) -> Iterator[Mapping[str, Any]]:
    for _, row in rows:
        if isinstance(row, Mapping):
            for part in parts:
                part.add(row)
            yield row


def current_steps(path: Path) -> CurrentSteps:
    """Return the steps of a ledger that no later attempt has replaced, from a light reading of the file."""
    # This first pass cannot be part of the other one: whether a line counts depends on the attempts behind it, and to
    # take it back later the sums of every step would have to be kept. Nothing but the beginnings of lines is parsed.
    return CurrentSteps(_beginnings(path))


def _beginnings(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the attempt, stage, step and use of each line."""
    if not path.exists():
        return
    with open(path, "rb") as file:
        for line in file:
            found = _BEGINNING.match(line)
            if found and line.endswith(b"}\n"):
                attempt, stage, step, trained = found.groups()
                yield {
                    "attempt": int(attempt),
                    "stage": int(stage),
                    "step": None if step == b"null" else int(step),
                    "trained": trained.decode(),
                }
            else:  # written by someone else, or not to its end
                with suppress(ValueError, RecursionError):
                    row = json.loads(line)
                    if isinstance(row, Mapping):
                        yield row
