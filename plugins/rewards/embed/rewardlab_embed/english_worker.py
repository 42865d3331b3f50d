"""A process that detects whether a text is already in English. It is run by path and imports no rewardlab.

The answer to a question {"text", "language"} (the row's language: a code, a tag or an English name; null if unknown) is
{"english": bool, "language": the English name of the text's language, null if it is not known}. For a text without
words it is {"english": null}: there is nothing to translate.
"""

import re
import unicodedata
from functools import cache

from lingua import Language, LanguageDetector, LanguageDetectorBuilder

EXAMINED, WINDOW = 12_000, 600
"""characters of a text that are examined, and of the windows that spread evenly over a longer one"""
MIN_TO_NAME = 100
"""characters that a text needs for a detected language to be named"""
OTHER_SCRIPT = 1 / 3
"""a text with this share of its letters, or more, in other scripts than Latin is not in English"""
_NOT_PROSE = re.compile(  # the length of each body is bounded, so that openers without closers cost little
    r"```.{0,400}?(?:```|\Z)|`[^`\n]{1,400}`|\$\$.{0,400}?\$\$|\$[^$\n]{1,400}\$|\\\(.{0,400}?\\\)|\\\[.{0,400}?\\\]"
    r"|\\[A-Za-z]{1,40}(?:\{[^{}]{0,80}\}){0,3}|</?[A-Za-z][^<>\n]{0,80}>|https?://\S{1,400}",
    re.DOTALL,
)
_NAMES = {"BOKMAL": "Norwegian", "NYNORSK": "Norwegian"}
_OTHER_TAGS = {"no": "nb", "nor": "nb", "norwegian": "nb", "fil": "tl", "filipino": "tl", "cmn": "zh", "mandarin": "zh"}
_OTHER_TAGS |= {"arb": "ar", "pes": "fa", "farsi": "fa", "swh": "sw", "kiswahili": "sw", "bangla": "bn", "zsm": "ms"}


def build(_settings: dict, _context: dict) -> "EnglishDetector":
    """Return the object that answers the host's questions."""
    return EnglishDetector()


class EnglishDetector:
    """A detector that distinguishes English from the row's language.

    It distinguishes it from all others if that language is unknown or English, or if it has other letters: a text of
    Latin letters is then English or a transliteration.
    """

    def answer(self, questions: list[dict]) -> list[dict]:
        """Return one answer for each question, in order."""
        return [self._answer(question["text"], _language(question["language"])) for question in questions]

    def _answer(self, text: str, expected: Language | None) -> dict:
        words = _words(text)
        if not words:
            return {"english": None, "language": None}
        other = expected if expected != Language.ENGLISH else None
        if _share_of_other_scripts(words) >= OTHER_SCRIPT:
            return {"english": False, "language": _name(other)}
        detected = _detector(other if other in Language.all_with_latin_script() else None).detect_language_of(words)
        language = other or (detected if len(words) >= MIN_TO_NAME else None)
        return {"english": detected == Language.ENGLISH, "language": _name(language)}


def _words(text: str) -> str:
    """Return the words of the text, without formulas, code, tags and digits; of a long text those of its windows."""
    if len(text) > EXAMINED:
        count = EXAMINED // WINDOW
        starts = (number * (len(text) - WINDOW) // (count - 1) for number in range(count))
        text = "\n".join(text[start : start + WINDOW] for start in starts)
    text = _NOT_PROSE.sub(" ", text)
    text = "".join(c for c in text if unicodedata.category(c) != "Cf")  # invisible
    letters = "".join(c if unicodedata.category(c)[0] in "LM" or c in "'’" else " " for c in text)
    # a single Latin letter is a variable
    return " ".join(word for word in letters.split() if len(word) > 1 or not word.isascii() or word in "aAI")


def _share_of_other_scripts(words: str) -> float:
    letters = [c for c in words if c.isalpha()]
    return sum(not unicodedata.name(c, "").startswith("LATIN") for c in letters) / max(1, len(letters))


@cache
def _detector(other: Language | None) -> LanguageDetector:
    if other is not None:
        return LanguageDetectorBuilder.from_languages(Language.ENGLISH, other).build()
    return LanguageDetectorBuilder.from_all_languages_with_latin_script().with_low_accuracy_mode().build()


@cache
def _language(tag: str | None) -> Language | None:
    """Return lingua's language for a tag such as "id", "zh-cn", "ind_Latn" or "Indonesian"; None for an unknown one."""
    if not isinstance(tag, str):
        return None
    name = re.split(r"[-_(]", tag.strip().lower())[0].strip()
    name = _OTHER_TAGS.get(name, name)
    for language in Language.all():
        codes = (language.iso_code_639_1.name, language.iso_code_639_3.name, language.name)
        if name in map(str.lower, codes):
            return language
    return None


def _name(language: Language | None) -> str | None:
    return None if language is None else _NAMES.get(language.name, language.name.title())
