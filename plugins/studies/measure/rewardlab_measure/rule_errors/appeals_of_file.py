"""The appeals in a run's ledger or in a file that `score` wrote, counted for each component that has some."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from rewardlab.data import BadRows, refuse_stream
from rewardlab.errors import Problem, UserError
from rewardlab_records.ledger import LedgerFile, current_steps, fault_of_line, find_ledger, whole_lines
from rewardlab_records.scored_lines import ADVICE, scored_lines

from rewardlab_measure.rule_errors.rates import RuleCounts, was_appealed

Appealed = tuple[str, Iterator[tuple[str, Mapping[str, Any]]]]


def counts_of_file(path: str, say: Callable[[str], None]) -> dict[str, RuleCounts]:
    """Return the counts of each component with appeals. Raises UserError for a file without any.

    Args:
        say: prints that the last line of a ledger has no end yet.
    """
    refuse_stream(path)
    counts: dict[str, RuleCounts] = {}
    for problem, components in _components(path, say):
        for name, info in components:
            if was_appealed(info):
                counts.setdefault(name, RuleCounts()).add(info, problem)
    if not counts:
        raise UserError(
            "nothing here was scored by rubric/appeal; name a run's folder or what `score` wrote", where=path
        )
    return counts


def _components(path: str, say: Callable[[str], None]) -> Iterator[Appealed]:
    """Yield the problem of each completion, or of several, and of each its component and info."""
    ledger = find_ledger(Path(path)) if os.path.isdir(path) else LedgerFile(Path(path))
    if ledger is None:
        raise UserError("there is no ledger here; name a run that has scored something", where=path)
    with closing(ledger.rows()) as rows:
        first = next((row for _, row in rows if not isinstance(row, Problem)), None)
    bad = BadRows()
    if first is not None and "index" in first:
        yield from _of_ledger(ledger, bad, say)
    else:
        yield from _of_scores(path, bad)
    if bad.count:
        raise bad.error(path, ADVICE)


def _of_ledger(ledger: LedgerFile, bad: BadRows, say: Callable[[str], None]) -> Iterator[Appealed]:
    current = current_steps(ledger)
    for place, row in whole_lines(ledger, bad, torn=say):
        if fault := fault_of_line(row):
            bad.add(Problem(where=place, what=fault))
        elif row in current:
            fields = row.get("fields")
            problem = fields.get("problem", row.get("id")) if isinstance(fields, Mapping) else row.get("id")
            yield str(problem), ((name, entry.get("info") or {}) for name, entry in row["components"].items())


def _of_scores(path: str, bad: BadRows) -> Iterator[Appealed]:
    for _, row in scored_lines(path):
        if isinstance(row, Problem):
            bad.add(row)
            continue
        for name, columns in row["components"].items():
            yield str(row.get("id")), ((name, info or {}) for info in columns["info"])
