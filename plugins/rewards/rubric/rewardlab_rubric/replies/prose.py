"""The score in a reply without JSON: a line that says `Score: 4` and nothing else."""

import re
from collections.abc import Iterator, Sequence

from rewardlab_rubric.levels import canonical

_MARKUP = r"[\s*_`\"'#•]*+"
_LINE = re.compile(
    rf"\A[-+•]?{_MARKUP}(?:(?:my|the|final|overall) ){{0,3}}score{_MARKUP}"
    rf"(?:\((?:final|overall|[^()\n]{{0,12}}\d[^()\n]{{0,8}})\){_MARKUP})?"  # (1-5), and not (style)
    rf"[:=：]{_MARKUP}(?P<score>[^\s*_`].{{0,80}})\Z",
    re.IGNORECASE,
)
_LAYOUT = re.compile(r"[\s*_`\"'#]+")
MAX_LINE, MAX_LINES = 160, 32
"""characters of a line that is a score, and such lines of a reply; one with more gives none"""


def prose_score(text: str, begin: int, shown: Sequence[str]) -> tuple[str, int] | None:
    """Return (the score, its place) of the lines from `begin` on that are a score; None if they say several, or none.

    Args:
        shown: the texts that the judge was shown; a line of one of them counts only if it is the whole reply.
    """
    lines = list(_score_lines(text, begin))
    if len(lines) > MAX_LINES:
        return None
    whole, seen = text[begin:].strip(), [_bare(shown_text) for shown_text in shown] if lines else []
    own = [line for line in lines if line[0] == whole or not any(_bare(line[0]) in shown_text for shown_text in seen)]
    return own[-1][1:] if len({canonical(score) for _, score, _ in own}) == 1 else None


def _score_lines(text: str, begin: int) -> Iterator[tuple[str, str, int]]:
    """Yield (line, its score, the place of that) of each line that is a score."""
    place = begin
    for line in text[begin:].splitlines(keepends=True):
        match = _LINE.match(line.rstrip()) if len(line) <= MAX_LINE else None
        if match is not None:
            marks = "_`\"' " if line.count("*") % 2 else "*_`\"' "  # a lone one is a footnote's
            yield line.strip(), match["score"].rstrip(marks), place + match.start("score")
        place += len(line)


def _bare(text: str) -> str:
    """Return a text in one case, without what a judge may lay out otherwise when it repeats it."""
    return _LAYOUT.sub("", text.casefold())
