"""Lines for the user, from any process of a job: they reach the terminal of `rewardlab run` through the stage's log."""

from rewardlab import redact

MARK = "rewardlab| "


def say(line: str) -> None:
    """Print a line for the user; secrets are hidden."""
    print(marked(redact(line)), flush=True)


def marked(text: str) -> str:
    """Return the text with the mark before every line."""
    return "\n".join(MARK + line for line in text.splitlines() or [""])
