"""The question for a critique: the work in fences, the checklists it is examined by, and the form of the reply."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rewardlab import Ask, Message, Sample
from rewardlab.text import fence, fence_key

from rewardlab_checklist import critique_prompt
from rewardlab_checklist.checklist import Checklist, Dimension

TRACE, ANSWER = "reasoning", "answer"
"""the parts of a critique, as its JSON has them"""
HEADINGS = {TRACE: "REASONING", ANSWER: "ANSWER"}


@dataclass(frozen=True, kw_only=True)
class Work:
    """The parts of a completion to examine, each with its checklist."""

    query: str
    texts: Mapping[str, str]
    lists: Mapping[str, Checklist]


def query_of(sample: Sample) -> str:
    """Return the question without system messages; with roles if the conversation has several turns."""
    turns = [message for message in sample.prompt if message["role"] != "system"]
    if len(turns) == 1:
        return turns[0]["content"]
    return "\n\n".join(f"{turn['role']}: {turn['content']}" for turn in turns)


def question(work: Work, structured: bool, template: str | None = None) -> Ask:
    """Return the question about a work; equal works give equal questions. template: a file in place of the packaged."""
    parts = {"query": work.query, **work.texts}
    key = fence_key(parts)
    messages: list[Message] = critique_prompt.load(template).messages(
        {
            "query": fence("QUESTION", work.query, key),
            "work": "\n\n".join(fence(HEADINGS[part], text, key) for part, text in work.texts.items()),
            "checklists": "\n\n".join(_listed(part, checklist) for part, checklist in work.lists.items()),
            "format": json.dumps(_form(work.lists), indent=2, ensure_ascii=False),
            "key": key,
        }
    )
    params = {"response_format": _schema(work.lists)} if structured else {}
    return Ask(messages=messages, parts=parts, params=params)


def _listed(part: str, checklist: Checklist) -> str:
    lines = [f"{HEADINGS[part]}:"]
    lines += [f"- {dimension.name}: {dimension.asks} ({_scale(dimension)})" for dimension in checklist.dimensions]
    return "\n".join(lines)


def _scale(dimension: Dimension) -> str:
    if dimension.recognises:
        return f"one of {', '.join(dimension.recognises)}"
    return "a number from 0 to 1" if dimension.continuous else f"score one of {', '.join(dimension.labels)}"


def _form(lists: Mapping[str, Checklist]) -> dict[str, Any]:
    return {
        part: {
            dimension.name: _scale(dimension)
            if dimension.recognises
            else {"evidence": ["quotation"], "why": "a sentence", "score": _scale(dimension)}
            for dimension in checklist.dimensions
        }
        for part, checklist in lists.items()
    }


def _schema(lists: Mapping[str, Checklist]) -> dict[str, Any]:
    """Return the `response_format` of servers with structured outputs."""
    sections = {
        part: _object({dimension.name: _value(dimension) for dimension in made.dimensions})
        for part, made in lists.items()
    }
    return {"type": "json_schema", "json_schema": {"name": "critique", "schema": _object(sections)}}


def _value(dimension: Dimension) -> dict[str, Any]:
    if dimension.recognises:
        return {"type": "string", "enum": list(dimension.recognises)}
    score: dict[str, Any] = {"type": "string", "enum": list(dimension.labels)}
    if dimension.continuous:
        score = {"type": "number", "minimum": 0, "maximum": 1}
    return _object(
        {"evidence": {"type": "array", "items": {"type": "string"}}, "why": {"type": "string"}, "score": score}
    )


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
