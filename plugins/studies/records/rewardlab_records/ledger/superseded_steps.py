"""Superseded lines of a ledger: a resumed run goes back to a checkpoint and makes some of its steps again."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any


def is_discarded(line: Mapping[str, Any]) -> bool:
    """Return whether a completion was made to be trained on and was not.

    A group sampler or `reward.teach` left it out, or a failure ended its step. Lines
    of version 1, which do not say what they were made for, are taken for evaluations.
    """
    return line.get("phase") == "training" and line.get("trained") == "no"


class CurrentSteps:
    """The lines of a ledger that count; `line in steps` says whether one does.

    An attempt that trained a stage from step s on replaces s and all later steps of that stage. Later steps that an
    earlier attempt reached are not part of the model either, whether they were scored again or not. An evaluation that
    a later attempt made again, of the same stage, phase and step, is replaced by it.
    """

    def __init__(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Read all lines of a ledger; those without an attempt and a stage replace nothing."""
        self._begun: dict[int, dict[int, int]] = defaultdict(dict)
        self._evaluated: dict[tuple[int, str, int | None], int] = {}
        for line in lines:
            self.add(line)

    def add(self, line: Mapping[str, Any]) -> bool:
        """Take one more line into account, and return whether it may have replaced lines of earlier attempts."""
        attempt, stage, step = line.get("attempt"), line.get("stage"), line.get("step")
        if type(attempt) is not int or type(stage) is not int:
            return False
        if evaluation := _evaluation(line):
            before = self._evaluated.get(evaluation, attempt)
            self._evaluated[evaluation] = max(attempt, before)
            return attempt > before
        if type(step) is not int or line.get("trained") == "no":
            return False
        begun = self._begun[stage]
        known = attempt in begun and begun[attempt] <= step
        begun[attempt] = min(step, begun.get(attempt, step))
        return not known and any(other < attempt for other in begun)

    def __contains__(self, line: Mapping[str, Any]) -> bool:
        """Return whether no later attempt replaced a line. An evaluation of version 1 without a step always counts."""
        step, attempt = line["step"], line["attempt"]
        if (evaluation := _evaluation(line)) and self._evaluated.get(evaluation, attempt) > attempt:
            return False
        return step is None or not any(
            later > attempt and first <= step for later, first in self._begun[line["stage"]].items()
        )


def _evaluation(line: Mapping[str, Any]) -> tuple[int, str, int | None] | None:
    """Return which evaluation a line belongs to: its stage, phase and step; None of training and of version 1."""
    phase = line.get("phase", "training")
    return (line["stage"], phase, line["step"]) if isinstance(phase, str) and phase != "training" else None
