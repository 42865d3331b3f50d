"""A conversation as one text for rewards and judges that read all of it."""

from collections.abc import Iterator, Sequence

from rewardlab.text.quoting import fence, fence_key
from rewardlab.types import Turn


def transcript(messages: Sequence[Turn]) -> str:
    """Return each message between two lines that say whose it is, calls of tools and their results apart.

    A key in those lines hashes all that is said, so that nothing inside can pose as a message: neither a tool's result
    as the assistant's, nor the assistant's words as a result. The model's `reasoning_content` is left out.
    """
    parts = [part for message in messages for part in _parts(message)]
    key = fence_key({str(number): text for number, (_, text) in enumerate(parts)})
    return "\n".join(fence(label, text, key) for label, text in parts)


def _parts(message: Turn) -> Iterator[tuple[str, str]]:
    calls = message.get("tool_calls", ())
    if message["content"] or not calls:
        yield "TOOL RESULT" if message["role"] == "tool" else message["role"].upper(), message["content"]
    for call in calls:
        yield "TOOL CALL", f"{call['function']['name']} {call['function']['arguments']}"
