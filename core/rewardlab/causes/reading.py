"""From a file of rows to what moved the reward: a run's ledger, the output of `score`, or rows with completions."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from rewardlab.causes.movement import Movement
from rewardlab.causes.records import OutputRecords, ledger_movement
from rewardlab.errors import JobError, Problem, UserError
from rewardlab.lines import BadRows, kind_of, read_lines
from rewardlab.plan import Plan

SCORED_OTHERWISE = "are these scores of this recipe? `rewardlab score` makes them anew"


def movement_of(plan: Plan, path: str, most: int, say: Callable[[str], None]) -> Movement:
    """Of all groups in the file, or of the first `most` where they are to be scored.

    A UserError names each row that does not fit, by its line. `say` gets what was read and what is asked.
    """
    if plan.expression is None:
        raise UserError("the recipe has no reward; rows tell nothing of it", where=str(plan.document.path))
    with closing(read_lines(path)) as lines:
        first = next((row for _, row in lines if not isinstance(row, Problem)), None)
    if first is None or "components" not in first or "shaped" not in first:
        from rewardlab.causes.sampled import sampled_movement  # the only way that builds rewards

        movement = sampled_movement(plan, path, most, say)
    else:
        movement = _ledger(plan, path, say) if "index" in first else _output(plan, path)
    if not movement.groups:
        raise UserError("no row tells what a component contributed", where=path)
    return movement


def _output(plan: Plan, path: str) -> Movement:
    movement, bad, records = Movement(), BadRows(), OutputRecords(plan)
    for place, row in _rows(path, bad):
        try:
            _check_output(row, list(plan.components))
            if (index := records.differing(row)) is not None:
                raise ValueError(f"total[{index}] is not what this recipe makes of the values; {SCORED_OTHERWISE}")
            movement.add(records.of(row))
        except (ValueError, JobError, ArithmeticError) as error:
            bad.add(Problem(where=place, what=str(error)))
    _refuse(bad, path)
    return movement


def _ledger(plan: Plan, path: str, say: Callable[[str], None]) -> Movement:
    bad = BadRows()

    def good() -> Iterator[Mapping[str, Any]]:
        for place, row in _rows(path, bad):
            try:
                _check_line(row, plan)
            except ValueError as error:
                bad.add(Problem(where=place, what=str(error)))
            else:
                yield row

    movement, trained = ledger_movement(good())
    _refuse(bad, path)
    say(f"{path}: {movement.groups} groups of {'training' if trained else 'evaluations'}")
    return movement


def _rows(path: str, bad: BadRows) -> Iterator[tuple[str, Mapping[str, Any]]]:
    with closing(read_lines(path)) as lines:
        for number, row in lines:
            if isinstance(row, Problem):
                bad.add(row)
            else:
                yield f"{path}:{number}", row


def _refuse(bad: BadRows, path: str) -> None:
    if bad.count:
        raise bad.error(path, "mend them, or give a file that `rewardlab score` or a run of this recipe wrote")


def _check_output(row: Mapping[str, Any], names: Sequence[str]) -> None:
    """A ValueError where this is no row that `score` writes for components of these names."""
    components = _components(row, names)
    if "id" not in row:
        raise ValueError("no id")
    size = len(_numbers(row.get("total"), "total"))
    shaped = _numbers(row.get("shaped"), "shaped")
    if None in shaped:
        raise ValueError("shaped holds null")
    columns = {f"components.{name}.value": _numbers(entry.get("value"), name) for name, entry in components.items()}
    columns |= {f"components.{name}.error": _list(entry.get("error"), name) for name, entry in components.items()}
    for what, column in {"shaped": shaped, **columns}.items():
        if len(column) != size:
            raise ValueError(f"{what} has {len(column)} entries for {size} totals")


def _check_line(row: Mapping[str, Any], plan: Plan) -> None:
    """A ValueError where this is no line of the ledger of a run of this plan."""
    for key in ("attempt", "group", "trained"):
        if key not in row:
            raise ValueError(f"no {key}; a ledger's lines have one")
    entries = _components(row, list(plan.components))
    assert plan.expression is not None
    contributing = {name for name, entry in entries.items() if "contribution" in entry}
    if contributing != set(plan.expression.names):
        found = ", ".join(sorted(contributing)) or "none"
        wanted = ", ".join(plan.expression.names)
        raise ValueError(f"the total names {wanted}; contributions are told of {found}; {SCORED_OTHERWISE}")
    for name, entry in entries.items():
        _numbers([entry.get("value"), entry.get("contribution")], name)


def _components(row: Mapping[str, Any], names: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
    components = row.get("components")
    if not isinstance(components, Mapping) or not all(isinstance(entry, Mapping) for entry in components.values()):
        raise ValueError("components must be an object of objects")
    if set(components) != set(names):
        raise ValueError(f"components are {', '.join(components)}, the recipe's {', '.join(names)}; {SCORED_OTHERWISE}")
    return components


def _numbers(column: Any, what: str) -> list[float | None]:
    for value in _list(column, what):
        number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if value is not None and not number:
            raise ValueError(f"{what}: expected a number or null, found {kind_of(value)}")
    return column


def _list(column: Any, what: str) -> list[Any]:
    if not isinstance(column, list):
        raise ValueError(f"{what} must be a list, not {kind_of(column)}")
    return column
