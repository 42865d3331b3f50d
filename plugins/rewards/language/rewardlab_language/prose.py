"""Reduce a text to its prose: without formulas, code, boxes, addresses and markup."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from rewardlab_language.hidden import hidden_sentences
from rewardlab_language.loops import without_loops

_TAG = (
    r"</?[A-Za-z][\w:.-]*(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"<>]{0,200}\"|'[^'<>]{0,200}'|[^\s\"'<>]{1,200}))*\s*/?>"
    r"|<\|\w{1,40}\|>"
)
_MARKUP = re.compile(
    r"(?P<fence>```|~~~)|(?P<code>`)|(?P<display>\$\$)|(?P<dollar>\$(?=[^\s$]))"
    r"|\\(?:(?P<bracket>[(\[])"
    r"|begin\s*\{(?P<environment>[^{}\s]{1,40})\}"
    r"|(?P<box>f?box(?:ed)?\b)"
    r"|(?:label|(?:eq)?ref|cite|url|href|(?:text)?color|[hv]space|operatorname|math[a-z]+|end)\*?\s*\{[^{}]*\}"
    r"|[A-Za-z]+\*?|.)"
    rf"|{_TAG}|https?://[!-~]+|www\.[!-~]+"
)
_ADDRESS = re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}")
# Environments whose bodies are sentences; any other is a formula, a table, code or a drawing.
_SENTENCES_INSIDE = re.compile(
    r"document|abstract|itemize|enumerate|description|quot(e|ation)|center|flush(left|right)|theorem|lemma|proof"
    r"|proposition|corollary|definition|example|exercise|problem|solution|remark|note|step|answer"
)
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]+"
)
# Letters in disguise: mathematical bold and the like, full width, circled.
_DISGUISED = re.compile("[\u2100-\u214f\u2460-\u24ff\uff01-\uffef\U0001d400-\U0001d7ff\U0001f100-\U0001f189]+")
# words whose letters stand apart, eight letters or more; what divides the words is longer
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W\d_](?![^\W_])[ .·-]{0,3}){8,}+")
_BLANKS = re.compile(r"[ \t\n]{0,8}")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


class Prose(NamedTuple):
    """The prose of a text. hidden: the information of sentences in what was taken out, by script (hidden.py)."""

    text: str
    hidden: Counter[str]


def prose(text: str) -> Prose:
    r"""Return the text without formulas ($, $$, \(, \[, environments), boxes, code, addresses, tags and loops.

    Outside formulas a LaTeX command goes and its argument stays (`\textbf{so}` is read as "so"). A dollar
    sign opens a formula only if another one can close it: "$5 and $3" are prices. Anything opened and never closed
    stays. Time is linear in the length.
    """
    text = unicodedata.normalize("NFC", visible(text))
    text = _DISGUISED.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    text = _SPACED.sub(lambda match: re.sub(r"(?<=\w)[ .·-](?=\w)", "", match[0]), text)
    taken = []
    if "@" in text:
        taken += _ADDRESS.findall(text)
        text = _ADDRESS.sub(" ", text)
    closers = _Closers(text)
    kept, position = [], 0
    while match := _MARKUP.search(text, position):
        kept.append(text[position : match.start()])
        position = closers.end_of(match) or match.end()
        taken.append(text[match.start() : position])
    kept.append(text[position:])
    return Prose(without_loops(" ".join(kept)), hidden_sentences("\n".join(taken)))


def visible(text: str) -> str:
    """Return a text without invisible characters."""
    return _INVISIBLE.sub("", text)


class _Closers:
    """A search for the ends of opened parts of a text.

    It remembers closers that the text lacks, to search only once.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._absent: set[str] = set()
        self._braces: dict[int, int] | None = None

    def end_of(self, opener: re.Match) -> int | None:
        """Return the index after the closer; None if it is missing, or nothing was opened."""
        ends: dict[str, Callable[[re.Match], int | None]] = {
            "fence": lambda m: self._after(m[0], m.end()),
            "code": lambda m: self._in_paragraph("`", m.end()),
            "display": lambda m: self._after("$$", m.end()),
            "dollar": lambda m: self._dollar(m.end()),
            "bracket": lambda m: self._after("\\)" if m["bracket"] == "(" else "\\]", m.end()),
            "environment": lambda m: self._environment(m["environment"], m.end()),
            "box": lambda m: self._box(m.end()),
        }
        return ends[opener.lastgroup](opener) if opener.lastgroup else None

    def _after(self, closer: str, start: int) -> int | None:
        if closer in self._absent:
            return None
        at = self._text.find(closer, start)
        if at < 0:
            self._absent.add(closer)
            return None
        return at + len(closer)

    def _in_paragraph(self, closer: str, start: int) -> int | None:
        end = self._after(closer, start)
        return end if end is not None and "\n\n" not in self._text[start:end] else None

    def _dollar(self, start: int) -> int | None:
        end = self._in_paragraph("$", start)
        if end is None or self._text[end - 2] in " \t\n\\" or self._text[end : end + 1].isdigit():
            return None
        return end

    def _environment(self, name: str, start: int) -> int | None:
        if _SENTENCES_INSIDE.fullmatch(name.rstrip("*")):
            return None
        return self._after(f"\\end{{{name}}}", start)

    def _box(self, start: int) -> int | None:
        if self._braces is None:
            self._braces = _matching_braces(self._text)
        blanks = _BLANKS.match(self._text, start)
        closing = self._braces.get(blanks.end()) if blanks else None
        return None if closing is None else closing + 1


def _matching_braces(text: str) -> dict[int, int]:
    pairs, opened = {}, []
    for match in _BRACE.finditer(text):
        if match[0] == "{":
            opened.append(match.start())
        elif match[0] == "}" and opened:
            pairs[opened.pop()] = match.start()
    return pairs
