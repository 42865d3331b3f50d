"""The file of the alarms that went off, `alarms.jsonl` of the run directory, a line of JSON for each.

A line has attempt, stage (such as "1-rl"), step, alarm (as recipes call it), kind (which of its signs), component (null
if it is about no single one), number (what was logged), value and usual (null if they are not numbers), and text.
Earlier versions called the file divergence.jsonl, whose lines have no alarm and component.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab.data import read_lines

from rewardlab_training.alarms.alarm_kinds import ALARMS, Sign
from rewardlab_training.alarms.series import finite

FILE, OLD_FILE = "alarms.jsonl", "divergence.jsonl"
OF_KIND = {alarm.kind: alarm for alarm in ALARMS}

AlarmRow = Mapping[str, Any]


def row_of(sign: Sign, stage: str, attempt: int) -> dict[str, Any]:
    """Return the line of a sign, as JSON values."""
    return {
        "attempt": attempt,
        "stage": stage,
        "step": sign.step,
        "alarm": sign.alarm.name,
        "kind": sign.alarm.kind,
        "component": sign.component,
        "number": sign.number,
        "value": finite(sign.value),
        "usual": finite(sign.usual),
        "text": sign.text,
    }


def rows_of(run: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of the alarms that went off in the run in folder `run`; those that are broken are left out."""
    for name in (OLD_FILE, FILE):
        for _, row in read_lines(run / name) if (run / name).exists() else ():
            if isinstance(row, dict) and _is_known(row):
                yield {"component": None, "number": ""} | row | {"alarm": OF_KIND[row["kind"]].name}


def _is_known(row: AlarmRow) -> bool:
    return (
        isinstance(row.get("step"), int)
        and all(isinstance(row.get(name), str) for name in ("stage", "kind", "text"))
        and isinstance(row.get("number", ""), str)
        and isinstance(row.get("component"), str | None)
        and row["kind"] in OF_KIND
    )


def sentence(row: AlarmRow) -> str:
    """Return in words which alarm went off."""
    return f"stage {row['stage']} {OF_KIND[row['kind']].meaning}: {row['text']} at step {row['step']}"


def alarm_sentences(run: Path, stages: Sequence[str] | None = None, alarms: Collection[str] = ()) -> list[str]:
    """Return which alarms went off in the run in folder `run`, a sentence for each.

    Args:
        stages: the names of the only ones to look at, such as "1-rl".
        alarms: as recipes call the only ones; none: all.
    """
    return [
        sentence(row)
        for row in rows_of(run)
        if (stages is None or row["stage"] in stages) and (not alarms or row["alarm"] in alarms)
    ]
