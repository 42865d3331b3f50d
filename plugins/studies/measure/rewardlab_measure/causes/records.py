"""Records of what each component did in a group: from a scored group, from a ledger, and from the output of `score`."""

from collections.abc import Mapping, Sequence
from typing import Any

from rewardlab import Completion, Context, Group, Sample, Score
from rewardlab.plan import Plan, build
from rewardlab.scoring import Attribution, Composition, ScoredGroup, decomposition_of

from rewardlab_measure.causes.movement import GroupRecord, Movement, findings_of

USES = ("weight", "gate", "counterfactual")


def record_of_scored(scored: ScoredGroup) -> GroupRecord:
    """Return the record of a group that a scorer has just scored."""
    assert scored.causes is not None
    values = {name: [score.value for score in scores] for name, scores in scored.components.items()}
    return _record(scored.causes.attribution, values)


def record_of_ledger(lines: Sequence[Mapping[str, Any]]) -> GroupRecord:
    """Return the record of one group from its G lines of a run's ledger."""
    names = [name for name, entry in lines[0]["components"].items() if "contribution" in entry]
    entries = {name: [line["components"].get(name, {}) for line in lines] for name in lines[0]["components"]}
    return GroupRecord(
        contributions={name: [entry.get("contribution") for entry in entries[name]] for name in names},
        values={name: [entry.get("value") for entry in column] for name, column in entries.items()},
        uses={name: _uses(entries[name]) for name in names},
        rest=[line.get("rest") for line in lines],
    )


class OutputRecords:
    """The records of rows that `score` wrote by one plan.

    What the total saw is computed again from the values that the components gave.
    """

    def __init__(self, plan: Plan) -> None:
        assert plan.recipe.reward is not None
        assert plan.expression is not None
        shapers = [
            (planned.use.use, build(planned, Context(seed=0), f"normalizer {planned.use.use}", "shape"))
            for planned in plan.normalizers
        ]
        self._composition = Composition(
            expression=plan.expression,
            uses=plan.recipe.reward.components,
            normalizers=shapers,
            by_component=plan.by_component,
            decomposition=decomposition_of(plan),
        )

    def of(self, row: Mapping[str, Any]) -> GroupRecord:
        """Return the record of one row. JobError if, by the plan's policies, it could not have been scored."""
        composition, total = self._composition.at(row.get("progress")), row["total"]
        values = {name: columns["value"] for name, columns in row["components"].items()}
        group = Group(sample=Sample(id=str(row["id"])), completions=[Completion(text="")] * len(total))
        columns = self.columns(row)
        parts = composition.parts(group, columns, total)
        own = {name: values[name] for name in composition.expression.names}
        causes = composition.attribution(group, range(len(total)), columns, total, parts, row["shaped"], own)
        assert causes is not None
        return _record(causes.attribution, values)

    def columns(self, row: Mapping[str, Any]) -> dict[str, list[float | None]]:
        """Return the values that the total saw, by component: see Composition.columns."""
        scores = {name: _scores(row["components"][name]) for name in self._composition.expression.names}
        return self._composition.columns(Sample(id=str(row["id"])), scores)

    def differing(self, row: Mapping[str, Any]) -> int | None:
        """Return the first completion whose total differs from what the plan computes; None if there is none."""
        columns, expression = self.columns(row), self._composition.at(row.get("progress")).expression
        for index, total in enumerate(row["total"]):
            values = {name: value for name, column in columns.items() if (value := column[index]) is not None}
            known = len(values) == len(expression.names)
            if known != (total is not None):
                return index
            if known and abs(expression.evaluate(values) - total) > 1e-9 * max(1.0, abs(total)):
                return index
        return None


def _record(attribution: Attribution, values: Mapping[str, Sequence[float | None]]) -> GroupRecord:
    return GroupRecord(
        contributions=attribution.contributions,
        values=values,
        uses={name: _uses(entries) for name, entries in attribution.entries.items()},
        rest=attribution.rest,
    )


def _uses(entries: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    return {use: entry[use] for entry in entries for use in USES if entry.get(use) is not None}


def _scores(columns: Mapping[str, Sequence[Any]]) -> list[Score]:
    infos = columns.get("info") or [None] * len(columns["value"])
    given = zip(columns["value"], columns["error"], infos, strict=True)
    return [Score(value=value, error=error, info=info or {}) for value, error, info in given]


class ScoreFindings:
    """The findings of `rewardlab score` about the components of a plan, from the rows that it writes."""

    def __init__(self, plan: Plan) -> None:
        self._records, self._movement = OutputRecords(plan), Movement()

    def add(self, row: Mapping[str, Any]) -> None:
        """Take a row of the output."""
        self._movement.add(self._records.of(row))

    def findings(self) -> list[dict[str, Any]]:
        """Return the findings as JSON values; `what` is the finding in words."""
        return [finding.as_dict() for finding in findings_of(self._movement)]
