"""Candidates of a translation: read them from replies, and choose the best."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rewardlab_answers import without_thoughts

from rewardlab_language.alterations import Alteration
from rewardlab_language.translation_prompt import fence_lines

LAYERS = 3
"""Layers that are unwrapped at most: a fence around a heading around a fence."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A candidate of a translation.

    Args:
        share: the share of its letters that are in the target language, in [0, 1], 0 without letters.
        altered: what it altered of the text that it translates.
    """

    text: str
    share: float
    draw: int
    altered: Sequence[Alteration] = ()


def best(candidates: Iterable[Candidate], least_share: float) -> Candidate | None:
    """Return the candidate with the highest share, of those with at least `least_share`; None without any.

    Candidates that altered something come after all that did not, whatever their shares: a problem with another number
    is another problem. Of equal candidates the one with the lowest draw is taken.
    """
    good = [candidate for candidate in candidates if candidate.share >= least_share]
    return max(good, key=lambda c: (not c.altered, c.share, -c.draw), default=None)


def clean(reply: str, source: str, language: str) -> str:
    """Return the translation in a reply: without thoughts, code fence, heading, repeated fence lines and outer space.

    Args:
        source: the text to translate.
        language: the English name of the target. A code fence is removed if it holds the whole reply, a heading
            ("Thai translation:") if it comes first.
    """
    text, heading, fences = without_thoughts(reply).strip(), _heading(source, language), fence_lines(source)
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
