"""The watch over a stage's numbers: it says and writes which alarms went off, and ends the stage if the recipe wants.

What it finds is in `divergence.jsonl` of the run directory, a line of JSON for each sign: attempt, stage (such as
"1-rl"), step, kind, number, value and usual (null if they are not numbers), text.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab.data import read_lines
from rewardlab.errors import JobError
from rewardlab.files import LineAppender, cut_torn_line, write_text
from rewardlab.plan import Plan
from rewardlab.recipe.training_stages import DpoStage, RlStage, SftStage
from rewardlab.training.alarms import ALARMS, WATCHED, AlarmDetector, Numbers, Sign, finite

FILE = "divergence.jsonl"


class AlarmWatch:
    """The watch over one training stage, in whichever process hears of its steps.

    run: the folder of the run. history: what earlier attempts logged, (step, numbers) in the order of writing; the part
    before the first step that comes now counts, and signs of later steps are taken back. So do steps that come again
    later, after a restart. say: prints a line for the user.
    """

    def __init__(
        self,
        plan: Plan,
        run: Path,
        index: int,
        attempt: int,
        say: Callable[[str], None],
        history: Iterable[tuple[int, Numbers]] = (),
    ) -> None:
        stage = plan.recipe.stages[index]
        assert isinstance(stage, SftStage | DpoStage | RlStage)
        self._settings, self._ends = stage.divergence, stage.on_divergence == "stop"
        self._low = _least_total(plan, stage)
        self._file, self._stage, self._attempt, self._say = run / FILE, f"{index}-{stage.use}", attempt, say
        self._seen = {step: _watched(numbers) for step, numbers in history}
        self._next: int | None = None
        self._detector = AlarmDetector(self._settings, self._low)

    def take(self, step: int, numbers: Mapping[str, Any]) -> None:
        """Take the numbers of a logged step. A JobError if they end the stage."""
        if self._next is None or step < self._next:
            self._go_back_to(step)
        self._next = step + 1
        self._seen[step] = watched = _watched(numbers)
        signs = self._detector.add(step, watched)
        for sign in signs:
            self._write(sign)
            self._say(f"warning: {self._sentence(sign)}")
        ending = [sign for sign in signs if sign.fatal or self._ends]
        if ending:
            raise JobError(self._sentence(ending[0]))

    def _sentence(self, sign: Sign) -> str:
        alarm = sign.alarm
        return f"stage {self._stage} {alarm.says}: {sign.text} at step {sign.step}; {alarm.advice}"

    def _go_back_to(self, step: int) -> None:
        """Begin anew with the history before `step`, whose signs are in the file."""
        self._seen = {then: numbers for then, numbers in sorted(self._seen.items()) if then < step}
        self._detector = AlarmDetector(self._settings, self._low)
        for then, numbers in self._seen.items():
            self._detector.add(then, numbers)
        if not self._file.exists():
            return
        cut_torn_line(self._file)
        rows = [row for _, row in read_lines(self._file) if isinstance(row, Mapping)]
        kept = [row for row in rows if row.get("stage") != self._stage or row.get("step", 0) < step]
        if kept != rows:
            write_text(self._file, "".join(f"{json.dumps(row)}\n" for row in kept))

    def _write(self, sign: Sign) -> None:
        row = {"attempt": self._attempt, "stage": self._stage, "step": sign.step, "kind": sign.alarm.name}
        row |= {"number": sign.number, "value": finite(sign.value), "usual": finite(sign.usual), "text": sign.text}
        file = LineAppender(self._file)
        try:
            file.write(f"{json.dumps(row)}\n".encode())
        finally:
            file.close()


def alarm_sentences(run: Path, stages: Sequence[str] | None = None) -> list[str]:
    """Return which alarms went off in the run in folder `run`, a sentence for each.

    stages: the names of the only ones to look at, such as "1-rl".
    """
    says = {alarm.name: alarm.says for alarm in ALARMS}
    return [
        f"stage {row['stage']} {says.get(row['kind'], row['kind'])}: {row['text']} at step {row['step']}"
        for row in _rows(run / FILE)
        if stages is None or row["stage"] in stages
    ]


def _rows(file: Path) -> Iterator[Mapping[str, Any]]:
    if file.exists():
        yield from (
            row
            for _, row in read_lines(file)
            if isinstance(row, Mapping) and {"stage", "step", "kind", "text"} <= {*row}
        )


def _least_total(plan: Plan, stage: SftStage | DpoStage | RlStage) -> float | None:
    """Return the least total that a completion can get; None if it is not known."""
    if plan.total_range is None or not math.isfinite(plan.total_range[0]):
        return None
    zeroed = isinstance(stage, RlStage) and stage.on_truncated == "zero"
    return min(plan.total_range[0], 0.0) if zeroed else plan.total_range[0]


def _watched(numbers: Mapping[str, Any]) -> dict[str, float]:
    """Return those of the numbers that a detector reads."""
    found = {name: numbers.get(name) for name in WATCHED}
    return {name: float(value) for name, value in found.items() if isinstance(value, int | float)}
