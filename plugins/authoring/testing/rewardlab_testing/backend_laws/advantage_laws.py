"""The laws about what an engine's trainer receives: `masked` and `taught`."""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab import Context
from rewardlab.plan import build
from rewardlab.recipe import RlStage
from rewardlab_training import whitens

from rewardlab_testing.backend_laws import outcome
from rewardlab_testing.backend_laws.ledger import LedgerGroup, steps_that_stand
from rewardlab_testing.backend_laws.trial import BackendTrial
from rewardlab_testing.outcomes.messages import violation
from rewardlab_testing.outcomes.outcome import NothingToTry, UnmetNeed

Received = Callable[[Path], Mapping[tuple[int, int, str], Sequence[float]]]
"""A function of a run directory: (stage, step, sample id) -> the advantage of each completion of the group that the
trainer trained on, in the order of the ledger's indices."""
CLOSE = 1e-3
"""of the largest advantage: trainers count in single precision, and add a little to what they divide by"""


def masked(tested: BackendTrial) -> int:
    """A completion without a value has no advantage, and takes no part in the others'."""
    if tested.received is None:
        raise UnmetNeed("needs `received`, a function that returns what the engine's trainer received")
    if any(stage.algorithm == "ppo" for stage in tested.rl.values()):
        raise UnmetNeed("is not for ppo, whose critic can leave no completion out")
    tried = tested.masked_run()
    received, seen = tested.received(tried.directory), 0
    for index, stage in tested.rl.items():
        for step, groups in steps_that_stand(tried.groups, index).items():
            assert step is not None, "an engine that is tried knows its steps"
            for group, wanted in zip(groups, _advantages(tested, stage, groups), strict=True):
                _refuse_difference(group, received.get((index, step, group.sample)), wanted)
                seen += sum(row["total"] is None for row in group.rows)
    if not seen:
        raise NothingToTry("no completion was left without a value")
    return seen


def taught(tested: BackendTrial) -> int:
    """A group whose outcome is equal for all, but for rounding, trains nothing, and the ledger says why."""
    if tested.received is None:
        raise UnmetNeed("needs `received`, a function that returns what the engine's trainer received")
    tried = tested.taught_run()
    received, kinds = tested.received(tried.directory), dict[str, int]()
    for group in (group for group in tried.groups if not group.evaluated):
        kind = outcome.kind_of(group.sample)
        advantages = [
            value for key, values in received.items() if key[::2] == (group.stage, group.sample) for value in values
        ]
        reasons = {row.get("left_out") for row in group.rows}
        if kind == "different":
            if reasons != {None}:
                raise violation(f"left_out of a group that differs, {group.place}", str(reasons), "no reason")
            kinds[kind] = kinds.get(kind, 0) + (group.trained and any(advantages))
            continue
        if any(advantages):
            raise violation(
                f"what the trainer received, {group.place}: {kind}", str([*advantages]), "nothing, or zeros"
            )
        if group.trained or reasons != {f"flat in {outcome.NAME}"}:
            outcome_text = f"trained {group.rows[0]['trained']}, left_out {reasons}"
            raise violation(
                f"the ledger, {group.place}: {kind}", outcome_text, f"trained no, left_out flat in {outcome.NAME}"
            )
        kinds[kind] = kinds.get(kind, 0) + 1
    if not kinds.get("different") or len(kinds) < 2:
        raise NothingToTry("the run had no group that does not teach, or no other one that was trained on")
    return sum(kinds.values())


def _advantages(tested: BackendTrial, stage: RlStage, groups: Sequence[LedgerGroup]) -> list[list[float]]:
    """Return the advantages of each group, 0 without a total; the others as if these were not there.

    They are made anew from the ledger's totals, by the formulas of docs/recipes.md.
    """
    rows = [sorted(group.rows, key=lambda row: row["index"]) for group in groups]
    present = [
        _of_group(tested, stage.algorithm, [row for row in group_rows if row["total"] is not None])
        for group_rows in rows
    ]
    whitened = whitens(tested.plan)
    if stage.algorithm == "reinforce_baseline" or whitened:
        counted = [value for values in present for value in values]
        squares = math.fsum(value * value for value in counted)
        spread = math.sqrt(squares / max(1, len(counted) - whitened))  # as GDPO has it, or REINFORCE++
        present = [[value / (spread + 1e-4) for value in values] for values in present]
    return [
        [next(values) if row["total"] is not None else 0.0 for row in group_rows]
        for group_rows, values in zip(rows, map(iter, present), strict=True)
    ]


def _of_group(tested: BackendTrial, algorithm: str, rows: Sequence[Mapping[str, Any]]) -> list[float]:
    """Return the advantages of completions that all have a total, before a step is whitened."""
    values, tokens = [float(row["total"]) for row in rows], [row["tokens"] for row in rows]
    if not values:
        return []
    for planned in tested.plan.normalizers:
        normalizer = build(planned, Context(seed=0), f"normalizer {planned.use.use}", "shape")
        columns = _weighted(rows) if planned.spec.by_component else [(1.0, values)]
        more = None if None in tokens else tokens, [*range(len(values))], 0
        shaped = [
            [weight * shaped_value for shaped_value in normalizer.shape(column, *more)] for weight, column in columns
        ]
        values = [math.fsum(of_all) for of_all in zip(*shaped, strict=True)]
    if tested.plan.centred:
        return values
    if min(values) == max(values):
        return [0.0] * len(values)
    mean = statistics.fmean(values)
    scale = {"grpo": 1 / (statistics.stdev(values) + 1e-4), "rloo": len(values) / (len(values) - 1)}
    return [(value - mean) * scale.get(algorithm, 1.0) for value in values]


def _weighted(rows: Sequence[Mapping[str, Any]]) -> list[tuple[float, list[float]]]:
    """Return the weight of each component of the total, and the values that the total saw."""
    weights = {name: entry["weight"] for name, entry in rows[0]["components"].items() if "weight" in entry}
    of_name = {name: [row["components"][name] for row in rows] for name in weights}
    return [(weights[name], [entry.get("stand_in", entry["value"]) for entry in of_name[name]]) for name in weights]


def _refuse_difference(group: LedgerGroup, received: Sequence[float] | None, wanted: Sequence[float]) -> None:
    slack = CLOSE * max([1.0, *map(abs, wanted)])
    if received is not None and len(received) == len(wanted):
        apart = [abs(value - other) for value, other in zip(received, wanted, strict=True)]
        if all(distance <= slack for distance in apart):  # also False if one is not a number
            return
    totals = [row["total"] for row in sorted(group.rows, key=lambda row: row["index"])]
    got = "nothing" if received is None else str([round(float(value), 5) for value in received])
    expected = f"{[round(value, 5) for value in wanted]}: a completion without a total has no advantage and no vote"
    raise violation(f"what the trainer received, {group.place}, of the totals {totals}", got, expected)
