"""The log of a training that rewardlab did not run, as the numbers of steps that alarms read.

It may be the `trainer_state.json` of transformers, JSON lines, CSV as trackers export it, or what a trainer printed:
TRL's and OpenRLHF's dictionaries, verl's `step:12 - critic/score/mean:0.4 - ...`. A step whose numbers no alarm reads
is none.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from rewardlab.data import read_lines
from rewardlab.errors import UserError, nearest
from rewardlab.files import read_json

from rewardlab_training.alarms.alarm_kinds import ALARMS, FLAT, TOTAL, is_watched
from rewardlab_training.alarms.divergence_conditions import STD
from rewardlab_training.alarms.score_conditions import LENGTH, LENGTH_TOTAL, REWARD

STEPS = ("step", "global_step", "_step", "Step", "training/global_step")
NAMES = {
    "reward": TOTAL,
    "critic/score/mean": TOTAL,
    "reward_std": STD,
    "frac_reward_zero_std": FLAT,
    "completions/mean_length": LENGTH,
    "completion_length": LENGTH,
    "response_length/mean": LENGTH,
    "response_length": LENGTH,
    "actor/entropy": "entropy",
    "actor/entropy_loss": "entropy",
    "actor/kl_loss": "kl",
    "actor/pg_loss": "loss",
    "policy_loss": "loss",
    "actor/grad_norm": "grad_norm",
}
"""ours for what TRL, verl and OpenRLHF log; a name of ours is itself"""
CALLED = {"length": LENGTH, "flat": FLAT, "std": STD} | {name: name for name in ("entropy", "kl", "loss", "grad_norm")}
"""numbers by the words of `--column`; any other word is a component, or the total"""
COMPONENT = re.compile(r"(?:rewards|reward_extra)/(?P<name>[^/]+)(?:/mean)?")
EXPORTED = re.compile(r"^(?P<run>.*) - ")
"""before a metric, the run's name in CSV that W&B exports"""
NUMBER = r"[-+]?(?:\d[\d.]*(?:e[-+]?\d+)?|nan|inf(?:inity)?)(?!\w)"
PRINTED = re.compile(rf"""['"]([^'"\n]{{1,100}})['"]:\s{{0,4}}['"]?(?:np\.float\d+\()?({NUMBER})""", re.IGNORECASE)
VERL_STEP = re.compile(r"\bstep:\d+ - ")
VERL = re.compile(rf"([\w@./-]{{1,100}}):(?:np\.float\d+\()?({NUMBER})", re.IGNORECASE)

Numbers = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class TrainerLog:
    """The log of a training.

    Args:
        steps: (step, numbers) in order; a step is the log's own, or a count where it has none.
        names: of all numbers that alarms read.
    """

    steps: Sequence[tuple[int, Numbers]]
    names: frozenset[str]

    @property
    def components(self) -> list[str]:
        """The components of the reward that it has."""
        return sorted(name.removeprefix(REWARD) for name in self.names if name.startswith(REWARD) and name != FLAT)

    def watched(self, correctness: str | None) -> list[str]:
        """Return the alarms that can go off by its numbers."""
        too_few = {
            "length": LENGTH_TOTAL not in self.names,
            "reward_hacking": correctness is None or len(self.components) < 2,
            "divergence": not self.names & {"loss", "kl", "grad_norm"} and not {TOTAL, STD} <= self.names,
        }
        read = dict.fromkeys(alarm.name for alarm in ALARMS if any(alarm.reads(number) for number in self.names))
        return [name for name in read if not too_few.get(name)]


def read_trainer_log(path: Path, columns: Iterable[str] = (), correctness: str | None = None) -> TrainerLog:
    """Return what alarms read of a log. UserError if it cannot be read, or has none of it.

    Args:
        columns: what columns of names that no trainer uses are, such as "reward_mean=total" and "ndcg_mean=ndcg".
        correctness: the component that says whether an answer is right, which it must have.
    """
    reader = _ColumnReader(_own_names(columns))
    steps = list(_steps(path, reader))
    reader.refuse_doubts(path)
    log = TrainerLog(steps=steps, names=frozenset(name for _, numbers in steps for name in numbers))
    if not steps:
        raise UserError(
            "no step with a number that an alarm reads; name its columns: --column COLUMN=NAME", where=str(path)
        )
    if correctness is not None and correctness not in log.components:
        raise UserError(
            f"--correctness: no component {correctness!r}{nearest(correctness, log.components)}", where=str(path)
        )
    return log


def _own_names(columns: Iterable[str]) -> dict[str, str]:
    names = {}
    for column in columns:
        theirs, _, ours = column.rpartition("=")
        if not theirs or not ours:
            raise UserError(f"{column!r} is not COLUMN=NAME, such as reward_mean=total", where="--column")
        names[theirs] = CALLED.get(ours, f"{REWARD}{ours}")
    return names


def _steps(path: Path, reader: "_ColumnReader") -> Iterator[tuple[int, Numbers]]:
    counted = count(1)
    for row in _rows(path):
        if numbers := reader.numbers(row):
            given = (_number(row[name]) for name in STEPS if name in row)
            step = next((int(number) for number in given if number is not None and math.isfinite(number)), None)
            yield next(counted) if step is None else step, numbers


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a log by the ending of its name; what is no row of numbers is passed over."""
    if path.suffix == ".json":
        yield from _rows_of_json(path)
    elif path.suffix in (".csv", ".tsv"):
        yield from (row for _, row in read_lines(path, any_text=True) if isinstance(row, Mapping))
    else:
        yield from _rows_of_text(path)


def _rows_of_json(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        content = read_json(path)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot be read as JSON: {error}", where=str(path)) from None
    rows = content.get("log_history") if isinstance(content, Mapping) else content
    if not isinstance(rows, list):
        raise UserError("neither a trainer_state.json, with `log_history`, nor a list of steps", where=str(path))
    yield from (row for row in rows if isinstance(row, Mapping))


def _rows_of_text(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with open(path, encoding="utf-8", errors="replace", newline=None) as file:
            for line in file:  # a progress bar's carriage returns end lines, too
                if VERL_STEP.search(line):
                    yield dict(VERL.findall(line))
                elif "{" in line and (pairs := PRINTED.findall(line)):
                    yield dict(pairs)
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=str(path)) from None


class _ColumnReader:
    """What rows have for alarms, by the names of their columns; those that somebody has named go before all others."""

    def __init__(self, own_names: Mapping[str, str]) -> None:
        self._own_names = own_names
        self._columns: dict[str, None] = {}
        self._runs: dict[str, None] = {}

    def numbers(self, row: Mapping[str, Any]) -> Numbers:
        """Return the numbers of a row that alarms read."""
        self._columns |= dict.fromkeys(map(str, row))
        numbers: Numbers = {}
        for column in sorted(row, key=lambda column: column not in self._own_names):
            name, number = self._name(column), _number(row[column])
            if name is not None and number is not None:
                numbers.setdefault(name, number)
        return numbers

    def refuse_doubts(self, path: Path) -> None:
        """Raise a UserError if a column that somebody has named is nowhere, or the columns are of several runs."""
        for column in self._own_names:
            if self._columns and column not in self._columns:
                raise UserError(f"--column: no column {column!r}{nearest(column, self._columns)}", where=str(path))
        if len(self._runs) > 1:
            listed = ", ".join([*self._runs][:5]) + ", ..." * (len(self._runs) > 5)
            raise UserError(f"holds the columns of {len(self._runs)} runs ({listed}); export one", where=str(path))

    def _name(self, column: Any) -> str | None:
        if not isinstance(column, str):
            return None
        if column in self._own_names:
            return self._own_names[column]
        exported = EXPORTED.match(column)
        name = _name(column if exported is None else column[exported.end() :])
        if name is not None and exported is not None:
            self._runs[exported["run"]] = None
        return name


def _name(metric: str) -> str | None:
    metric = metric.removeprefix("train/")
    if match := COMPONENT.fullmatch(metric):
        return f"{REWARD}{match['name']}"
    name = NAMES.get(metric, metric)
    return name if is_watched(name) else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None
