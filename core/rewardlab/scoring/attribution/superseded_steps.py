"""Superseded steps of a ledger: a resumed run goes back to a checkpoint and scores some of its steps again."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any


class CurrentSteps:
    """The steps of a ledger that count; `line in steps` says whether a line belongs to one.

    An attempt that trained a stage from step s on replaces s and all later steps of that stage. Later steps that an
    earlier attempt reached are no part of the model either, whether they were scored again or not.
    """

    def __init__(self, lines: Iterable[Mapping[str, Any]]):
        """Read all lines of a ledger; those without an attempt, a stage and a step replace nothing."""
        self._begun: dict[int, dict[int, int]] = defaultdict(dict)
        for line in lines:
            attempt, stage, step = line.get("attempt"), line.get("stage"), line.get("step")
            if type(attempt) is int and type(stage) is int and type(step) is int and line.get("trained") != "no":
                begun = self._begun[stage]
                begun[attempt] = min(step, begun.get(attempt, step))

    def __contains__(self, line: Mapping[str, Any]) -> bool:
        """Return whether no later attempt replaced a line. One of no step, as of most evaluations, always counts."""
        step = line["step"]
        return step is None or not any(
            attempt > line["attempt"] and first <= step for attempt, first in self._begun[line["stage"]].items()
        )
