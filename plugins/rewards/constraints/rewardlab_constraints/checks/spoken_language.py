"""The instruction about a response's language."""

from functools import lru_cache
from typing import Any

from rewardlab_constraints.arguments import text
from rewardlab_constraints.instruction_check import check
from rewardlab_constraints.judged_text import JudgedText

MOSTLY = 0.7
"""share of a text in a language, by letters weighed by what they say, from which on it is in it (language/fidelity)"""
_SCRIPTS = {
    "or": (0x0B00, 0x0B7F),
    "kn": (0x0C80, 0x0CFF),
    "ml": (0x0D00, 0x0D7F),
    "si": (0x0D80, 0x0DFF),
    "lo": (0x0E80, 0x0EFF),
    "km": (0x1780, 0x17FF),
}
"""languages without a model of their letters, which no other one is written in"""


def language(value: Any) -> str:
    """Return a language by its code or name, which must name one."""
    from rewardlab_language.detector_languages import undetected
    from rewardlab_language.languages import UnknownLanguage

    tag = text(value)
    try:
        undetected(tag)
    except UnknownLanguage:
        raise ValueError("the code or name of a language is needed") from None
    return tag


def undetectable(language: str) -> str | None:
    """Return why nothing tells a language; None if something does."""
    from rewardlab_language.detector_languages import undetected
    from rewardlab_language.languages import UnknownLanguage, resolve

    try:
        resolve(language)
    except UnknownLanguage as error:
        return None if undetected(language) & _SCRIPTS.keys() else str(error)
    return None


@check("language:response_language", unless=undetectable, language=language)
def response_language(answer: JudgedText, language: str) -> bool:
    """Return whether a text is in a language."""
    return is_in(answer.text, language)


@lru_cache(maxsize=1 << 12)
def is_in(text: str, tag: str) -> bool:
    """Return whether a text is in a language that something tells; a few words that may be in it are."""
    from rewardlab_language.detector_languages import undetected

    blocks = [_SCRIPTS[code] for code in undetected(tag) if code in _SCRIPTS]
    if not blocks:
        return (_meter(tag).measure(text.lower()).value or 0.0) >= MOSTLY
    letters = [ord(char) for char in text if char.isalpha()]
    low, high = blocks[0]
    return sum(low <= letter <= high for letter in letters) >= MOSTLY * max(1, len(letters))


@lru_cache(maxsize=1 << 7)
def _meter(tag: str) -> Any:
    from rewardlab_language.share import meter_of

    return meter_of(tag)
