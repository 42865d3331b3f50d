"""The watch over a stage's numbers: it says and writes which alarms went off, and may end the stage."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from rewardlab.errors import JobError
from rewardlab.files import LineAppender, cut_torn_line, write_text
from rewardlab.plan import Plan

from rewardlab_training.alarms.alarm_file import FILE, OLD_FILE, row_of, rows_of, sentence
from rewardlab_training.alarms.alarm_kinds import AlarmDetector, Sign, is_watched
from rewardlab_training.alarms.alarm_policy import AlarmPolicy
from rewardlab_training.alarms.alarm_settings import settings_of
from rewardlab_training.alarms.series import Numbers
from rewardlab_training.alarms.webhook import Webhook


class AlarmWatch:
    """The watch over one training stage, in whichever process hears of its steps.

    Args:
        run: the folder of the run.
        history: what earlier attempts logged, (step, numbers) in the order of writing.
        say: prints a line for the user. The numbers of a step may come in parts, and steps a little out of order. A
            number that comes again for a step, and the first of an attempt, say that the stage went back to there:
            what was known of later steps, and was said of them, is taken back.
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
        self._settings, self._policy = settings_of(plan, index), AlarmPolicy.of(plan.recipe, index)
        self._run, self._stage, self._attempt, self._say = run, f"{index}-{stage.use}", attempt, say
        self._seen: dict[int, dict[str, float]] = {}
        for step, numbers in history:
            self._seen.setdefault(step, {}).update(_watched(numbers))
        self._last: dict[str, int] = {}
        """the last step of each number that came in this attempt"""
        self._detector = AlarmDetector(self._settings)
        url = plan.recipe.alarms.webhook
        self._webhook = None if url is None else Webhook(url, say)

    def take(self, step: int, numbers: Mapping[str, Any]) -> None:
        """Take numbers of a logged step. A JobError if they end the stage."""
        watched = _watched(numbers)
        again = {name for name in watched if name not in self._last or name in self._seen.get(step, ())}
        late = any(step < self._last.get(name, step) for name in watched)
        if again:
            self._go_back_to(step, again)
        self._seen.setdefault(step, {}).update(watched)
        self._last |= dict.fromkeys(again, step) | {n: max(step, self._last[n]) for n in watched if n not in again}
        signs = self._replayed() if again or late else self._detector.add(step, watched)
        known = self._written() if signs else set()
        new = [sign for sign in signs if (sign.alarm.kind, sign.number) not in known and self._policy.hears(sign)]
        for sign in new:
            self._tell(sign)
        ending = [sign for sign in new if self._policy.ends(sign)]
        if ending:
            raise JobError(self._sentence(ending[0]))

    def _tell(self, sign: Sign) -> None:
        row = row_of(sign, self._stage, self._attempt)
        file = LineAppender(self._run / FILE)
        try:
            file.write(f"{json.dumps(row)}\n".encode())
        finally:
            file.close()
        self._say(f"warning: {self._sentence(sign)}")
        if self._webhook is not None:
            self._webhook.post(row | {"run": self._run.name, "text": f"{self._run.name}: {self._sentence(sign)}"})

    def _sentence(self, sign: Sign) -> str:
        return f"{sentence(row_of(sign, self._stage, self._attempt))}; {sign.alarm.advice}"

    def _replayed(self) -> list[Sign]:
        """Begin anew with all that was seen, and return its signs."""
        self._detector = AlarmDetector(self._settings)
        self._seen = dict(sorted(self._seen.items()))
        return [sign for step, numbers in self._seen.items() for sign in self._detector.add(step, numbers)]

    def _written(self) -> set[tuple[str, str]]:
        return {(row["kind"], row["number"]) for row in rows_of(self._run) if row["stage"] == self._stage}

    def _go_back_to(self, step: int, names: set[str]) -> None:
        """Forget these numbers from `step` on, and take back what was said of them."""
        self._seen = {
            then: {name: value for name, value in numbers.items() if then < step or name not in names}
            for then, numbers in self._seen.items()
        }
        file, old = self._run / FILE, self._run / OLD_FILE
        if old.exists() and not file.exists():
            old.replace(file)
        if not file.exists():
            return
        cut_torn_line(file)
        rows = list(rows_of(self._run))
        kept = [r for r in rows if r["stage"] != self._stage or r["step"] < step or r["number"] not in names]
        if kept != rows:
            write_text(file, "".join(f"{json.dumps(row)}\n" for row in kept))


def _watched(numbers: Mapping[str, Any]) -> dict[str, float]:
    """Return those of the numbers that a detector reads."""
    return {n: float(value) for n, value in numbers.items() if isinstance(value, int | float) and is_watched(n)}
