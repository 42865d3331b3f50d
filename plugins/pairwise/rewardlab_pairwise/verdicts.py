"""What a judge's reply says: A, B, or nothing that can be read. Any text is allowed; nothing raises."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from rewardlab.boxes import official_box

Verdict = Literal["A", "B"]

_BOX = re.compile(r"\\boxed\s*\{\s*(?:\{\s*([AB])\s*\}|\\text\s*\{\s*([AB])\s*\}|([AB]))\s*\}")
_WORD = re.compile(r"\w")


def verdict(text: str, quoted: Iterable[str] = (), key: str = "") -> Verdict | None:
    r"""The last `\boxed{A}` or `\boxed{B}` of `text` after its last quotation; None where there is none.

    `\boxed{{A}}` and `\boxed{\text{A}}` count, white space inside is ignored. `quoted` are the texts that the
    judge was shown, `key` is what the fences around them carry. A quotation is a fence line that the judge
    repeated, or a shown text that occurs verbatim and holds such a box: that box is not the judge's word.
    A text that is nothing but boxes is no quotation, since every short vote would be one.
    """
    start = max(_quotation_ends(text, quoted, key), default=0)
    winners = [winner for boxed in _BOX.findall(text[start:]) for winner in boxed if winner]
    return winners[-1] if winners else None


def official_verdict(text: str) -> Verdict | None:
    r"""The verdict as SP3F's published code reads it: the last box must hold exactly A or B.

    So `\boxed{{A}}` and `\boxed{\text{A}}` are no verdict there, and quotations are not looked at.
    Source: lintangsutawika/sp3f `ab306b4`, grpo.py, with yaeval-harness `013486c`, get_boxed_answer.
    """
    winner = official_box(text)
    return winner if winner in ("A", "B") else None


def _quotation_ends(text: str, quoted: Iterable[str], key: str) -> Iterator[int]:
    if key:
        yield from _ends(text, key)
    for shown in quoted:
        needle = shown.strip()
        if _BOX.search(needle) and _WORD.search(_BOX.sub("", needle)):
            yield from _ends(text, needle)


def _ends(text: str, needle: str) -> Iterator[int]:
    # forwards: str.find is linear on hostile texts, str.rfind is not
    at = text.find(needle)
    while at >= 0:
        yield at + len(needle)
        at = text.find(needle, at + len(needle))
