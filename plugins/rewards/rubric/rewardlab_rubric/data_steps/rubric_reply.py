"""Read a rubric from a reply: its JSON object, checked as a rubric of a recipe is."""

import json
from collections.abc import Iterator
from typing import Any

from rewardlab import Reply
from rewardlab_answers import without_thoughts

from rewardlab_rubric.data_steps.asking import UnusableReply
from rewardlab_rubric.levels import Kind
from rewardlab_rubric.rubrics import Rubric, known_variants

REPAIRED = 8_000
"""characters of a broken object that are repaired at most: repair is not linear in them"""
OBJECTS = 32
"""opening braces that are looked at, from the start"""
_DECODER = json.JSONDecoder(strict=False)


def read_rubric(reply: Reply, kind: Kind, levels: int) -> Rubric:
    """Return the rubric in a reply. Raises UnusableReply if it is cut off, is not a rubric, or has other levels.

    Args:
        levels: how many a scale has, from 1.
    """
    text = without_thoughts(reply.text).strip()
    if reply.cut_off:
        raise UnusableReply("cut off at the token limit", text[-60:])
    parsed = next(_objects(text), None)
    if parsed is None:
        raise UnusableReply("no JSON object with `scoring`", text)
    description = parsed.get("description")
    if not isinstance(description, str) or not description.strip():
        raise UnusableReply("a rubric without a description", text)
    try:
        (rubric,) = known_variants({"description": description, "scoring": parsed["scoring"]}, [kind])
    except ValueError as problem:
        raise UnusableReply("levels that are not a rubric's", str(problem)) from None
    if kind == "scale" and list(rubric.levels.texts) != [str(level) for level in range(1, levels + 1)]:
        raise UnusableReply(f"another scale than 1 to {levels}", ", ".join(rubric.levels.texts))
    return rubric


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects that may be a rubric: those that are whole, then the first one, repaired."""
    starts = [place for place, mark in enumerate(text) if mark == "{"][:OBJECTS]
    for start in starts:
        try:
            value, _ = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and "scoring" in value:
            yield value
    if starts and len(text) - starts[0] <= REPAIRED:
        value = _repaired(text[starts[0] :])
        if isinstance(value, dict) and "scoring" in value:
            yield value


def _repaired(text: str) -> Any:
    from json_repair import repair_json

    try:
        return repair_json(text, return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None
