"""A watch for a server that refuses every question for good, and not only those that are too long or not allowed."""

from dataclasses import replace

from rewardlab.types import Ask

MAX_IN_A_ROW = 8
"""refusals without an answer between them, after which a small question shows whether the server refuses all"""
SMALL = "Please reply with the single word: ready"


class RefusalWatch:
    """A count of the refusals since a server's last answer; replies that were kept say nothing of the server."""

    def __init__(self) -> None:
        self._in_a_row = 0

    def answered(self) -> None:
        """Note that the server answered a question."""
        self._in_a_row = 0

    def refused(self) -> bool:
        """Note that the server refused a question; return whether a small one should be asked now."""
        self._in_a_row += 1
        return self._in_a_row == MAX_IN_A_ROW


def small_question(ask: Ask) -> Ask:
    """Return a question in the form of another one (roles and parameters), of a few words."""
    return replace(ask, messages=[{**message, "content": SMALL} for message in ask.messages], parts={})
