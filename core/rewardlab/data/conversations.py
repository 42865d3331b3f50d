"""Conversations that are completions, checked: what a model said, the tools that it called, and what they returned.

Messages are those of OpenAI's chat. Calls are also read as OpenAI's Responses, verifiers ({"name", "arguments"}) and
inspect_ai ({"function": name, "arguments"}) have them, so that a reward sees one form of them.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rewardlab.data.jsonl import kind_of
from rewardlab.errors import nearest
from rewardlab.types import Turn

ROLES = ("system", "developer", "user", "assistant", "tool")
_TEXTS = ("tool_call_id", "name", "reasoning_content")
_PARTS = ("text", "input_text", "output_text")
_REASONING = ("reasoning", "thinking")
_MEDIA = ("image", "video", "audio", "file", "document")
"""words in the type or the key of parts that text rewards pass over: image_url, input_audio, ..."""


def to_conversation(value: Sequence[Any], place: str, answered: bool = True) -> tuple[Turn, ...]:
    """Return the messages behind a prompt, each with `role`, `content` (a text) and what else a Turn has.

    What else a message holds is left out, as is what is null. Raises ValueError if one of them is none, or
    the assistant has none though it `answered`.
    """
    turns = tuple(_turn(message, f"{place}[{index}]") for index, message in enumerate(value))
    if answered and all(turn["role"] != "assistant" for turn in turns):
        raise ValueError(f"{place} has no assistant message, which is what a reward scores")
    return turns


def _turn(value: Any, place: str) -> Turn:
    if not isinstance(value, Mapping):
        raise ValueError(f"{place} must be a message with role and content, not {kind_of(value)}")
    given = {key: part for key, part in value.items() if part is not None}  # tables fill columns with null
    role, calls = given.get("role"), given.get("tool_calls", [])
    if not isinstance(role, str):
        raise ValueError(f"{place}.role must be a text; it is {kind_of(role)}")
    if role not in ROLES:
        raise ValueError(unknown_role(role, place))
    if not isinstance(calls, list) or (calls and role != "assistant"):
        raise ValueError(f"{place}.tool_calls must be a list, in an assistant message")
    empty = role == "assistant" and (bool(calls) or "content" in value)  # null is how servers write an empty answer
    content = given.get("content", "" if empty else None)
    content = content if role == "assistant" else without_media(content)
    turn: dict[str, Any] = {"role": role, "content": text_of(content, f"{place}.content")}
    if calls:
        turn["tool_calls"] = [_call(call, f"{place}.tool_calls[{index}]") for index, call in enumerate(calls)]
    for key in _TEXTS:
        if not isinstance(text := given.get(key, ""), str):
            raise ValueError(f"{place}.{key} must be a text; it is {kind_of(text)}")
        turn |= {key: text} if text else {}
    return turn


def unknown_role(role: str, place: str) -> str:
    """Return what is wrong with a message that has this role."""
    return f"{place}: no role {role!r}{nearest(role, ROLES)}"


def text_of(content: Any, place: str) -> str:
    """Return a message's text, its parts one behind the other as chat templates put them; reasoning is none of it."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list) or not all(isinstance(part, Mapping) for part in content):
        kind = "absent" if content is None else kind_of(content)
        raise ValueError(f"{place} must be a text or a list of parts; it is {kind}")
    parts = [part for part in content if part.get("type") not in _REASONING]
    for part in parts:
        if part.get("type") not in _PARTS or not isinstance(part.get("text"), str):
            raise ValueError(f"{place} has a part {str(part.get('type'))[:40]!r}; rewards read texts only")
    return "".join(part["text"] for part in parts)


def without_media(content: Any) -> Any:
    """Return what text rewards read of a message that the model was given: no pictures, sounds and files.

    A message that has nothing else names them: "[image]". Anything but a list of such parts and of texts stays.
    """
    if not isinstance(content, list) or not all(isinstance(part, Mapping) for part in content):
        return content
    kinds = [_medium(part) for part in content]
    texts = [part for part, kind in zip(content, kinds, strict=True) if kind is None]
    named = "".join(f"[{kind}]" for kind in kinds if kind is not None)
    return named if named and not any(str(part.get("text") or "").strip() for part in texts) else texts


def _medium(part: Mapping[str, Any]) -> str | None:
    names = [part["type"]] if isinstance(part.get("type"), str) else [str(key) for key in part]
    return next((medium for name in names for medium in _MEDIA if medium in name), None)


def _call(value: Any, place: str) -> Turn:
    whole = value if isinstance(value, Mapping) else {}
    function = whole.get("function", whole)
    function = {**whole, "name": function} if isinstance(function, str) else function
    name, arguments = (function.get(key) if isinstance(function, Mapping) else None for key in ("name", "arguments"))
    if not isinstance(name, str) or not isinstance(arguments, str | Mapping):
        wanted = '{"function": {"name": a text, "arguments": a text or an object}}'
        raise ValueError(f"{place} must be {wanted}")
    try:
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{place}.function.arguments is not JSON: {error}") from None
    identity = next((whole[key] for key in ("id", "call_id") if isinstance(whole.get(key), str)), None)
    call: dict[str, Any] = {"type": "function", "function": {"name": name, "arguments": text}}
    return call if identity is None else {"id": identity, **call}
