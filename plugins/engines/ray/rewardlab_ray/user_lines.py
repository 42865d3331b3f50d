"""Lines for the user, from any process of a job: they reach the terminal of `rewardlab run` through the stage's log."""

import re

from rewardlab import redact

MARK = "rewardlab| "
SCORES = "scores "
"""begins the line with a step's numbers of its scores, as JSON, which nobody is shown"""
_CURSOR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def say(line: str) -> None:
    """Print a line for the user; secrets are hidden."""
    print(marked(redact(line)), flush=True)


def marked(text: str) -> str:
    """Return the text with the mark before every line."""
    return "\n".join(MARK + line for line in text.splitlines() or [""])


def plain(line: str) -> str:
    """Return the line without cursor movements and colours; of a line written over, its last state."""
    return _CURSOR.sub("", line.rstrip("\r").rpartition("\r")[2])
