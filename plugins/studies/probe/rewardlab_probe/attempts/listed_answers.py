"""Wrong answers made of a right one with several members: a list, a set, a pair, an interval, or fields of JSON."""

import json
import re
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from rewardlab_probe.corruptions import MAX_SHORT_LENGTH

_MARKS = re.compile(r"\s*(\\\{|[\[({]?)(.*?)(\\\}|[\])}]?)\s*", re.DOTALL)
_SIMPLE = re.compile(r"(?=.*\w)-?[\w./ %$€°'=-]{1,24}")
_GLUES = (
    r"\s*->\s*",
    r"\s*=>\s*",
    r"\s*→\s*",
    r"\s*[<>]\s*",
    r"\s*;\s*",
    r",\s*",
    r"\s+(?:and|or)\s+",
    r"\s*\|\s*",
    r"\s*\n\s*",
    r"\s+",
)
"""What stands between members, the surest first."""
MAX_MEMBERS, MAX_LISTED, MAX_FIELDS = 30, 1_000, 10
"""Members of a list and its characters; fields of JSON that are changed, each by itself."""


def other_members(answer: str, others: Sequence[str], prompt: str) -> dict[str, str]:
    """Return a list with members too few or too many, or in another order if the order counts.

    Whether it counts is seen from the answer and the prompt's own numbers, and not from what the prompt says.
    """
    opened, inner, closed = _unwrapped(answer)
    members, glue = _members(inner) if len(answer) <= MAX_LISTED else ([], "")
    if not _is_list(members, prompt, opened, glue):
        return {}
    every = [member for other in others for member in _members(_unwrapped(other)[1])[0]]
    extra = [member for member in dict.fromkeys(every) if member not in members][:MAX_MEMBERS]
    extra = extra or ["0" if members[0].lstrip("-").isdigit() else "other"]
    made = {"too_few": members[1:], "first_alone": members[:1], "first_again": [members[0]] * len(members)}
    made |= {"ends_alone": [members[0], members[-1]], "one_more": [*members, extra[0]]}
    made["everything"] = [*extra[:3], *members, *extra[3:]]
    if all(re.fullmatch(r"-?[\d.]+", member) for member in members):
        made["zeros"] = ["0"] * len(members)
    ordered = _ordered(members, prompt, opened, glue)
    if ordered:
        made |= {"reversed": members[::-1], "rotated": [*members[1:], members[0]]}
    made = {variant: changed for variant, changed in made.items() if ordered or {*changed} != {*members}}
    texts = {
        variant: f"{opened}{glue.join(changed)}{closed}"
        for variant, changed in made.items()
        if changed and not _same_line(changed, members)
    }
    if len(members) == 2 and (opened, closed) in (("[", ")"), ("(", "]")):
        texts["other_ends"] = f"{'(['[opened == '(']}{inner}{')]'[closed == ')']}"
    if len(members) == 2 and "interval" in prompt.casefold() and opened in ("[", "("):
        texts["closed" if opened == "(" else "open"] = f"[{inner}]" if opened == "(" else f"({inner})"
    return texts


def other_fields(answer: str, others: Sequence[str], known: str) -> dict[str, str]:
    """Return JSON with other values, without some, or with its keys alone: an object, or a list of objects.

    Args:
        known: what the row says beside its prompt. Changed are the short values that stand there, if any does:
            another explanation or confidence may still be right.
    """
    value = _json(answer)
    fields = value[0] if isinstance(value, list) and value else value
    if not isinstance(fields, dict):
        return {}
    short = [key for key, field in fields.items() if not isinstance(field, str) or len(field) <= MAX_SHORT_LENGTH]
    short = ([key for key in short if _text(fields[key]) in known] or short)[:MAX_FIELDS]
    if not short:
        return {}
    changed = {key: _other(field) if key in short else field for key, field in fields.items()}
    made: dict[str, Any] = {"other_values": changed, "no_fields": {}}
    for key in short:
        made[f"other_{key}"] = fields | {key: changed[key]}
        made[f"without_{key}"] = {name: field for name, field in fields.items() if name != key}
    if value is not fields:
        made = {variant: [made_value] * len(value) for variant, made_value in made.items()}
        made["first_alone"] = value[:1]
    strange = (
        data for other in others if isinstance(data := _json(other), type(value)) and _differs(data, value, short)
    )
    if (another := next(strange, None)) is not None:
        made["of_another"] = another
    kept = {variant: json.dumps(data, ensure_ascii=False) for variant, data in made.items() if data != value}
    if value is fields:
        kept["keys_again"] = f"{{{json.dumps(fields)[1:-1]}, {json.dumps(changed)[1:-1]}}}"
    return kept


def _differs(data: Any, value: Any, short: Sequence[str]) -> bool:
    """Return whether JSON has other short values; of lists, whether it is another one."""
    return any(data.get(key) != value[key] for key in short) if isinstance(data, dict) else data != value


def _unwrapped(answer: str) -> tuple[str, str, str]:
    """Return what opens a list, what is in it, and what closes it; of a text that is too long the beginning."""
    match = _MARKS.fullmatch(answer[:MAX_LISTED])
    assert match is not None, "it matches every text"
    return match[1], match[2], match[3]


def _members(inner: str) -> tuple[list[str], str]:
    """Return the members of a list, and what stands between them."""
    for glue in _GLUES:
        if match := re.search(glue, inner):
            return [member.strip() for member in re.split(glue, inner) if member.strip()], match[0]
    return [inner.strip()], ", "


def _is_list(members: Sequence[str], prompt: str, opened: str, glue: str) -> bool:
    """Return whether these are members, and not the parts of one name such as a town and its country."""
    if not 2 <= len(members) <= MAX_MEMBERS or not all(map(_SIMPLE.fullmatch, members)):
        return False
    if glue == "," and len(members) == 2 and not opened:
        return False  # a decimal comma
    numbers = all(member.lstrip("-").replace(".", "").isdigit() or len(member) == 1 for member in members)
    if not glue.strip() or glue.strip() in ("and", "or"):
        return numbers if not glue.strip() else True
    return bool(opened) or len(members) > 2 or numbers or all(member in prompt for member in members)


def _same_line(members: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether these are the members, or a vector in the same line: each number so many times as large."""
    if list(members) == list(others) or len(members) != len(others):
        return list(members) == list(others)
    try:
        pairs = [(float(number), float(other)) for number, other in zip(members, others, strict=True)]
    except ValueError:
        return False
    return (
        len(pairs) < 4 and any(a for a, _ in pairs) and all(a * d == b * c for (a, b), (c, d) in combinations(pairs, 2))
    )


def _ordered(members: Sequence[str], prompt: str, opened: str, glue: str) -> bool:
    """Return whether the order counts: by arrows, in round brackets, or if the prompt has just these in another one."""
    if glue.strip() in (">", "<", "->", "→", "=>"):
        return True
    given = re.findall(r"-?\d+(?:\.\d+)?", prompt)
    return (opened == "(" and len(members) <= 3) or (sorted(given) == sorted(members) and given != list(members))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _json(text: str) -> Any:
    try:
        value = json.loads(text)
        _other(value)
    except (ValueError, RecursionError):  # what is nested too deeply to be read may be too deep to be changed
        return None
    return value


def _other(value: Any) -> Any:
    """Return another value of the same type."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 7
        case str():
            return "other" if value != "other" else "another"
        case list():
            return [_other(inner) for inner in value] or ["other"]
        case dict():
            return {key: _other(inner) for key, inner in value.items()} or {"other": 1}
    return "other"
