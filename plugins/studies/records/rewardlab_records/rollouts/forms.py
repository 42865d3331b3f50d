"""The forms of what other tools wrote, checked: types as they are stated, and keys that we do not read left alone."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from rewardlab.data import without_media


class LoggedForm(BaseModel):
    """The part of a record that is read."""

    model_config = ConfigDict(strict=True, extra="ignore")


class ContentPart(LoggedForm):
    """A part of a message's content."""

    type: str
    text: str | None = None


Content = str | list[ContentPart] | None
TEXT_TYPES = ("text", "input_text", "output_text")


def content_text(content: Content, whole: Callable[[str], str] = str) -> str:
    """Return the text of a message; the model's reasoning is none of it. ValueError if it holds more than text.

    Args:
        whole: returns a part's text, if that stands elsewhere.
    """
    parts = [ContentPart(type="text", text=content)] if content is None or isinstance(content, str) else content
    if other := sorted({part.type for part in parts if part.type not in (*TEXT_TYPES, "reasoning")}):
        raise ValueError(f"a message has {', '.join(other)}, and not only text")
    texts = [part.text for part in parts if part.type != "reasoning"]
    if None in texts:
        raise ValueError("a message has no text")
    return "".join(whole(text) for text in texts if text is not None)


def asked_text(content: Content, whole: Callable[[str], str] = str) -> str:
    """Return the text of a message that the model was given, without the pictures in it, which no text reward reads."""
    if not isinstance(content, list):
        return content_text(content, whole)
    read = without_media([part.model_dump() for part in content])
    return content_text(read if isinstance(read, str) else [ContentPart(**part) for part in read], whole)


class LoggedMessage(LoggedForm):
    """A message of a conversation; what calls of tools there are, a row's own check reads."""

    role: str = "assistant"
    content: Content = None
    reasoning_content: str | None = None
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None
    name: str | None = None

    def is_empty(self) -> bool:
        """Return whether the model wrote nothing, or only calls of tools."""
        return self.content is None and ("content" in self.model_fields_set or bool(self.tool_calls))

    def plain(self) -> dict[str, str]:
        """Return the message as a prompt has it. ValueError if it holds more than text."""
        return {"role": self.role, "content": asked_text(self.content)}


OF_A_TURN = set(LoggedMessage.model_fields)


def completion_of(
    messages: Sequence[LoggedMessage],
    truncated: bool,
    token_count: int | None = None,
    whole: Callable[[str], str] = str,
) -> dict[str, Any]:
    """Return the messages behind a prompt as a row's completion: the text of one answer, or all of them.

    Args:
        whole: as in `content_text`. An answer that is null is an empty text.
    """
    texts = [content_text("" if message.is_empty() else message.content, whole) for message in messages]
    if len(messages) == 1 and not messages[0].tool_calls:
        completion: dict[str, Any] = {"text": texts[0], "truncated": truncated}
    else:
        each = zip(messages, texts, strict=True)
        turns = [message.model_dump(include=OF_A_TURN, exclude_none=True) | {"content": text} for message, text in each]
        completion = {"messages": turns, "truncated": truncated}
    return completion if token_count is None else completion | {"token_count": token_count}


def first_fault(error: ValidationError) -> str:
    """Return what is wrong with a record and where: for a value that could have two types, the closest match."""
    fault = max(error.errors(include_url=False, include_input=False), key=lambda fault: len(fault["loc"]))
    place = ".".join(str(part) for part in fault["loc"] if part != "str" and "[" not in str(part))
    return f"{place}: {'must be an object' if fault['type'] == 'model_type' else fault['msg']}"


def same(values: Iterable[Any]) -> bool:
    """Return whether all values are equal."""
    first, *others = values
    return all(value == first for value in others)
