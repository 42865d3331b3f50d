"""Messages of trainers, as OpenAI's chat completions have them, and conversations that end in an answer.

Whatever is no text of the assistant's is nobody's answer: a picture, a thought, a tool's result or a part of a kind
that is not known make a body that is not understood.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from rewardlab_serve.bodies import Body
from rewardlab_serve.errors import bad_body


class TextPart(Body):
    """A part of a message's content that is text."""

    type: Literal["text", "input_text", "output_text"] | None = None
    text: str


Content = str | Annotated[list[TextPart], Field(min_length=1)]


class ChatMessage(Body):
    """A message of a chat. Of those that call tools, some say nothing."""

    role: str
    content: Content | None = None
    tool_calls: list[Any] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "ChatMessage":
        if self.content is None and not self.tool_calls:
            raise ValueError("content: a message without tool_calls has one")
        return self

    def plain(self) -> dict[str, str | None]:
        """Return the message with its content as one text; None if it only calls tools."""
        if self.content is None or isinstance(self.content, str):
            return {"role": self.role, "content": self.content}
        return {"role": self.role, "content": "".join(part.text for part in self.content)}


def split_conversation(messages: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], str]:
    """Return (the messages before the last answer, its text). Raises a RequestError if the last is no answer."""
    if not messages or messages[-1]["role"] != "assistant" or messages[-1]["content"] is None:
        raise bad_body("the last message is the assistant's answer, and this one is not")
    return messages_of_prompt(messages[:-1]), messages[-1]["content"]


def messages_of_prompt(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages of a prompt; one that only calls tools says nothing."""
    return [{**message, "content": message["content"] or ""} for message in messages]
