"""Parts of a benchmark that may not hold each other up: each in a process of its own, with a bound on its seconds.

A part writes its rows as it finds them (`Rows`). Whatever then becomes of it, they are printed: a part that fails,
hangs or takes its process with it leaves what it has measured, one row that says how it ended, and the others.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

SHOWN_LINES = 25
"""of what a part that failed said last"""
MARKS = {True: "yes", False: "NO", None: ""}
TERMINATED = 128 + signal.SIGTERM


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
    until, stopped = time.monotonic() + most_s, ""
    for part in parts:
        left = min(part.most_s, until - time.monotonic())
        if stopped or left <= 0:
            made = [Row(part.name, "the part", stopped or f"left out: the {most_s:.0f} s were over", False)]
        else:
            made, stopped = _run(part, folder, left, variables)
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


def _run(part: Part, folder: Path, left: float, variables: Mapping[str, str]) -> tuple[list[Row], str]:
    """Return a part's rows, with one about its end, and why no other is to run; "" if the others are."""
    path, log = folder / f"{part.name}.jsonl", folder / f"{part.name}.log"
    began, stopped = time.monotonic(), ""
    with log.open("wb") as file:
        environment = {**os.environ, **variables, "ROWS": str(path), "PART": part.name}
        process = subprocess.Popen(
            list(part.command), stdout=file, stderr=subprocess.STDOUT, env=environment, start_new_session=True
        )
        before = signal.signal(signal.SIGTERM, _raise_exit)
        try:
            code = process.wait(left)
            ended = "" if code == 0 else f"failed with exit code {code}"
        except subprocess.TimeoutExpired:
            ended = f"ended after its {left:.0f} s"
        except (KeyboardInterrupt, SystemExit):
            ended, stopped = "stopped", "left out: the benchmark was stopped"
        finally:
            _end(process)
            signal.signal(signal.SIGTERM, before)
    seconds = f"{time.monotonic() - began:.0f} s"
    end = Row(part.name, "the part", f"{ended}, {seconds}" if ended else seconds, False if ended else None)
    return [*_read(path), end], stopped


def _raise_exit(*_: object) -> None:
    sys.exit(TERMINATED)


def _end(process: subprocess.Popen) -> None:
    """Kill a part with all processes of its session, also those that it has left behind."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _read(path: Path) -> list[Row]:
    if not path.exists():
        return []
    whole = path.read_text(encoding="utf-8").rpartition("\n")[0]  # a line that a kill has cut is none
    return [Row(**json.loads(line)) for line in whole.splitlines()]


def _last_lines(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-SHOWN_LINES:]
    return "\n".join(f"    {line}" for line in lines)
