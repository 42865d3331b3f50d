"""Which groups of a ledger stand: a run that was resumed went back to a checkpoint and scored some steps again."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any


class Standing:
    """Of all lines of a ledger. An attempt that trained a stage from step s on replaces s and all later steps of it.

    Steps that an earlier attempt reached beyond that are no part of the model either, scored again or not.
    """

    def __init__(self, lines: Iterable[Mapping[str, Any]]):
        """Lines without an attempt, a stage and a step replace nothing."""
        self._begun: dict[int, dict[int, int]] = defaultdict(dict)
        for line in lines:
            attempt, stage, step = line.get("attempt"), line.get("stage"), line.get("step")
            if type(attempt) is int and type(stage) is int and type(step) is int and line.get("trained") != "no":
                begun = self._begun[stage]
                begun[attempt] = min(step, begun.get(attempt, step))

    def __contains__(self, line: Mapping[str, Any]) -> bool:
        """Whether no later attempt replaced it; what belongs to no step, as most evaluations, always stands."""
        step = line["step"]
        return step is None or not any(
            attempt > line["attempt"] and first <= step for attempt, first in self._begun[line["stage"]].items()
        )
