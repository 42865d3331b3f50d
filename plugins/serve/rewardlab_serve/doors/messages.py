"""Texts in the requests of trainers: prompts with the answer behind them, and conversations."""

from collections.abc import Mapping, Sequence
from typing import Any

from rewardlab_serve.errors import bad_request


def entry(body: Any, name: str, kind: type[Any], door: str) -> Any:
    """Return a value of a request's object. Raises a RequestError if it is not there, or of another type."""
    if not isinstance(body, Mapping) or not isinstance(body.get(name), kind):
        raise bad_request(f"the door {door!r} reads an object whose {name!r} is {_WORDS[kind]}")
    return body[name]


_WORDS: Mapping[type[Any], str] = {str: "a text", list: "a list", dict: "an object"}


def split_conversation(messages: Sequence[Any]) -> tuple[list[dict[str, str]], str]:
    """Return (the messages before the last answer, its text). Raises a RequestError if the last is no answer.

    Both {"role", "content"} and Google's {"role": "model", "parts": [{"text"}]} are read.
    """
    read = [_message(one) for one in messages]
    if not read or read[-1]["role"] != "assistant":
        raise bad_request("the last message is the assistant's answer, and this one is not")
    return read[:-1], read[-1]["content"]


def _message(message: Any) -> dict[str, str]:
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise bad_request('a message is an object {"role", "content"}')
    role = "assistant" if message["role"] == "model" else message["role"]
    return {"role": role, "content": text_of(message.get("content", message.get("parts")))}


def text_of(content: Any) -> str:
    """Return the text of a message: a text, or the texts of its parts. Raises a RequestError for other parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(
        isinstance(one, Mapping) and isinstance(one.get("text"), str) for one in content
    ):
        return "".join(one["text"] for one in content)
    raise bad_request("a message has a text, or a list of parts with texts; rewards read texts only")
