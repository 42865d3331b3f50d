"""Wrong answers made of a right one with several members: a list, a set, a pair, an interval, or fields of JSON."""

import re
from collections.abc import Sequence

from rewardlab_probe.attempts.near_answers import EDITS, edited
from rewardlab_probe.corruptions import MAX_SHORT_LENGTH
from rewardlab_probe.edits.answers import MEMBERS, members_of
from rewardlab_probe.edits.json_edits import PLACES, read_json, written

_SIMPLE = re.compile(r"(?=.*\w)-?[\w./ %$€°'=-]{1,24}")
_SIZES = ("without_first", "first_alone", "first_again", "ends_alone", "all_zero")
_ARROWS = (">", "<", "->", "→", "=>")
MAX_MEMBERS = 30


def other_members(answer: str, others: Sequence[str], prompt: str) -> dict[str, str]:
    """Return a list with members too few or too many, or in another order if the order counts.

    Whether it counts is seen from the answer and the prompt's own numbers, and not from what the prompt says.
    """
    opened, members, glues, closed = members_of(answer[:1_000])
    glue = glues[0] if glues else ""
    if not _is_list(members, prompt, opened, glue):
        return {}
    ordered = _ordered(members, prompt, opened, glue)
    changed = {name: [*MEMBERS[name](members)] for name in (*_SIZES, *(("reversed", "rotated") if ordered else ()))}
    every = dict.fromkeys(member for other in others for member in members_of(other[:1_000])[1])
    extra = [member for member in every if member not in members] or ["0" if members[0].isdigit() else "other"]
    changed |= {"one_more": [*members, extra[0]], "everything": [*extra[:3], *members, *extra[3:MAX_MEMBERS]]}
    made = {
        name: f"{opened}{glue.join(some)}{closed}"
        for name, some in changed.items()
        if some != members and (ordered or {*some} != {*members})
    }
    mixed = len(members) == 2 and (opened, closed) in (("[", ")"), ("(", "]"))
    return made | (edited(answer, ["other_ends"]) if mixed else {})


def other_fields(answer: str, others: Sequence[str], known: str) -> dict[str, str]:
    """Return JSON with other values, without some, or with its keys twice: an object, or a list of objects.

    Args:
        known: what the row says beside its prompt. Changed are the short values that stand there, if any does:
            another explanation or confidence may still be right.
    """
    value = read_json(answer)
    fields = value[0] if isinstance(value, list) and value else value
    if not isinstance(fields, dict):
        return {}
    keys = [*fields]
    short = [key for key in keys if not isinstance(fields[key], str) or len(fields[key]) <= MAX_SHORT_LENGTH]
    short = [key for key in short if written(fields[key]).strip('"') in known] or short
    if not short:
        return {}
    places = [keys.index(key) for key in short] if value is fields else range(len(value))
    names = ["json_others", "json_empty", "json_keys_again" if value is fields else "json_first_alone"]
    names += [f"json_{how}_{place}" for place in places if place < PLACES for how in ("other", "without")]
    made = {name.removeprefix("json_"): text for name in names if (text := EDITS[name](answer))}
    strange = (other for other in others if _differs(read_json(other), value, short))
    another = next(strange, None)
    return made | ({"of_another": another} if another else {})


def _differs(data: object, value: object, short: Sequence[str]) -> bool:
    """Return whether JSON of the same type has other short values; of lists, whether it is another one."""
    if isinstance(data, dict) and isinstance(value, dict):
        return any(data.get(key) != value[key] for key in short)
    return type(data) is type(value) and data != value


def _is_list(members: Sequence[str], prompt: str, opened: str, glue: str) -> bool:
    """Return whether these are members, and not the parts of one name such as a town and its country."""
    if not 2 <= len(members) <= MAX_MEMBERS or not all(map(_SIMPLE.fullmatch, members)):
        return False
    if glue == "," and len(members) == 2 and not opened:
        return False  # a decimal comma
    numbers = all(member.lstrip("-").replace(".", "").isdigit() or len(member) == 1 for member in members)
    if not glue.strip() or glue.strip() in ("and", "or"):
        return numbers or bool(glue.strip())
    return bool(opened) or len(members) > 2 or numbers or all(member in prompt for member in members)


def _ordered(members: Sequence[str], prompt: str, opened: str, glue: str) -> bool:
    """Return whether the order counts: by arrows, in round brackets, or if the prompt has just these in another one."""
    if glue.strip() in _ARROWS:
        return True
    given = re.findall(r"-?\d+(?:\.\d+)?", prompt)
    vector = opened == "(" and len(members) <= 3 and len({member.lstrip("-") for member in members}) > 1
    return vector or (sorted(given) == sorted(members) and given != list(members))
