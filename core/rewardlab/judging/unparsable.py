"""A watch for replies that cannot be read: an unfit prompt, template or model shows in the first few of them."""

from rewardlab.types import Reply

FIRST_REPLIES = 50
MODEL_QUESTION = "is it the right model, with enough room (max_tokens) to finish?"
LOCAL_QUESTION = "is it a judge for this reward?"
"""what to look at, of a judge that is not a model"""
EXAMPLES, EXAMPLE_LENGTH = 3, 300


class UnparsableWatch:
    """A count of those among the first FIRST_REPLIES replies that the asker could not read.

    local: whether the judge makes no network call, and so is not a model.
    """

    def __init__(self, name: str, local: bool = False) -> None:
        self._name = name
        self._question = LOCAL_QUESTION if local else MODEL_QUESTION
        self._seen = 0
        self._unread: list[str] = []

    @property
    def is_over(self) -> bool:
        """Whether enough replies have been seen."""
        return self._seen >= FIRST_REPLIES

    def count(self, reply: Reply, ok: bool) -> str | None:
        """Count a reply; return a warning, once, when more than half of the watched replies are unreadable."""
        if self.is_over:
            return None
        self._seen += 1
        if ok:
            return None
        self._unread.append(_format_reply(reply))
        if len(self._unread) * 2 <= FIRST_REPLIES:
            return None
        examples = "\n".join(f"  {number}. {text}" for number, text in enumerate(self._unread[:EXAMPLES], 1))
        warning = (
            f"judge {self._name!r}: {len(self._unread)} of its first {self._seen} answers do not have the form that "
            f"was asked for; {self._question} Its answers:\n{examples}"
        )
        self._seen = FIRST_REPLIES
        return warning


def _format_reply(reply: Reply) -> str:
    """Return the end of a reply, where a verdict would be."""
    text = " ".join(reply.text.split())
    if not text and reply.fault is not None:
        return reply.fault
    if len(text) > EXAMPLE_LENGTH:
        text = "..." + text[-EXAMPLE_LENGTH:]
    return text + (" [cut at the token limit]" if reply.finish_reason == "length" else "")
