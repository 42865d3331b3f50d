"""Rows made into samples: columns under our names, prompts and completions checked, ids.

A row becomes a raw sample; `remap` gives its columns the recipe's names and checks it. The samples of every
dataset go through the same `remap`. A mistake raises a ValueError that says what is wrong; the caller knows where.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rewardlab.data.conversations import ROLES, text_of, to_conversation, unknown_role, without_media
from rewardlab.data.jsonl import kind_of
from rewardlab.errors import nearest
from rewardlab.types import Completion, Group, Message, Sample

_ABSENT = object()
_STRUCTURE = ("id", "prompt", "completions")
_COMPLETION_KEYS = ("text", "messages", "token_count", "truncated", "seconds", "error")


def raw_sample(row: Mapping[str, Any], source: str = "") -> Sample:
    """Return a row as an unchecked sample: `id` and `prompt` in their places if readable, all else in `fields`."""
    columns = dict(row)
    identity, prompt = _take_column(columns, "id", to_id, ""), _take_column(columns, "prompt", to_messages, ())
    return Sample(id=identity, prompt=prompt, fields=columns, source=source)


def _take_column(columns: dict[str, Any], name: str, parse: Callable[[Any], Any], default: Any) -> Any:
    try:
        value = parse(columns[name]) if name in columns else default
    except ValueError:  # it stays a column: the mapping may name another one, and `remap` checks what is left
        return default
    columns.pop(name, None)
    return value


def remap(sample: Sample, fields: Mapping[str, str], answered: bool = False) -> Sample:
    """Return the sample with its columns under our names, checked.

    `fields` maps ours to theirs (`{"reference": "solution"}`), `id` and `prompt` included, all at once: two
    columns can be swapped. "a.b" is what the object in their column "a" has as "b". Our name takes the value of their
    column; a column of our own name counts only if theirs is absent. Their column stays too, unless it became the id,
    the prompt or the completions.
    As columns, a sample's id is a text, and a prompt of one user message is that message's text.
    answered: whether the prompt has its completions, so that it may hold pictures, which text rewards pass over.

    Raises ValueError if there is no prompt, or the id or prompt has the wrong type.
    """
    columns = _map_columns(columns_of(sample), fields)
    if "prompt" not in columns:
        raise ValueError(_describe_missing("prompt", fields, columns))
    prompt = (answered_prompt if answered else to_messages)(columns.pop("prompt"))
    identity = to_id(columns.pop("id")) if "id" in columns else ""
    return Sample(id=identity, prompt=prompt, fields=columns, source=sample.source)


def to_sample(row: Mapping[str, Any], fields: Mapping[str, str], source: str = "", answered: bool = False) -> Sample:
    """Return a row as a checked sample, its columns under our names as in `remap`."""
    return remap(raw_sample(row, source), fields, answered)


def to_group(row: Mapping[str, Any], fields: Mapping[str, str], source: str = "") -> Group:
    """Return a row that has completions as a group; `completions` is not a field of the group's sample.

    The prompt may hold pictures, which no text reward reads. Raises ValueError as `to_sample` does for other mistakes,
    and if completions are absent, empty or of the wrong type.
    """
    sample = to_sample(row, fields, source, answered=True)
    if "completions" not in sample.fields:
        raise ValueError(_describe_missing("completions", fields, sample.fields))
    columns = dict(sample.fields)
    completions = to_completions(columns.pop("completions"))
    return Group(sample=replace(sample, fields=columns), completions=completions)


def columns_of(sample: Sample) -> dict[str, Any]:
    """Return a sample as a row: its fields with, if it has them, its id (a text) and its prompt."""
    columns = dict(sample.fields)
    if sample.id != "":
        columns["id"] = sample.id
    if sample.prompt:
        columns["prompt"] = _as_column(sample.prompt)
    return columns


def _as_column(prompt: Any) -> Any:
    """Return a prompt as a row would hold it. A wrong value of a plugin is kept, so that the check can name it."""
    if not isinstance(prompt, (list, tuple)):
        return prompt
    first = prompt[0]
    if len(prompt) == 1 and isinstance(first, Mapping) and first.keys() == {"role", "content"}:
        return first["content"] if first["role"] == "user" else list(prompt)
    return list(prompt)


def _map_columns(columns: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    mapped = {field: _column(columns, column) for field, column in fields.items()}
    renamed = {field: value for field, value in mapped.items() if value is not _ABSENT}
    used = {fields[field] for field in _STRUCTURE if field in renamed} - {*_STRUCTURE}
    return {name: value for name, value in columns.items() if name not in used} | renamed


def _column(columns: Mapping[str, Any], name: str) -> Any:
    """Return the value of a column; of "a.b", if no column has that name, what the object in column "a" has as "b"."""
    if name in columns or "." not in name:
        return columns.get(name, _ABSENT)
    value: Any = columns
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return _ABSENT
        value = value[part]
    return value


def _describe_missing(field: str, fields: Mapping[str, str], columns: Mapping[str, Any]) -> str:
    wanted = " or ".join(repr(name) for name in dict.fromkeys([fields.get(field, field), field]))
    there = ", ".join(map(repr, list(columns)[:12])) + (", ..." if len(columns) > 12 else "")
    near = nearest(fields.get(field, field), columns) if len(columns) > 1 else ""
    near = near if "did you mean" in near else ""
    can_map = field in ("prompt", "completions") and field not in fields
    mapped = f"; map yours with `fields: {{{field}: <column>}}`" if can_map else ""
    return f"no {field}: there is no column {wanted}{near}; columns: {there or 'none'}{mapped}"


def to_id(value: Any) -> str:
    """Return an id, given as a text or a whole number, as text. Raises ValueError for anything else."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise ValueError(f"id must be a text or a whole number, not {kind_of(value)}")
    if value == "":
        raise ValueError("id is an empty text; leave it out to have one made")
    return str(value)


def to_messages(value: Any) -> tuple[Message, ...]:
    """Return a prompt as messages: a text is one user message. Raises ValueError if it is neither, or blank."""
    if isinstance(value, str) and not value.isspace() and value:
        return ({"role": "user", "content": value},)
    if isinstance(value, str):
        raise ValueError("prompt is empty")
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"prompt must be a text or a list of messages, not {kind_of(value)}")
    messages = tuple(_message(message, f"prompt[{index}]") for index, message in enumerate(value))
    if not any(message["content"].strip() for message in messages):
        raise ValueError("prompt is empty")
    return messages


def answered_prompt(value: Any) -> tuple[Message, ...]:
    """Return a prompt whose completions are there already: pictures are passed over, and what is null is absent."""
    if isinstance(value, (list, tuple)):
        value = [_answered(message, f"prompt[{index}]") for index, message in enumerate(value)]
    return to_messages(value)


def _answered(message: Any, place: str) -> Any:
    if not isinstance(message, Mapping):
        return message
    given = {key: value for key, value in message.items() if value is not None}
    if not isinstance(content := given.get("content"), list):
        return given
    return {**given, "content": text_of(without_media(content), f"{place}.content")}


def _message(value: Any, place: str) -> Message:
    if not isinstance(value, Mapping):
        raise ValueError(f"{place} must be a message with role and content, not {kind_of(value)}")
    for key in ("role", "content"):
        if not isinstance(value.get(key), str):
            kind = kind_of(value[key]) if key in value else "absent"
            raise ValueError(f"{place}.{key} must be a text; it is {kind}")
    if value["role"] not in ROLES:
        raise ValueError(unknown_role(value["role"], place))
    if len(value) > 2:
        extra = next(key for key in value if key not in ("role", "content"))
        raise ValueError(f"{place} has {extra!r}; a message has role and content, nothing else")
    return {"role": value["role"], "content": value["content"]}


def to_completions(value: Any) -> tuple[Completion, ...]:
    """Return completions, each of which is a text, a list of messages, or an object with one of them.

    As an object it is {"text" or "messages", "token_count", "truncated", "seconds", "error"}. Raises ValueError.
    """
    if not isinstance(value, list):
        raise ValueError(f"completions must be a list, not {kind_of(value)}")
    if not value:
        raise ValueError("completions is an empty list; at least one is needed")
    return tuple(
        [
            Completion(text=item) if isinstance(item, str) else _completion(item, f"completions[{index}]")
            for index, item in enumerate(value)
        ]
    )


def _completion(value: Any, place: str) -> Completion:
    if isinstance(value, list):
        return Completion.of(to_conversation(value, place))
    if not isinstance(value, Mapping):
        raise ValueError(f"{place} must be a text, a list of messages or an object with 'text', not {kind_of(value)}")
    for key in value:
        if key not in _COMPLETION_KEYS:
            raise ValueError(f"{place}: no key {key!r}{nearest(key, _COMPLETION_KEYS)}")
    text, count, cut = value.get("text"), value.get("token_count"), value.get("truncated", False)
    if count is not None and (type(count) is not int or count < 0):  # True is an int as well
        raise ValueError(f"{place}.token_count must be a whole number of 0 or more, or null, not {kind_of(count)}")
    if not isinstance(cut, bool):
        raise ValueError(f"{place}.truncated must be true or false, not {kind_of(cut)}")
    seconds, error = value.get("seconds"), value.get("error")
    if seconds is not None and (type(seconds) not in (int, float) or not 0 <= seconds < float("inf")):
        raise ValueError(f"{place}.seconds must be a number of 0 or more, or null, not {kind_of(seconds)}")
    if error is not None and not (isinstance(error, str) and error.strip()):
        raise ValueError(f"{place}.error must be a text that says why the rollout failed, or null")
    known: dict[str, Any] = {"token_count": count, "truncated": cut, "seconds": seconds, "error": error}
    if (messages := value.get("messages")) is None:
        text = "" if text is None and error else text
        if not isinstance(text, str):
            kind = kind_of(text) if "text" in value else "absent"
            raise ValueError(f"{place}.text must be a text; it is {kind}")
        return Completion(text=text, **known)
    if not isinstance(messages, list):
        raise ValueError(f"{place}.messages must be a list of messages, not {kind_of(messages)}")
    whole = Completion.of(to_conversation(messages, f"{place}.messages", error is None), **known)
    if text is not None and text != whole.text:
        raise ValueError(f"{place}.text is not the assistant's last answer in its messages; leave it out")
    return whole


def prompt_hash(prompt: Sequence[Message]) -> str:
    """Return the SHA-256 of the messages as canonical JSON, 64 hexadecimal digits."""
    messages = [{"role": message["role"], "content": message["content"]} for message in prompt]
    return hashlib.sha256(json.dumps(messages, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def sample_id(sample: Sample, occurrence: int) -> str:
    """Return the id for a sample that has none: `<prompt hash>-<occurrence>`.

    `occurrence` counts, from 0, the earlier samples without an id that have the same prompt.
    """
    return f"{prompt_hash(sample.prompt)}-{occurrence}"


class Identifier:
    """The ids of one dataset: missing ones are made, in order, and a repeated one is refused.

    Every id is remembered: about 200 bytes a sample.
    """

    def __init__(self) -> None:
        self._places: dict[str, str] = {}
        self._occurrences: Counter[str] = Counter()

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with an id. Raises ValueError that names the place where the same id was seen first."""
        if sample.id == "":
            digest = prompt_hash(sample.prompt)
            sample = replace(sample, id=sample_id(sample, self._occurrences[digest]))
            self._occurrences[digest] += 1
        if sample.id in self._places:
            raise ValueError(f"the id {sample.id!r} is already used by {self._places[sample.id]}")
        self._places[sample.id] = sample.source or f"sample {len(self._places) + 1}"
        return sample
