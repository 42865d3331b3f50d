"""The forms of what other tools wrote, checked: types as they are stated, and keys that we do not read left alone."""

from collections.abc import Callable, Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError


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

    whole: returns a part's text, if that stands elsewhere.
    """
    parts = [ContentPart(type="text", text=content)] if content is None or isinstance(content, str) else content
    if other := sorted({part.type for part in parts if part.type not in (*TEXT_TYPES, "reasoning")}):
        raise ValueError(f"a message has {', '.join(other)}, and not only text")
    texts = [part.text for part in parts if part.type != "reasoning"]
    if None in texts:
        raise ValueError("a message has no text")
    return "\n".join(whole(text) for text in texts if text is not None)


class LoggedMessage(LoggedForm):
    """A message of a conversation."""

    role: str = "assistant"
    content: Content = None

    def plain(self) -> dict[str, str]:
        """Return the message as a prompt has it. ValueError if it holds more than text."""
        return {"role": self.role, "content": content_text(self.content)}


def first_fault(error: ValidationError) -> str:
    """Return what is wrong with a record and where: for a value that could have two types, the closest match."""
    found = max(error.errors(include_url=False, include_input=False), key=lambda one: len(one["loc"]))
    place = ".".join(str(part) for part in found["loc"] if part != "str" and "[" not in str(part))
    return f"{place}: {'must be an object' if found['type'] == 'model_type' else found['msg']}"


def same(values: Iterable[Any]) -> bool:
    """Return whether all values are equal."""
    first, *others = values
    return all(one == first for one in others)
