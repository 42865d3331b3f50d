"""The two texts that are compared: a part of the prediction, and the same part of the reference."""

import unicodedata
from typing import Any, Literal

from rewardlab import parts

Part = Literal["answer", "reasoning", "response"]
_READ = {"answer": parts.answer, "reasoning": parts.reasoning, "response": parts.response}


class NoReference(Exception):
    """The row has nothing to compare with: its data's fault, not the prediction's."""


def predicted(text: str, part: Part) -> str:
    """The prediction's part, stripped; empty where it is missing."""
    return (_READ[part](text) or "").strip()


def referred(value: Any, part: Part, field: str) -> str:
    """The reference's part, stripped; of a text without any of the tags all of it. Raises NoReference."""
    if not isinstance(value, str):
        raise NoReference(f"field {field!r} holds {type(value).__name__}, not a text")
    if not value.strip():
        raise NoReference(f"field {field!r} is empty")
    if not any(tag in value for tag in parts.TAGS):
        return value.strip()
    if found := predicted(value, part):
        return found
    raise NoReference(f"field {field!r} has tags but no {part}")


def same(prediction: str, reference: str) -> bool:
    """Equal but for case, white space, compatibility forms, the script of digits, and a full stop at the end."""
    return bool(_normal(reference)) and _normal(prediction) == _normal(reference)


def _normal(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    digits = "".join(str(unicodedata.decimal(letter, letter)) for letter in folded)
    return " ".join(digits.split()).rstrip(".。").rstrip()
