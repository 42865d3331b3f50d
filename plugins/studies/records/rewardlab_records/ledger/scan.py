"""Readings of a run's ledger, which may have millions of lines: one at a time, whatever version wrote them."""

import json
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, suppress
from typing import Any

from rewardlab.data import BadRows
from rewardlab.errors import Problem, UserError
from rewardlab_training import LEDGER_BEGINNING, LEDGER_COLUMNS, LEDGER_VERSION

from rewardlab_records.ledger.ledger_file import LedgerFile
from rewardlab_records.ledger.superseded_steps import CurrentSteps

UNFINISHED = "as a run leaves it that is going on or was killed"
_VALUES = {"int": r"\d+|null", "text": r'"\w+"'}
_BEGINNING = re.compile(
    "".join(
        ["\\{", *(f'"{name}": (?P<{name}>{_VALUES[LEDGER_COLUMNS[name]]}), ' for name in LEDGER_BEGINNING)]
    ).encode()
)
"""the beginning of a line as `Ledger` writes it"""


def whole_lines(
    ledger: LedgerFile | None, bad: BadRows, torn: Callable[[str], None] | None = None
) -> Generator[tuple[str, Mapping[str, Any]]]:
    """Yield (place, line) for each line that can be read, none if there is no ledger; the others are added to `bad`.

    Args:
        torn: prints what has no end, as a run leaves it that is going on or was killed; it is not bad then.
    """
    if ledger is None:
        return
    last = None
    with closing(ledger.rows()) as lines:
        for place, row in lines:
            if last is not None:
                bad.add(last)
            last = row if isinstance(row, Problem) else None
            if not isinstance(row, Problem):
                yield place, row
    unfinished = ledger.torn() if torn is not None else None
    if last is not None and last != unfinished:
        bad.add(last)
    if unfinished is not None and torn is not None:
        torn(f"warning: {unfinished.where} is cut off, {UNFINISHED}; it does not count")


def current_steps(ledger: LedgerFile | None) -> CurrentSteps:
    """Return the lines of a ledger, if there is one, that no later attempt has replaced, from a light reading.

    Raises UserError if a later version of rewardlab wrote it.
    """
    # This first pass cannot be part of the one that sums up: whether a line counts depends on the attempts behind it,
    # and to take it back later the sums of every step would have to be kept. Only the beginnings of lines are parsed.
    return CurrentSteps(_beginnings(ledger))


def _beginnings(ledger: LedgerFile | None) -> Iterator[Mapping[str, Any]]:
    """Yield the version, attempt, stage, step, use and phase of each line."""
    for place, line in () if ledger is None else ledger.raw_lines():
        row: Any = beginning_of(line)
        if row is None:  # written by someone else or by an earlier version, or not to its end
            with suppress(ValueError, RecursionError):
                row = json.loads(line)
        if isinstance(row, Mapping):
            refuse_later_version(row, place)
            yield row


def beginning_of(line: bytes) -> Mapping[str, Any] | None:
    """Return where a line belongs, without parsing it; None of one that `Ledger` has not written to its end."""
    match = _BEGINNING.match(line)
    if not match or not line.endswith(b"}\n"):
        return None
    return {key: _value(word) for key, word in match.groupdict().items()}


def _value(word: bytes) -> int | str | None:
    return int(word) if word.isdigit() else None if word == b"null" else word.decode().strip('"')


def refuse_later_version(row: Mapping[str, Any], place: str) -> None:
    """Raise UserError if a later version of rewardlab wrote this line, with columns that this one does not know."""
    version = row.get("version", 1)
    if type(version) is not int or version > LEDGER_VERSION:
        problem = f"a ledger of version {version}; this rewardlab reads up to {LEDGER_VERSION}: upgrade it"
        raise UserError(problem, where=place)
