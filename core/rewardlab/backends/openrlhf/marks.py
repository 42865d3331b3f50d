"""How the driver's lines are told from OpenRLHF's in one log, and which of the engine's lines nobody reads."""

import re

MARK = "rewardlab| "
OUTCOME = "outcome "

_NOISE = re.compile(r"update weight: |Writing model shards|Loading weights:|it/s\]|s/it\]|\?it/s|Preprocessing data")


def marked(text: str) -> str:
    """The driver's text, every line of it with the mark."""
    return "\n".join(MARK + line for line in text.splitlines() or [""])


def read_mark(line: str) -> str | None:
    """The driver's line without its mark; None where the line is the engine's."""
    _, found, rest = line.partition(MARK)
    return rest if found else None


def is_noise(line: str) -> bool:
    """Whether a line of the engine repeats itself for every weight or bar; the log on disk keeps it."""
    return not line.strip() or _NOISE.search(line) is not None
