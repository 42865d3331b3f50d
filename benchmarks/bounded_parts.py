"""Parts of a benchmark that may not hold each other up: each in a process of its own, with a bound on its seconds.

A part writes its rows as it finds them (`Rows`). Whatever then becomes of it, they are printed: a part that fails,
hangs or takes its process with it leaves what it has measured, one row that says how it ended, and the others.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

SHOWN_LINES = 25
"""of what a part that failed said last"""
MARKS = {True: "yes", False: "NO", None: ""}
STOPPED = "left out: the benchmark was stopped"


@dataclass(frozen=True)
class Row:
    """A line of the table. `holds` says whether a check holds; None if the row only measures."""

    part: str
    measured: str
    value: str
    holds: bool | None = None


class Rows:
    """The file to which a part writes its rows, each at once."""

    def __init__(self, path: Path, part: str) -> None:
        self._path, self._part = path, part

    def add(self, measured: str, value: str, holds: bool | None = None) -> None:
        """Write a row."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(Row(self._part, measured, value, holds))) + "\n")


@dataclass(frozen=True)
class Part:
    """A command, and the most seconds that it may take. It is told where its rows go by the variable ROWS."""

    name: str
    command: Sequence[str]
    most_s: float


def run_parts(
    parts: Sequence[Part], folder: Path, most_s: float, variables: Mapping[str, str], say: Callable[[str], None]
) -> list[Row]:
    """Return the rows of all parts, one after the other, in at most `most_s` seconds; each part's are said at its end.

    Ctrl-C and SIGTERM end the part that runs, and leave the others out.
    """
    rows: list[Row] = []
    until = time.monotonic() + most_s
    with _stopping() as stop:
        for part in parts:
            left = min(part.most_s, until - time.monotonic())
            if stop.asked or left <= 0:
                why = STOPPED if stop.asked else f"left out: the {most_s:.0f} s were over"
                made = [Row(part.name, "the part", why, False)]
            else:
                made = _run(part, folder, left, variables, stop)
            rows += made
            for row in made:
                say(f"{row.part}: {row.measured}: {row.value} {MARKS[row.holds]}".rstrip())
            if not all(row.holds in (True, None) for row in made) and (folder / f"{part.name}.log").exists():
                say(_last_lines(folder / f"{part.name}.log"))
    return rows


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a table of Markdown."""
    lines = ["| part | measured | value | holds |", "|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {r.part} | {r.measured} | {r.value} | {MARKS[r.holds]} |" for r in rows)])


@dataclass
class _Stop:
    """Whether somebody asked for an end, and the part that then runs."""

    asked: bool = False
    process: subprocess.Popen | None = None


@contextmanager
def _stopping() -> Iterator[_Stop]:
    """Let Ctrl-C and SIGTERM end the part that runs, also one that has just begun, and let the caller go on."""
    stop = _Stop()

    def ask(*_: object) -> None:
        stop.asked = True
        if stop.process is not None:
            _kill(stop.process)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _run(part: Part, folder: Path, left: float, variables: Mapping[str, str], stop: _Stop) -> list[Row]:
    """Return a part's rows, with one about its end."""
    path, log = folder / f"{part.name}.jsonl", folder / f"{part.name}.log"
    began = time.monotonic()
    with log.open("wb") as file:
        environment = {**os.environ, **variables, "ROWS": str(path), "PART": part.name}
        stop.process = process = subprocess.Popen(
            list(part.command), stdout=file, stderr=subprocess.STDOUT, env=environment, start_new_session=True
        )
        try:
            code = process.wait(0 if stop.asked else left)
            ended = "" if code == 0 else "stopped" if stop.asked else f"failed with exit code {code}"
        except subprocess.TimeoutExpired:
            ended = "stopped" if stop.asked else f"ended after its {left:.0f} s"
        finally:
            stop.process = None
            _kill(process)
            process.wait()
    seconds = f"{time.monotonic() - began:.0f} s"
    end = Row(part.name, "the part", f"{ended}, {seconds}" if ended else seconds, False if ended else None)
    return [*_read(path), end]


def _kill(process: subprocess.Popen) -> None:
    """Kill a part with all processes of its session, also those that it has left behind."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _read(path: Path) -> list[Row]:
    if not path.exists():
        return []
    whole = path.read_text(encoding="utf-8").rpartition("\n")[0]  # a line that a kill has cut is none
    return [Row(**json.loads(line)) for line in whole.splitlines()]


def _last_lines(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-SHOWN_LINES:]
    return "\n".join(f"    {line}" for line in lines)
