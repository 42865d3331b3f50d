"""Read a critique: the reply's last JSON object that is the judge's own. Any text is allowed; nothing raises."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from rewardlab import Reply

from rewardlab_checklist.question import ANSWER, TRACE

REPAIRED = 20_000
"""characters of a broken object that are repaired at most: repair is not linear in them"""
BRACES = 200
"""opening braces and brackets that a repaired object has at most"""
OBJECTS = 32
"""objects of a reply that are looked at, from its end"""
_START = re.compile(rf"""\{{\s*+["']?(?:{TRACE}|{ANSWER})\b""")
_THOUGHT, _THOUGHT_END = "<think>", "</think>"
_DECODER = json.JSONDecoder(strict=False)


def read_critique(reply: Reply, sections: Iterable[str], shown: Iterable[str]) -> Mapping[str, Any] | None:
    """Return {section: what the judge says by dimension}; None where the reply has no such object.

    sections: those that must be there. shown: the texts that the judge was shown; an object that stands in one of them
    is a quotation. A reply that was cut off has no critique: its last object may be a draft.
    """
    if reply.finish_reason == "length":
        return None
    text = reply.text
    thinks = text.lstrip().startswith(_THOUGHT)
    behind = text.find(_THOUGHT_END) if thinks else 0
    if behind < 0:
        return None  # thoughts without an end
    thought_end = text.rfind(_THOUGHT_END)  # a critique may quote one, and then begins before it
    quoted = [_squeezed(one) for one in shown if "{" in one]
    wanted = tuple(sections)
    starts = [match.start() for match in _START.finditer(text, behind)][-OBJECTS:]
    found = None
    for start in starts:
        if start < behind:
            continue  # a part of the object before
        value, end = _decoded(text, start)
        if value is None:
            value, end = _repaired(text, start) if start == starts[-1] else (None, start + 1)
        behind = end
        if end > thought_end and _has(value, wanted) and not _is_quoted(text[start:end], quoted):
            found = value
    return found


def _has(value: Any, sections: Iterable[str]) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), dict) for name in sections)


def _decoded(text: str, start: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start + 1


def _repaired(text: str, start: int) -> tuple[Any, int]:
    part = text[start:]
    if len(part) > REPAIRED or part.count("{") + part.count("[") > BRACES:
        return None, start + 1
    from json_repair import repair_json

    try:
        return repair_json(part, return_objects=True, skip_json_loads=True), len(text)
    except (ValueError, RecursionError):
        return None, start + 1


def _is_quoted(part: str, shown: Iterable[str]) -> bool:
    squeezed = _squeezed(part)
    return any(squeezed in one for one in shown)


def _squeezed(text: str) -> str:
    return "".join(text.split())
