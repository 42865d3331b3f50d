"""Candidates of a translation: what a reply says, what it kept, and which candidate is the best."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from rewardlab.parts import response

from rewardlab_language.translation_prompt import fence_lines

LAYERS = 3
"""A fence around a heading around a fence: deeper than that nothing is unwrapped."""
_DIGITS = re.compile(r"\d+")
_BOX = re.compile(r"\\boxed\s*\{")


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One translation. share: of its letters that are in the target language, in [0, 1], 0 without letters.

    whole: it has all numbers and boxes of the text that it translates.
    """

    text: str
    share: float
    whole: bool
    draw: int


def best(candidates: Iterable[Candidate], least_share: float) -> Candidate | None:
    """The candidate with the highest share, of those with at least `least_share`; None where there is none.

    Those that lost a number or a box come after all that are whole, whatever their shares: a problem with
    another number is another problem. Of equals the lowest draw is taken.
    """
    good = [candidate for candidate in candidates if candidate.share >= least_share]
    return max(good, key=lambda c: (c.whole, c.share, -c.draw), default=None)


def cleaned(reply: str, source: str, language: str) -> str:
    """The translation in a reply: without thoughts, code fence, heading, quoted fence lines, outer space.

    `source` is the text that was to be translated, `language` the English name of the target. A code fence
    goes where it holds the whole reply, a heading ("Thai translation:") where it comes first.
    """
    text, heading, quotes = response(reply).strip(), _heading(source, language), fence_lines(source)
    for _ in range(LAYERS):
        text = _unfenced(heading.sub("", text, count=1).strip())
        for line in quotes:
            text = text.removeprefix(line).removesuffix(line).strip()
    return text


def _unfenced(text: str) -> str:
    lines = text.split("\n")
    mark = text[:3]
    if mark not in ("```", "~~~") or len(lines) < 2 or lines[-1].strip() != mark:
        return text
    body = "\n".join(lines[1:-1])
    return text if mark in body or mark in lines[0][3:] else body.strip()


def _heading(source: str, language: str) -> re.Pattern[str]:
    """A heading that the reply starts with. "Translation:" alone is one, unless the text itself has it."""
    named = rf"(?:\w+ ){{0,4}}{re.escape(language.split()[-1])} (?:translation|version|text)"
    bare = "" if source.lstrip().lower().startswith("translation") else "|translation"
    return re.compile(rf"\A[*#_ \t]*(?:{named}{bare})[*_]*:[*_ \t]*", re.IGNORECASE)


def is_whole(translation: str, source: str) -> bool:
    """Whether a translation has every number and every box of its source at least as often.

    Numbers are runs of digits, in the digits of any script: 3.5 is a 3 and a 5, whatever stands between.
    """
    boxes = len(_BOX.findall(translation)) >= len(_BOX.findall(source))
    return boxes and not _numbers(source) - _numbers(translation)


def _numbers(text: str) -> Counter[str]:
    return Counter("".join(str(unicodedata.decimal(digit)) for digit in run) for run in _DIGITS.findall(text))
