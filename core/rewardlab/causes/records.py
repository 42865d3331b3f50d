"""What groups say of their components: as they were scored, as the ledger has them, and as `score` wrote them."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from rewardlab.causes.attempts import Standing
from rewardlab.causes.causes import Causes, Found, Seen
from rewardlab.causes.movement import Movement, Record
from rewardlab.causes.planned import decomposition_of
from rewardlab.composition import Composition, ScoredGroup
from rewardlab.plan import Plan
from rewardlab.types import Sample, Score

USES = ("weight", "gate", "counterfactual")


def of_scored(scored: ScoredGroup) -> Record:
    """Of a group that a scorer gave."""
    assert scored.causes is not None
    values = {name: [score.value for score in scores] for name, scores in scored.components.items()}
    return _record(scored.causes.found, values)


def of_ledger(lines: Sequence[Mapping[str, Any]]) -> Record:
    """Of the lines of one group of a run's ledger."""
    names = [name for name, entry in lines[0]["components"].items() if "contribution" in entry]
    entries = {name: [line["components"][name] for line in lines] for name in lines[0]["components"]}
    return Record(
        contributions={name: [entry["contribution"] for entry in entries[name]] for name in names},
        values={name: [entry["value"] for entry in column] for name, column in entries.items()},
        uses={name: _uses(entries[name]) for name in names},
        rest=[line["rest"] for line in lines],
    )


def ledger_movement(lines: Iterable[Mapping[str, Any]], standing: Standing) -> tuple[Movement, bool]:
    """(movement, whether it is that of training) of a ledger's lines in their order; of evaluations for want of it.

    Lines without contributions count nowhere: an older version wrote them. Nor do those that do not stand.
    """
    trained, evaluated = Movement(), Movement()
    for (*_, use), group in groupby(lines, key=lambda line: (line["attempt"], line["group"], line["trained"])):
        rows = list(group)
        if rows[0] in standing and any("contribution" in entry for entry in rows[0]["components"].values()):
            (evaluated if use == "no" else trained).add(of_ledger(rows))
    return (trained, True) if trained.groups else (evaluated, False)


class OutputRecords:
    """Of rows that `score` wrote by this plan: what the total saw is made again from what the components said."""

    def __init__(self, plan: Plan):
        assert plan.recipe.reward is not None
        assert plan.expression is not None
        self._decomposition = decomposition_of(plan)
        self._normalized = bool(plan.normalizers)
        self._composition = Composition(expression=plan.expression, uses=plan.recipe.reward.components)

    def of(self, row: Mapping[str, Any]) -> Record:
        """Of one row. A JobError where the plan's policies say that it could not have been scored."""
        values = {name: columns["value"] for name, columns in row["components"].items()}
        total = row["total"]
        seen = Seen(
            decomposition=self._decomposition,
            columns=self.columns(row),
            totals=total,
            decided=[value is not None for value in total],
            kept=range(len(total)),
            shaped=row["shaped"],
            own={name: values[name] for name in self._decomposition.names},
            normalized=self._normalized,
        )
        return _record(Causes(seen).found, values)

    def columns(self, row: Mapping[str, Any]) -> dict[str, list[float | None]]:
        """name -> what the total saw of it, as Composition has it."""
        said = {name: _scores(row["components"][name]) for name in self._decomposition.names}
        return self._composition.columns(Sample(id=str(row["id"])), said)

    def differing(self, row: Mapping[str, Any]) -> int | None:
        """The first completion whose total is not what the plan makes of its values; None where there is none."""
        columns = self.columns(row)
        for index, total in enumerate(row["total"]):
            values = {name: value for name, column in columns.items() if (value := column[index]) is not None}
            known = len(values) == len(self._decomposition.names)
            if known != (total is not None):
                return index
            if known and abs(self._composition.expression.evaluate(values) - total) > 1e-9 * max(1.0, abs(total)):
                return index
        return None


def _record(found: Found, values: Mapping[str, Sequence[float | None]]) -> Record:
    return Record(
        contributions=found.contributions,
        values=values,
        uses={name: _uses(entries) for name, entries in found.told.items()},
        rest=found.rest,
    )


def _uses(entries: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    return {use: entry[use] for entry in entries for use in USES if use in entry}


def _scores(columns: Mapping[str, Sequence[Any]]) -> list[Score]:
    return [Score(value=value, error=error) for value, error in zip(columns["value"], columns["error"], strict=True)]
