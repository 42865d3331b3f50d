"""Read the verdict in a judge's reply: A, B, a tie, or none. Any text is allowed; nothing raises."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from rewardlab_answers import THOUGHT_MARK, official_box, thoughts_of, without_format_marks

from rewardlab_pairwise.prompts import LABELS
from rewardlab_pairwise.votes import is_tie, vote_of

Verdict = Literal["A", "B", "tie"]

REACH = 64
"""Characters before a box or a `</think>` that make a quotation if the reply and a shown text share them.
With fewer an answer could guess how a judge closes ("Therefore, response B is better.") and so void the vote."""
BEHIND = 16
"""Characters behind a box that suffice for a quotation: a vote comes last."""

# white space is taken whole (`\s*+`): a collapsed policy writes megabytes of it behind a brace
_FONT = r"\\(?:text(?:bf|it|rm|sf|tt)?|math(?:bf|it|rm|sf|tt)|boldsymbol)"
_NAMED = r"(?:[AB]|(?i:tie))"
_BOX = re.compile(
    rf"\\boxed\s*+\{{\s*+(?:\{{\s*+({_NAMED})\s*+\}}|{_FONT}\s*+\{{\s*+({_NAMED})\s*+\}}|({_NAMED}))\s*+\}}"
)
# a box that nothing closes: what follows a quotation may close it
_OPENED_BOX = re.compile(rf"\\boxed\s*+\{{\s*+(?:{_FONT}\s*+)?+\{{?+\s*+{_NAMED}")
_WORD = re.compile(r"\w")
_QUOTE_MARKS = " \t>"
_OPENINGS = tuple(f"BEGIN {label} " for label in LABELS.values())


def verdict(text: str, quoted: Iterable[str] = (), key: str = "") -> Verdict | None:
    r"""Return the last `\boxed{A}`, `\boxed{B}` or `\boxed{tie}` of `text` after its last quotation; None without one.

    `\boxed{{A}}`, `\boxed{\text{A}}` and `\boxed{\textbf{A}}` count, white space inside is ignored. quoted: the texts
    that the judge was shown. key: the key of the fences around them. The last box is the vote, unless a fence line or
    a whole text of some length is repeated behind it, or it is itself quoted, or only thought.

    A box is quoted if a repeated fence is still open, if a shown text occurs whole around it, or if it occurs in a
    shown text together with the `REACH` characters before it or the `BEHIND` behind it. White space at the ends of
    lines and `>` before them do not matter. A text that is nothing but a few boxes is not a quotation, since every
    short vote would be one. What directly follows the end of a shown text is the judge's own. If one box in a row of
    boxes cannot be distinguished from a vote after them, there is no verdict; but a shorter quotation with nothing
    behind it passes for a vote.

    Thoughts end with the last `</think>`, or another model's mark (`thoughts_of`), that is not quoted; a reply that
    begins with thoughts and does not end them has no verdict. If the box's sentence or line says something of who wins,
    that counts (`vote_of`, and of a tie `is_tie`). Marks of direction and joining
    count nowhere. Time is linear in the length of the texts.
    """
    text = without_format_marks(text)
    box = _last_box(text)
    if box is None:
        return None
    shown = list(map(without_format_marks, quoted))
    if any(_OPENED_BOX.search(quotation) or THOUGHT_MARK.search(quotation) for quotation in shown):
        text, shown = _plain(text), [_plain(quotation) for quotation in shown]
        box = _last_box(text)
        if box is None or any(_is_quoted(box, quotation) for quotation in shown):
            return None
    if _is_fenced(box, shown, key) or _is_thought(box, shown):
        return None
    if box[_letter(box)] not in ("A", "B"):
        return "tie" if is_tie(text, box) else None
    letter: Literal["A", "B"] = "A" if box[_letter(box)] == "A" else "B"
    return vote_of(text, box, letter, lambda name: any(_is_quoted(name, quotation) for quotation in shown))


def official_verdict(text: str) -> Verdict | None:
    r"""Return the verdict as SP3F's published code reads it: the last box must hold exactly A or B.

    So `\boxed{{A}}` and `\boxed{\text{A}}` are not verdicts there, and quotations are not recognised.
    Source: lintangsutawika/sp3f `ab306b4`, grpo.py, with yaeval-harness `013486c`, get_boxed_answer.
    """
    winner = official_box(text)
    return "A" if winner == "A" else "B" if winner == "B" else None


def _last_box(text: str) -> re.Match[str] | None:
    last = None
    for last in _BOX.finditer(text):  # noqa: B007
        pass
    return last


def _letter(box: re.Match[str]) -> int:
    """Return the number of the regex group that holds A, B or the tie."""
    assert box.lastindex is not None
    return box.lastindex


def _plain(text: str) -> str:
    """Return `text` without what a judge may change in lines that it quotes; empty lines stay."""
    return "\n".join(line.lstrip(_QUOTE_MARKS).rstrip() for line in text.splitlines()).strip()


def _is_quoted(box: re.Match[str], shown: str) -> bool:
    text, start, letter_end = box.string, box.start(), box.end(_letter(box))
    before, behind = _next_to(text, start, letter_end, BEHIND)
    if behind and behind in shown:
        return True
    if _follows_the_end(text[:start].rstrip(), shown):
        return False
    if before and before in shown:
        return True
    if not _OPENED_BOX.search(shown) or not _has_words(shown):
        return False
    return shown in text[max(0, start - len(shown) + 1) : box.end() + len(shown) - 1]


def _follows_the_end(text: str, shown: str) -> bool:
    """Return whether the judge has quoted `shown` to its end, so that what comes next is its own.

    That holds even if a text says the same twice. An end with a box does not count: it may be one of many alike.
    """
    end = shown[-REACH:]
    return bool(shown) and (text.endswith(shown) or (text.endswith(end) and not _OPENED_BOX.search(end)))


def _is_fenced(box: re.Match[str], shown: Iterable[str], key: str) -> bool:
    """Return whether the judge repeats a fence line or a whole text behind the box, or opens a fence before it."""
    ends = [quotation for quotation in shown if len(quotation) >= REACH]
    if any(box.string.find(end, box.end()) >= 0 for end in ([key, *ends] if key else ends)):
        return True
    last = box.string.rfind(key, 0, box.start()) if key else -1
    return last >= 0 and box.string[:last].endswith(_OPENINGS)


def _is_thought(box: re.Match[str], shown: Sequence[str]) -> bool:
    """Return whether the reply ends its thoughts only behind the box, or begins with thoughts and never ends them."""
    text, known = box.string, set[str]()
    if THOUGHT_MARK.search(text):
        for quotation in shown:
            if THOUGHT_MARK.search(quotation) and _has_words(quotation):
                text = text.replace(quotation, " " * len(quotation))
            known.update(words for end in thoughts_of(quotation).ends for words in _next_to(quotation, *end, REACH))
        known.discard("")
    thought = thoughts_of(text)
    own = [end for end in thought.ends if known.isdisjoint(_next_to(text, *end, REACH))]
    if not own:
        return thought.begin_it
    return own[-1][0] > box.start() or (thought.unfinished and own[-1] == thought.ends[-1])


def _has_words(text: str) -> bool:
    """Return whether a text is more than boxes and marks of thoughts."""
    return _WORD.search(THOUGHT_MARK.sub("", _OPENED_BOX.sub("", text))) is not None


def _next_to(text: str, start: int, end: int, behind: int) -> tuple[str, str]:
    """Return `text[start:end]` with `REACH` characters before it, and with `behind` after it; "" for lack of them."""
    with_before = text[start - REACH : end] if start >= REACH else ""
    with_behind = text[start : end + behind] if end + behind <= len(text) else ""
    return with_before, with_behind
