"""Cut a long text into pieces that a translator is asked about one by one, and join their translations."""

import re
from collections.abc import Iterator, Sequence

_PARAGRAPHS = re.compile(r"\n\s*\n")
_SENTENCES = re.compile(r"(?<=[.!?…؟।])\s+|(?<=[。！？])(?![。！？])\s*")
_WORDS = re.compile(r"\s+")

Cut = tuple[str, str]
"""A piece, and the white space between it and the next one."""


def cut(text: str, most: int) -> list[Cut]:
    """Return `text`, without the white space around it, in pieces of at most `most` characters.

    It is cut at blank lines if that suffices; a longer paragraph at the ends of its sentences, a longer sentence
    between words, a longer word anywhere. Pieces and white space together are the text. Takes time linear in the text.
    """
    pieces: list[Cut] = []
    piece, gap = "", ""
    for unit, after in _units(text, most, (_PARAGRAPHS, _SENTENCES, _WORDS)):
        if unit and piece and len(piece) + len(gap) + len(unit) > most:
            pieces.append((piece, gap))
            piece, gap = unit, after
        elif unit:
            piece, gap = piece + gap + unit, after
        else:  # two places to cut, side by side
            gap += after
    return [*pieces, (piece, gap)]


def most_pieces(length: int, most: int) -> int:
    """Return the most pieces that `cut` makes of `length` characters: any two neighbours together exceed `most`."""
    return 2 * (length // (most + 1)) + 1


def join(pieces: Sequence[Cut], translations: Sequence[str]) -> str:
    """Return the translations of the pieces, joined by the white space that stood between them."""
    last = len(pieces) - 1
    return "".join(
        translation + (gap or " ") * (number < last)
        for number, ((_, gap), translation) in enumerate(zip(pieces, translations, strict=True))
    )


def _units(text: str, most: int, kinds: Sequence[re.Pattern[str]]) -> Iterator[Cut]:
    """Yield the units that are not cut any further; a unit that is too long is cut at the next kind of place."""
    if not kinds:
        yield from ((text[start : start + most], "") for start in range(0, len(text), most))
        return
    start = 0
    for match in [*kinds[0].finditer(text), None]:
        unit, after = (text[start : match.start()], match[0]) if match else (text[start:], "")
        start = match.end() if match else start
        if len(unit) <= most:
            yield unit, after
        else:
            *smaller, (last, _) = _units(unit, most, kinds[1:])
            yield from smaller
            yield last, after
