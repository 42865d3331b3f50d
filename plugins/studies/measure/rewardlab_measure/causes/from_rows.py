"""The movement of the reward in a file: a run's ledger, the output of `score`, or rows with completions."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from rewardlab.data import BadRows, refuse_stream
from rewardlab.errors import JobError, Problem, UserError
from rewardlab.plan import Plan
from rewardlab.text import counted
from rewardlab_records.ledger import LedgerFile, current_steps, fault_of_line, find_ledger, is_discarded, whole_lines
from rewardlab_records.scored_lines import row_components, scored_lines

from rewardlab_measure.causes.from_ledger import ledger_movement
from rewardlab_measure.causes.movement import Movement
from rewardlab_measure.causes.records import OutputRecords

SCORES_THEM = "`rewardlab causes` scores some of them, which may ask judges, and `rewardlab score` all"
SCORED_OTHERWISE = "are these scores of this recipe? `rewardlab score` makes new ones"


def movement_of(plan: Plan, path: str, most: int | None, say: Callable[[str], None]) -> Movement:
    """Return what moved the reward in all groups of a file, or in its first `most` rows if these are to be scored.

    Args:
        most: None refuses rows that are not scored yet, for scoring may cost something.
        say: prints what was read and what is asked. A UserError names each row that does not fit, by its line.
    """
    if plan.expression is None:
        raise UserError("the recipe has no reward; rows say nothing of it", where=str(plan.document.path))
    refuse_stream(path)
    ledger = _ledger(path)
    with closing(ledger.rows()) as rows:
        first = next((row for _, row in rows if not isinstance(row, Problem)), None)
    if first is None or "components" not in first or "shaped" not in first:
        if most is None:
            raise UserError(f"these rows have no scores yet; {SCORES_THEM}", where=path)
        from rewardlab_measure.causes.from_sample import sampled_movement  # the only way that builds rewards

        movement = sampled_movement(plan, path, most, say)
    else:
        movement = _ledger_movement(plan, path, ledger, say) if "index" in first else _output_movement(plan, path)
    if not movement.groups:
        raise UserError("no row says what a component contributed", where=path)
    return movement


def _ledger(path: str) -> LedgerFile:
    """Return a run's ledger, or any other file of rows."""
    ledger = find_ledger(Path(path)) if os.path.isdir(path) else LedgerFile(Path(path))
    if ledger is None:
        raise UserError("there is no ledger here; name a run that has scored something, or a file of rows", where=path)
    return ledger


def _output_movement(plan: Plan, path: str) -> Movement:
    movement, bad, records = Movement(), BadRows(), OutputRecords(plan)
    for number, row in scored_lines(path):
        if isinstance(row, Problem):
            bad.add(row)
            continue
        try:
            _components(row, list(plan.components))
            if (index := records.differing(row)) is not None:
                raise ValueError(f"total[{index}] is not what this recipe makes of the values; {SCORED_OTHERWISE}")
            movement.add(records.of(row))
        except (ValueError, JobError, ArithmeticError) as error:
            bad.add(Problem(where=f"{path}:{number}", what=str(error)))
    _refuse(bad, path)
    return movement


def _ledger_movement(plan: Plan, path: str, ledger: LedgerFile, say: Callable[[str], None]) -> Movement:
    bad, discarded = BadRows(), 0

    def good() -> Iterator[Mapping[str, Any]]:
        nonlocal discarded
        for place, row in whole_lines(ledger, bad, torn=say):
            if is_discarded(row):
                discarded += 1
                continue
            try:
                _check_line(row, plan)
            except ValueError as error:
                bad.add(Problem(where=place, what=str(error)))
            else:
                yield row

    movement = ledger_movement(good(), current_steps(ledger))
    _refuse(bad, path)
    count = counted(movement.groups, "group")
    apart = f"; {discarded:,} completions that were not trained on do not count" if discarded else ""
    say(f"{path}: {count} of {'training' if movement.learned else 'evaluations'}{apart}")
    return movement


def _refuse(bad: BadRows, path: str) -> None:
    if bad.count:
        raise bad.error(path, "fix them, or give a file that `rewardlab score` or a run of this recipe wrote")


def _check_line(row: Mapping[str, Any], plan: Plan) -> None:
    """Raise a ValueError if this is not a line of the ledger of a run of this plan."""
    if fault := fault_of_line(row):
        raise ValueError(fault)
    entries = _components(row, list(plan.components))
    assert plan.expression is not None
    contributing = {name for name, entry in entries.items() if "contribution" in entry}
    if contributing != set(plan.expression.names):
        contributing_names = ", ".join(sorted(contributing)) or "none"
        wanted = ", ".join(plan.expression.names)
        raise ValueError(
            f"the total names {wanted}; contributions are those of {contributing_names}; {SCORED_OTHERWISE}"
        )
    if row.get("rest") is None:
        raise ValueError("no rest; a line with contributions has one")


def _components(row: Mapping[str, Any], names: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
    components = row_components(row)
    if set(components) != set(names):
        raise ValueError(f"components are {', '.join(components)}, the recipe's {', '.join(names)}; {SCORED_OTHERWISE}")
    return components
