"""SP3F's language score, as its published code computes it (lintangsutawika/sp3f, sp3f/utils.py).

Its shortcomings are reproduced: nothing is taken out of the text, words count instead of letters, English has no rival
and passes in any Latin text, and what cannot be scored is 0. Only what no language has differs: text of more than 4,000
characters without a space is read in pieces of so many, since lingua takes the square of a word's length.
"""

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from rewardlab_language.languages import SCRIPTS, lingua_language
from rewardlab_language.share import LanguageShare

if TYPE_CHECKING:
    from lingua import LanguageDetector

MAX_WORD = 4000
_WORD = re.compile(r"\S+")


def after_thinking(text: str) -> str:
    """Return what follows the last `</think>`, if both tags occur; else the whole text."""
    return text.split("</think>")[-1] if "<think>" in text and "</think>" in text else text


def share(text: str, language: str) -> LanguageShare:
    """Return lingua's word count of the language's segments over that of all, by a detector of it and English.

    The share is 0 if nothing is detected. `language` is an ISO 639-1 code in lower case; any other value raises
    KeyError.
    """
    if language not in SCRIPTS:
        raise KeyError(f"the language detector lingua has no model of the language {language!r}")
    counts: Counter[str] = Counter()
    for segment in _detector(language).detect_multiple_languages_of(_in_pieces(after_thinking(text))):
        counts[segment.language.iso_code_639_1.name.lower()] += segment.word_count
    total = counts.total()
    main = max(counts, key=lambda code: (counts[code], code == language)) if total else None
    return LanguageShare(counts[language] / total if total else 0.0, main)


def _in_pieces(text: str) -> str:
    """Return a text without words of more than MAX_WORD characters, of which each is several."""
    if all(len(word) <= MAX_WORD for word in text.split()):
        return text
    return _WORD.sub(lambda match: " ".join(_pieces(match[0])), text)


def _pieces(word: str) -> list[str]:
    return [word[at : at + MAX_WORD] for at in range(0, len(word), MAX_WORD)]


@cache
def _detector(language: str) -> "LanguageDetector":
    """Return the detector of a language and English.

    Models load when a text first needs them; the published code loads all 75 pairs at the start.
    """
    from lingua import LanguageDetectorBuilder

    pair = dict.fromkeys([lingua_language(language), lingua_language("en")])
    return LanguageDetectorBuilder.from_languages(*pair).build()
