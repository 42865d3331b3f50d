r"""Reading the boxed answer of a response: `\boxed{...}`.

There are two readings. `last_box` finds what a reader of LaTeX sees. `official_box` finds what SP3F's published
evaluation code (yaeval-harness 013486c) finds, oddities included. Both take time linear in the text.
"""

import re

_TOKEN = re.compile(
    r"(?P<box>\\boxed\s*\{)"
    r"|\\\\(?!boxed\s*\{)"  # a line break in LaTeX: the brace that may follow it is a real one
    r"|\\[{}]"  # a printed brace groups nothing
    r"|(?P<open>\{)|(?P<close>\})"
)
_BRACE = re.compile(r"[{}]")
_BOX, _SPACED_BOX, _BRACED_BOX, _FRAME = r"\boxed", r"\boxed ", r"\boxed{", r"\fbox"


def last_box(text: str) -> str | None:
    r"""Return the content, verbatim, of the closed `\boxed{...}` that opens last; None if there is none.

    Space between `\boxed` and its brace is allowed, escaped braces do not count, and of nested boxes the
    inner one is taken. A box that is never closed is ignored.
    """
    first = text.find(_BOX)
    if first < 0:
        return None
    opened: list[int | None] = []  # for each open group: where its content starts, or None if it is not a box
    last: tuple[int, int] | None = None
    for token in _TOKEN.finditer(text, first):
        if token["box"]:
            opened.append(token.end())
        elif token["open"]:
            opened.append(None)
        elif token["close"] and opened:
            start = opened.pop()
            if start is not None and (last is None or start > last[0]):
                last = (start, token.start())
    return None if last is None else text[slice(*last)]


def official_box(text: str) -> str:
    r"""Return what SP3F takes for the answer; the string "None" if it sees none.

    - `\boxed ` (with a space) anywhere wins: the text after the last one, up to the next `$`.
    - Else the last `\boxed`, or if there is no `\boxed` the last `\fbox`, up to the brace that brings the
      count of braces back to zero; "None" if that never happens, even if an earlier box is closed.
    - Of that, only what follows the last `\(` and precedes the first `\)` after it.
    - The wrapper is removed only if it is still whole: `\boxed `, or exactly `\boxed{` and the last `}`.
      `\fbox{9}` stays as it is.
    """
    kept = _official_region(text)
    if kept is None:
        return "None"
    kept = kept.rpartition(r"\(")[2].partition(r"\)")[0]
    if kept.startswith(_SPACED_BOX):
        return kept.removeprefix(_SPACED_BOX)
    if kept.startswith(_BRACED_BOX) and kept.endswith("}"):
        return kept[len(_BRACED_BOX) : -1]
    return kept


def _official_region(text: str) -> str | None:
    if _SPACED_BOX in text:
        return _SPACED_BOX + text.rpartition(_SPACED_BOX)[2].partition("$")[0]
    start = text.rfind(_BOX) if _BOX in text else text.rfind(_FRAME)
    end = _balanced_end(text, start) if start >= 0 else None
    return None if end is None else text[start:end]


def _balanced_end(text: str, start: int) -> int | None:
    """Return the end of the first closing brace after `start` by which every opened brace is closed; None if none."""
    depth = 0
    for brace in _BRACE.finditer(text, start):
        if brace.group() == "{":
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                return brace.end()
    return None
