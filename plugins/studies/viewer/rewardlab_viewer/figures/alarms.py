"""The alarms of a run: by what it logged, and by its ledger if it logged nothing of the kind, as earlier versions."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rewardlab import Completion, Sample, Score, ScoredGroup
from rewardlab_records.ledger import is_discarded
from rewardlab_training import RunAlarm, metrics_of_step, run_alarms

from rewardlab_viewer.read.source import TRAINING, Line, LoggedStage, Source, number

Step = tuple[int, int]
"""a stage and a step"""
LOGGED = "varied/"
"""begins names that a log has if its run was watched"""


class StepNumbers:
    """The numbers of the steps of a source, of which alarms are made: those of the log, before those of the ledger."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._read_logs()
        self._numbers: dict[Step, Mapping[str, float]] = {}
        self._at: Step | None = None
        self._groups: list[ScoredGroup] = []

    def _read_logs(self) -> None:
        self._logs: dict[int, list[LoggedStage]] = defaultdict(list)
        for log in self._source.logs:
            if (stage := log.name.partition("-")[0]).isdecimal():
                self._logs[int(stage)].append(log)
        self._watched = {stage for stage, logs in self._logs.items() if any(map(_has_scores, logs))}

    def add(self, lines: Sequence[Line]) -> None:
        """Take the lines of a group, after all groups of the steps before it."""
        first = lines[0]
        step, stage = first.get("step"), first["stage"]
        if stage in self._watched or first.get("phase") != TRAINING or is_discarded(first) or step is None:
            return
        if (stage, step) != self._at:
            self._flush()
            self._at, self._groups = (stage, step), []
        self._groups.append(_group(lines))

    def alarms(self) -> list[RunAlarm]:
        """Return the alarms of the source; call it once all groups are there."""
        if self._source.folder is None:
            return []
        self._flush()
        self._read_logs()  # which have grown if the run goes on
        return run_alarms(self._source.folder, {name: list(steps) for name, steps in self._by_stage()})

    def _flush(self) -> None:
        if self._at is not None and self._groups:
            self._numbers[self._at] = metrics_of_step(self._groups, correctness=self._source.correctness)

    def _by_stage(self) -> Iterator[tuple[str, Iterator[tuple[int, Mapping[str, float | None]]]]]:
        for stage in sorted({*self._logs, *(stage for stage, _ in self._numbers)}):
            logs = self._logs.get(stage, [])
            yield min((log.name for log in logs), default=f"{stage}-rl"), self._steps(stage, logs)

    def _steps(self, stage: int, logs: Sequence[LoggedStage]) -> Iterator[tuple[int, Mapping[str, float | None]]]:
        steps: dict[int, dict[str, float | None]] = defaultdict(dict)
        for log in sorted(logs, key=_has_scores):  # what an engine makes of the scores again goes behind
            for place, step in enumerate(log.steps):
                steps[step] |= {name: values[place] for name, values in log.numbers.items()}
        for step in sorted({*steps, *(at for stage_of_numbers, at in self._numbers if stage_of_numbers == stage)}):
            yield step, {**self._numbers.get((stage, step), {}), **steps[step]}


def _has_scores(log: LoggedStage) -> bool:
    return any(name.startswith(LOGGED) for name in log.numbers)


def _group(lines: Sequence[Line]) -> ScoredGroup:
    """Return a group of the ledger, without its texts."""
    names = lines[0]["components"]
    return ScoredGroup(
        sample=Sample(id=str(lines[0]["id"])),
        completions=[Completion(text="", token_count=line.get("tokens")) for line in lines],
        components={name: [_score(line["components"].get(name, {})) for line in lines] for name in names},
        totals=[_known(line.get("total")) for line in lines],
        shaped=(),
    )


def _score(entry: Mapping[str, Any]) -> Score:
    info = entry.get("info")
    return Score(
        value=_known(entry.get("value")),
        error=entry.get("error"),
        info=info if isinstance(info, Mapping) else {},
    )


def _known(value: Any) -> float | None:
    known = number(value)
    return known if known == known else None
