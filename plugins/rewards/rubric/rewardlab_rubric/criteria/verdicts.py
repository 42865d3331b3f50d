"""The verdicts on criteria in a reply: lines that begin with a tag. Any text is allowed; nothing raises."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rewardlab import Reply
from rewardlab_answers import without_thoughts

from rewardlab_rubric.levels import with_plain_digits

_LINE = r"^[\s>*`#|-]{0,8}TAG[\s:.#*`|)\]-]{0,4}([0-9]{1,4})\b(.*)$"
_VERDICT = re.compile(
    r"(?:\A|[|:=>\u2192\u2013\u2014]|\s-)[\s*_`\"']{0,4}(not met|unmet|met)[\W_]{0,6}\Z", re.IGNORECASE
)
LISTED = 10
"""numbers that a message lists"""


@dataclass(frozen=True)
class Verdicts:
    """What a reply says of each criterion, or why it cannot be used."""

    met: tuple[bool, ...] = ()
    fault: str | None = None


def read_verdicts(reply: Reply, tag: str, count: int) -> Verdicts:
    """Return the verdicts on criteria 1 to `count`.

    A reply counts whole or not at all: it is of no use if it was cut off, lacks a criterion, or says two things of one.
    Lines without the tag say nothing: they may be quotations of the response.
    """
    if reply.cut_off:
        return Verdicts(fault=reply.fault or "the reply was cut off")
    said: dict[int, set[bool]] = {}
    text = with_plain_digits(without_thoughts(reply.text))
    for number, rest in re.findall(_LINE.replace("TAG", re.escape(tag)), text, re.MULTILINE):
        verdict = _VERDICT.search(rest.strip())
        if verdict is not None:
            said.setdefault(int(number), set()).add(verdict[1].casefold() == "met")
    return _whole(said, count, reply)


def _whole(said: Mapping[int, set[bool]], count: int, reply: Reply) -> Verdicts:
    missing = [number for number in range(1, count + 1) if number not in said]
    if len(missing) == count:
        return Verdicts(fault=reply.fault or f"the reply has no verdict on any criterion, of {count}")
    if missing:
        return Verdicts(fault=f"the reply has no verdict on {_numbers(missing)} of {count} criteria")
    if twice := [number for number in range(1, count + 1) if len(said[number]) > 1]:
        return Verdicts(fault=f"the reply says met and not met of criterion {_numbers(twice)}")
    return Verdicts(met=tuple(said[number] == {True} for number in range(1, count + 1)))


def _numbers(numbers: list[int]) -> str:
    more = f" and {len(numbers) - LISTED} more" if len(numbers) > LISTED else ""
    return ", ".join(map(str, numbers[:LISTED])) + more
