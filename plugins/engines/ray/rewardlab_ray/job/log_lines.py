"""Reading the log of a stage: the driver's own lines, and those of the engine that people should see."""

import ast
import json
import re
from datetime import datetime
from typing import Any

from rewardlab_ray.user_lines import MARK, SCORES

OUTCOME = "outcome "
STEPS = "steps "
"""begins the driver's line with the number of the stage's steps"""

_STEP = re.compile(r"Global step (\d+): (\{.*\})")
_NOT_FINITE = re.compile(r"(: )(nan|-?inf)(?=[,}])")
_TRAINING_BAR = re.compile(r"Train step of epoch (\d+):.*\| *(\d+)/(\d+) \[(.*\bgrad_norm=.*)\]")
_BAR_NUMBER = re.compile(r"\b(gpt_loss|loss|grad_norm)=(nan|-?inf|-?[\d.]+(?:e[+-]?\d+)?)(?=,|$)")
_NAMES = {"policy_loss": "loss", "gpt_loss": "loss", "actor_grad_norm": "grad_norm", "entropy_loss": "entropy"}
"""an engine's names -> those of rewardlab"""
_BAR_OF_STEPS = re.compile(r"\b(?:Training Progress:|Train step of epoch|Train epoch|Episode \[|Epoch \d)")
"""begins a bar of what rewardlab's own line says"""
_BAR = re.compile(r"\d+%\|.*\| *(\d+)/(\d+) (?:\[(?:(\d+):)?(\d+):(\d\d)<)?")
_OF_A_PROCESS = re.compile(r"\([^()]*\) *")
"""before each line of another process, by Ray"""
_WRITTEN = re.compile(r"\b(\d\d-\d\d \d\d:\d\d:\d\d)\b")
_HOLDS_UP = re.compile(r"cannot be scheduled|[Ii]nsufficient|[Oo]ut of memory|OutOfMemory|oom.?kill", re.ASCII)
_WARNED = re.compile(r"\[Warning\]|\bWARNING\b|\bERROR\b")
_OF_A_FAILED_CALL = re.compile(r"\bERROR [\w.]+:\d+ -- |\bERROR:[^:]*:?[\d:,]*:?Error in _run_prompt")
"""Ray's own logger, which numbers the line of its file; verl's agent loop"""
_RAISED = re.compile(r"^(?:\(\w+ pid=[^)]*\) )?(?:\[rank\d+\]: )?((?:\w+\.)*\w+(?:Error|Exception): \S.*)")
_HARMLESS = re.compile(
    r"FutureWarning|UserWarning|DeprecationWarning|ZeroCopyTensorsWarning|Recommend setting|"
    r"authentication_token_setup|target_num_threads|Continuous Token builder"
)


def read_mark(line: str) -> str | None:
    """Return the driver's line without its mark; None if the line is the engine's."""
    _, mark, rest = line.partition(MARK)
    return rest if mark else None


def read_outcome(text: str) -> dict | None:
    """Return the outcome in a line of the driver without its mark, or None; other output may follow on the line."""
    if not text.startswith(OUTCOME):
        return None
    try:
        outcome, _ = json.JSONDecoder().raw_decode(text[len(OUTCOME) :])
    except ValueError:
        return None
    return outcome


def read_steps(text: str) -> int | None:
    """Return how many steps the stage has, from a line of the driver without its mark; None for its other lines."""
    number = text.removeprefix(STEPS)
    return int(number) if text.startswith(STEPS) and number.isdigit() else None


def read_scores(text: str) -> tuple[int, dict[str, float]] | None:
    """Return (a training step, the numbers of its scores), from a line without its mark; None for other lines."""
    if not text.startswith(SCORES):
        return None
    try:
        row, _ = json.JSONDecoder().raw_decode(text[len(SCORES) :])
        return row["step"], {name: float(value) for name, value in row.items() if _is_number(value)}
    except (ValueError, LookupError, TypeError):  # a secret was masked in it
        return None


def read_raised(line: str) -> str | None:
    """Return the exception and its text from the last line of a traceback; None for any other line."""
    match = _RAISED.match(line)
    return match and match[1]


def is_bar(line: str) -> bool:
    """Return whether the line is a state of a progress bar."""
    return _BAR.search(line) is not None


def lasting_bar(line: str) -> float:
    """Return the seconds since a progress bar began, as it says itself; 0 if it has ended, says nothing or is of steps.

    Of the steps of a training there is a line of rewardlab's own.
    """
    match = _BAR.search(line)
    if match is None or match[5] is None or match[1] == match[2] or _BAR_OF_STEPS.search(line):
        return 0.0
    return int(match[3] or 0) * 3600.0 + int(match[4]) * 60 + int(match[5])


def says_something(line: str) -> bool:
    """Return whether a line has more than the name of the process that Ray puts before it."""
    return bool(_OF_A_PROCESS.sub("", line, count=1).strip())


def read_time(line: str) -> datetime | None:
    """Return when the engine wrote a line, by its own clock, to the second; None if it does not say.

    It names no year; this one is taken.
    """
    match = _WRITTEN.search(line)
    try:
        return datetime.strptime(f"{datetime.now().year} {match[1]}", "%Y %m-%d %H:%M:%S") if match else None
    except ValueError:  # digits that are no date
        return None


def is_trouble(line: str) -> bool:
    """Return whether the engine or Ray warns of something that may hold the job up.

    What Ray or verl logs of a call that failed is not that: rewardlab says what becomes of it.
    """
    if _HOLDS_UP.search(line) is not None:
        return _HARMLESS.search(line) is None
    return _WARNED.search(line) is not None and not (_HARMLESS.search(line) or _OF_A_FAILED_CALL.search(line))


def read_numbers(line: str) -> tuple[int, dict[str, float]] | None:
    """Return (a training step, its numbers by the names of rewardlab, NaN and infinities too); None for other lines.

    Of OpenRLHF's sft and dpo, whose numbers are in a progress bar alone, the step is the place in the bar, over all
    passes.
    """
    if (step := _STEP.search(line)) is not None:
        numbers = _numbers_in(step[2])
        return None if numbers is None else (int(step[1]), {_NAMES.get(n, n): value for n, value in numbers.items()})
    if (bar := _TRAINING_BAR.search(line)) is None:
        return None
    epoch, place, steps_a_pass, rest = bar.groups()
    return int(epoch) * int(steps_a_pass) + int(place), {
        _NAMES.get(name, name): float(n) for name, n in _BAR_NUMBER.findall(rest)
    }


def _numbers_in(text: str) -> dict[str, float] | None:
    """Return the numbers of a line's object, by the engine's names; None if it cannot be read."""
    try:
        parsed = ast.literal_eval(_NOT_FINITE.sub(r"\1'\2'", text))
    except (ValueError, SyntaxError):
        return None
    return {name: float(value) for name, value in parsed.items() if _is_number(value)}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or value in ("nan", "inf", "-inf")
