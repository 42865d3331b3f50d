"""Candidates of a translation: read them from replies, check what they kept, and choose the best."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from rewardlab.text import sections

from rewardlab_language.translation_prompt import fence_lines

LAYERS = 3
"""Layers that are unwrapped at most: a fence around a heading around a fence."""
_DIGITS = re.compile(r"\d+")
_BOX = re.compile(r"\\boxed\s*\{")


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A candidate of a translation.

    share: the share of its letters that are in the target language, in [0, 1], 0 without letters.
    whole: whether it has all numbers and boxes of the text that it translates.
    """

    text: str
    share: float
    whole: bool
    draw: int


def best(candidates: Iterable[Candidate], least_share: float) -> Candidate | None:
    """Return the candidate with the highest share, of those with at least `least_share`; None without any.

    Candidates that lost a number or a box come after all that are whole, whatever their shares: a problem with
    another number is another problem. Of equal candidates the one with the lowest draw is taken.
    """
    good = [candidate for candidate in candidates if candidate.share >= least_share]
    return max(good, key=lambda c: (c.whole, c.share, -c.draw), default=None)


def clean(reply: str, source: str, language: str) -> str:
    """Return the translation in a reply: without thoughts, code fence, heading, repeated fence lines and outer space.

    source: the text to translate. language: the English name of the target. A code fence is removed where it holds
    the whole reply, a heading ("Thai translation:") where it comes first.
    """
    text, heading, fences = sections.response(reply).strip(), _heading(source, language), fence_lines(source)
    for _ in range(LAYERS):
        text = _without_code_fence(heading.sub("", text, count=1).strip())
        for line in fences:
            text = text.removeprefix(line).removesuffix(line).strip()
    return text


def _without_code_fence(text: str) -> str:
    lines = text.split("\n")
    mark = text[:3]
    if mark not in ("```", "~~~") or len(lines) < 2 or lines[-1].strip() != mark:
        return text
    body = "\n".join(lines[1:-1])
    return text if mark in body or mark in lines[0][3:] else body.strip()


def _heading(source: str, language: str) -> re.Pattern[str]:
    """Return the pattern of a heading at the start of a reply.

    "Translation:" alone is one, unless the source itself begins with that word.
    """
    named = rf"(?:\w+ ){{0,4}}{re.escape(language.split()[-1])} (?:translation|version|text)"
    bare = "" if source.lstrip().lower().startswith("translation") else "|translation"
    return re.compile(rf"\A[*#_ \t]*(?:{named}{bare})[*_]*:[*_ \t]*", re.IGNORECASE)


def is_whole(translation: str, source: str) -> bool:
    """Return whether a translation has every number and every box of its source at least as often.

    Numbers are runs of digits, in the digits of any script: 3.5 is a 3 and a 5, whatever stands between.
    """
    boxes = len(_BOX.findall(translation)) >= len(_BOX.findall(source))
    return boxes and not _numbers(source) - _numbers(translation)


def _numbers(text: str) -> Counter[str]:
    return Counter("".join(str(unicodedata.decimal(digit)) for digit in run) for run in _DIGITS.findall(text))
