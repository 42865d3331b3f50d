r"""Reading the boxed answer of a response: `\boxed{...}`, or `\fbox{...}` as older solutions have it.

There are three readings. `last_box` finds what a reader of LaTeX sees, and `last_boxes` all the boxes of the last
answer: what it finds is a box for rewards. `official_box` finds what SP3F's published evaluation code (yaeval-harness
013486c) finds, oddities included. All take time linear in the text.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

MAX_LENGTH = 80
"""characters of the longest text that can only join"""

_GROUP = re.compile(r"\\(?:text\w*|math(?:rm|bf|it|sf)|mbox|hbox)\s*\{([^{}]*)\}")
_MARKUP = re.compile(r"\\[()\[\],;:!> ]|\\q?quad(?![A-Za-z])|[$&~*`]")
_NAME = re.compile(r"(?:\\?[A-Za-z]\w{0,7}(?:_\{\w{1,5}\})?\s*(?:\(\w\)\s*)?=\s*)?\Z")
_SPACED = """
and or und oder et ou y e o u dan atau na au и или та або i lub ve veya en of och eller a nebo și sau és vagy και ή
এবং ও বা অথবা আর और या तथा अथवा మరియు లేదా మరియు و أو או àti tàbí và hoặc at
"""
_UNSPACED = """
和 或者 或 与 與 以及 及 または および 및 と か 또는 혹은 그리고 와 과 이나 และ หรือ
"""
_DOUBT = r"(?:\s+(?:maybe|perhaps|possibly|else|also|alternatively|vielleicht|peut-être|quizás?|forse|talvez))?"
_WORDS = "|".join(sorted(map(re.escape, [*_SPACED.split(), *_UNSPACED.split(), "and/or"]), key=len, reverse=True))
_JOINER = re.compile(rf"(?P<mark>[,;،，、؛；/|])?\s*(?P<word>(?:{_WORDS}){_DOUBT})?[,，]?", re.IGNORECASE)


def only_joins(between: str) -> bool:
    r"""Return whether the text between two answers makes one of both: "and", ", ", `$ oder $x = $`, " 或 ", nothing.

    A comma, a word for "and" or "or" in one of some thirty languages, or only space joins; a new line needs a comma or
    a word, and any other text starts another statement. Mark-up, and a name before the second ("x ="), do not count.
    """
    if len(between) > MAX_LENGTH:
        return False
    bare = _MARKUP.sub(" ", _GROUP.sub(r" \1 ", between))
    bare = bare[: _NAME.search(bare).start()]  # type: ignore[union-attr]  # it matches the end at the latest
    joiner = _JOINER.fullmatch(bare.strip())
    return joiner is not None and bool(joiner["mark"] or joiner["word"] or "\n" not in between)


_TOKEN = re.compile(
    r"(?P<box>\\(?:boxed|fbox)\s*\{)"
    r"|\\\\(?!(?:boxed|fbox)\s*\{)"  # a line break in LaTeX: the brace that may follow it is a real one
    r"|\\[{}]"  # a printed brace groups nothing
    r"|(?P<open>\{)|(?P<close>\})"
)
_BRACE = re.compile(r"[{}]")
_BOX, _SPACED_BOX, _BRACED_BOX, _FRAME = r"\boxed", r"\boxed ", r"\boxed{", r"\fbox"


_BARE_BOX = re.compile(
    r"\\(?:boxed|fbox)[ \t]*(?P<content>[-+−]?\d(?:[\d.,/]*\d)?%?|(?<=[ \t])[A-Za-z](?=[ \t]*(?:[$.,;)\n]|\Z)))"
)


class _Span(NamedTuple):
    """The place of a box in a text: `content` is text[start:end], the whole of it text[begin:close]."""

    begin: int
    start: int
    end: int
    close: int


def last_box(text: str) -> str | None:
    r"""Return the content, verbatim, of the closed `\boxed{...}` that opens last; None if there is none.

    Space between `\boxed` and its brace is allowed, escaped braces do not count, and of nested boxes the
    inner one is taken. A box that is never closed is ignored, and so is a blank one beside another.
    """
    last = max(_written(text, _closed_boxes(text)), default=None)
    return None if last is None else text[last.start : last.end]


def last_boxes(text: str) -> list[str]:
    r"""Return the contents of the boxes that are the last answer, in order and each once; none if there is no box.

    They are the last box, and those before it from which only a word for "and" or "or", a comma or space parts it:
    `\boxed{1} or \boxed{-2}` is the answer "1 or -2". Of a box with others inside the whole content is taken, without
    their mark-up. A number or a letter behind `\boxed` without braces is a box, too.
    """
    boxes = _outermost(_written(text, [*_closed_boxes(text), *_bare_boxes(text)]))
    answer: list[str] = []
    for place in range(len(boxes) - 1, -1, -1):
        box = boxes[place]
        if place + 1 < len(boxes) and not only_joins(text[box.close : boxes[place + 1].begin]):
            break
        answer.append(_without_boxes(text[box.start : box.end]))
    return list(dict.fromkeys(reversed(answer)))


def _written(text: str, boxes: Iterable[_Span]) -> list[_Span]:
    r"""Return the boxes of a text without the blank ones, unless those behind the thoughts are all blank.

    "Put it into \boxed{}" takes no answer back.
    """
    every, response = list(boxes), text.rfind("</think>")
    written = [box for box in every if text[box.start : box.end].strip(" \t\n~$")]
    last = max(every, default=None)
    return every if not written or (last and max(written).begin < response < last.begin) else written


def _closed_boxes(text: str) -> Iterator[_Span]:
    starts = [start for start in (text.find(_BOX), text.find(_FRAME)) if start >= 0]
    opened: list[re.Match[str] | None] = []  # for each open group: the box that it is, if it is one
    for token in _TOKEN.finditer(text, min(starts)) if starts else ():
        if token["box"]:
            opened.append(token)
        elif token["open"]:
            opened.append(None)
        elif token["close"] and opened and (box := opened.pop()) is not None:
            yield _Span(box.start(), box.end(), token.start(), token.end())


def _bare_boxes(text: str) -> Iterator[_Span]:
    for box in _BARE_BOX.finditer(text):
        yield _Span(box.start(), *box.span("content"), box.end())


def _outermost(boxes: list[_Span]) -> list[_Span]:
    """Return the boxes that stand in no other one, in the order of the text."""
    spans: list[_Span] = []
    for box in sorted(boxes):
        if not spans or box.begin >= spans[-1].close:
            spans.append(box)
    return spans


def _without_boxes(content: str) -> str:
    """Return a box's content without the mark-up of boxes in it."""
    kept, at = [], 0
    inner = list(_closed_boxes(content))
    for left, right in sorted((part for box in inner for part in (box[:2], box[2:])), key=lambda part: part[0]):
        kept.append(content[at:left])
        at = right
    return "".join([*kept, content[at:]])


def official_box(text: str) -> str:
    r"""Return the answer as SP3F's published code reads it; the string "None" if it finds none.

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
