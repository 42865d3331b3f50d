"""Answers that cannot be read: a prompt, a template or a model that does not fit shows in the first few."""

from rewardlab.types import Reply

FIRST = 50
EXAMPLES, EXAMPLE_LENGTH = 3, 300


class FormWatch:
    """Counts, among the first FIRST replies, those that whoever asked could not read."""

    def __init__(self, name: str):
        self._name = name
        self._seen = 0
        self._unread: list[str] = []

    def count(self, reply: Reply, ok: bool) -> str | None:
        """What to say of the judge, once more than half of the first replies are unreadable; then never again."""
        if self._seen >= FIRST:
            return None
        self._seen += 1
        if ok:
            return None
        self._unread.append(_shown(reply))
        if len(self._unread) * 2 <= FIRST:
            return None
        examples = "\n".join(f"  {number}. {text}" for number, text in enumerate(self._unread[:EXAMPLES], 1))
        told = (
            f"judge {self._name!r}: {len(self._unread)} of its first {self._seen} answers have not the form that was "
            f"asked for; is it the right model, with room enough (max_tokens) to finish? Its answers:\n{examples}"
        )
        self._seen = FIRST
        return told


def _shown(reply: Reply) -> str:
    """The end of a reply, where a verdict would be."""
    text = " ".join(reply.text.split())
    if not text:
        thought = " (but it thought)" if reply.reasoning else ""
        text = f"an empty text{thought}"
    elif len(text) > EXAMPLE_LENGTH:
        text = "..." + text[-EXAMPLE_LENGTH:]
    return text + (" [cut at the limit of tokens]" if reply.finish_reason == "length" else "")
