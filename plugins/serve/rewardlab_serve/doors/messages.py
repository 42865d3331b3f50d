"""Messages of trainers, as OpenAI's chat completions have them, and conversations that end in an answer.

Whatever is no text of the assistant's is nobody's answer: a picture, a thought, a tool's result or a part of a kind
that is not known make a body that is not understood.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from rewardlab_serve.bodies import Body
from rewardlab_serve.errors import bad_body


class TextPart(Body):
    """A part of a message's content that is text."""

    type: Literal["text", "input_text", "output_text"] | None = None
    text: str


Content = str | Annotated[list[TextPart], Field(min_length=1)]


class ChatMessage(Body):
    """A message of a chat."""

    role: str
    content: Content

    def plain(self) -> dict[str, str]:
        """Return the message with its content as one text."""
        return {"role": self.role, "content": text_of(self.content)}


def text_of(content: str | Sequence[TextPart]) -> str:
    """Return a content as one text."""
    return content if isinstance(content, str) else "".join(part.text for part in content)


def split_conversation(messages: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], str]:
    """Return (the messages before the last answer, its text). Raises a RequestError if the last is no answer."""
    if not messages or messages[-1]["role"] != "assistant":
        raise bad_body("the last message is the assistant's answer, and this one is not")
    return [*messages[:-1]], messages[-1]["content"]
