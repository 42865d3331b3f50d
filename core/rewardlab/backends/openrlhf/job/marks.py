"""Reading the log of a stage: the driver's own lines, and what of the engine's says something to people."""

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

MARK = "rewardlab| "
OUTCOME = "outcome "
STEPS = "steps "
"""the driver's line with how many the stage has"""

_STEP = re.compile(r"Global step (\d+): (\{.*\})")
_BAR = re.compile(r"\d+%\|.*\| *\d+/\d+ ")
_CURSOR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_TROUBLE = re.compile(
    r"\[Warning\]|\bWARNING\b|\bERROR\b|cannot be scheduled|[Ii]nsufficient|[Oo]ut of memory|OutOfMemory|oom.?kill",
    re.ASCII,
)
_RAISED = re.compile(r"^(?:\[rank\d+\]: )?((?:\w+\.)*\w+(?:Error|Exception): \S.*)")
_HARMLESS = re.compile(r"FutureWarning|UserWarning|DeprecationWarning|ZeroCopyTensorsWarning|Recommend setting")


def marked(text: str) -> str:
    """The driver's text, every line of it with the mark."""
    return "\n".join(MARK + line for line in text.splitlines() or [""])


def read_mark(line: str) -> str | None:
    """The driver's line without its mark; None where the line is the engine's."""
    _, found, rest = line.partition(MARK)
    return rest if found else None


def read_outcome(ours: str) -> dict | None:
    """How the driver ended, of its line without the mark; another process may have written on behind it."""
    if not ours.startswith(OUTCOME):
        return None
    try:
        outcome, _ = json.JSONDecoder().raw_decode(ours[len(OUTCOME) :])
    except ValueError:
        return None
    return outcome


def read_steps(ours: str) -> int | None:
    """How many steps the stage has, of the driver's line without its mark; None for its other lines."""
    number = ours.removeprefix(STEPS)
    return int(number) if ours.startswith(STEPS) and number.isdigit() else None


def plain(line: str) -> str:
    """The line without what moves a terminal's cursor or colours it; of a line written over, its last state."""
    return _CURSOR.sub("", line.rstrip("\r").rpartition("\r")[2])


def read_raised(line: str) -> str | None:
    """The last line of a trace: the exception and its text; None for any other line."""
    found = _RAISED.match(line)
    return found and found[1]


def is_bar(line: str) -> bool:
    """Whether it is a state of a progress bar."""
    return _BAR.search(line) is not None


def is_trouble(line: str) -> bool:
    """Whether the engine or Ray warns of something that may hold the job up."""
    return _TROUBLE.search(line) is not None and _HARMLESS.search(line) is None


def read_step(line: str) -> tuple[int, str] | None:
    """(a training step, what OpenRLHF says of it in short); None where the line is about something else."""
    found = _STEP.search(line)
    if found is None:
        return None
    try:
        numbers: Mapping[str, Any] = ast.literal_eval(found[2])
    except (ValueError, SyntaxError):  # a NaN among them
        return int(found[1]), found[2]
    return int(found[1]), ", ".join(_told(numbers))


def _told(numbers: Mapping[str, Any]) -> list[str]:
    rewards = {name.removeprefix("reward/"): value for name, value in numbers.items() if name.startswith("reward/")}
    told = [f"{name} {value:.3g}" for name, value in sorted(rewards.items(), key=lambda item: item[0] != "total")]
    for name, label, unit in (
        ("rollout/response_length_mean", "length", ""),
        ("actor_grad_norm", "gradient", ""),
        ("timing/step_total", "took", " s"),
    ):
        if name in numbers:
            told.append(f"{label} {numbers[name]:.3g}{unit}")
    return told
