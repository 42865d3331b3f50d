"""SP3F's language score, as its published code computes it (lintangsutawika/sp3f, sp3f/utils.py).

Its shortcomings are reproduced: nothing is taken out of the text, words count instead of letters, English has no rival
and passes in any Latin text, and what cannot be scored is 0.
"""

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from rewardlab_language.languages import SCRIPTS, lingua_language
from rewardlab_language.share import Share

if TYPE_CHECKING:
    from lingua import LanguageDetector


def after_thinking(text: str) -> str:
    """Return what follows the last `</think>`, if both tags occur; else the whole text."""
    return text.split("</think>")[-1] if "<think>" in text and "</think>" in text else text


def share(text: str, language: str) -> Share:
    """Return lingua's word count of the language's segments over that of all, by a detector of it and English.

    The share is 0 if nothing is detected. `language` is an ISO 639-1 code in lower case; any other value raises
    KeyError.
    """
    if language not in SCRIPTS:
        raise KeyError(f"lingua has no model of the language {language!r}")
    counts: Counter[str] = Counter()
    for segment in _detector(language).detect_multiple_languages_of(after_thinking(text)):
        counts[segment.language.iso_code_639_1.name.lower()] += segment.word_count
    total = counts.total()
    main = max(counts, key=lambda code: (counts[code], code == language)) if total else None
    return Share(counts[language] / total if total else 0.0, main)


@cache
def _detector(language: str) -> "LanguageDetector":
    """Return the detector of a language and English.

    Models load when a text first needs them; the published code loads all 75 pairs at the start.
    """
    from lingua import LanguageDetectorBuilder

    pair = dict.fromkeys([lingua_language(language), lingua_language("en")])
    return LanguageDetectorBuilder.from_languages(*pair).build()
