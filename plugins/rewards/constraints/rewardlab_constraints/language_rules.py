"""Languages: what words, sentences, letters and capitals are in each, read from languages/CODE.toml.

Of a language without a file only its script is known, and nothing of its alphabet.
"""

import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Literal

from rewardlab_answers import named_language
from rewardlab_language.languages import SCRIPTS, UnknownLanguage, resolve

_WITH_CAPITALS = ("Latn", "Cyrl", "Grek", "Armn")
_WITHOUT_SPACES = ("lo", "km", "my", "bo", "dz")


@dataclass(frozen=True, eq=False)  # one object a language, by which patterns are kept
class LanguageRules:
    """A language as instructions see it.

    Args:
        words: spaced: words stand between spaces. characters: a word is a character, as people count in Chinese and
            Japanese. unmarked: nothing parts words.
        sentences: whether a mark ends a sentence.
        latin: whether it is written in Latin letters.
        alphabet: the letters in order, as a word can begin with them; empty if words have no first letter of one.
        vowels: the letters that are vowels; empty if the script leaves vowels out, or is none of letters.
        syllables: vowels: one for each group of vowels. blocks: one for each Hangul block. none: nobody can count.
        lists: stop_words, conjunctions, pronouns, abbreviations, verbs: name -> words in small letters.
    """

    code: str
    name: str
    words: Literal["spaced", "characters", "unmarked"] = "spaced"
    sentences: bool = True
    capitals: bool = True
    latin: bool = True
    alphabet: str = ""
    vowels: str = ""
    syllables: Literal["vowels", "blocks", "none"] = "none"
    lists: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def lacks(self, need: str) -> str | None:
        """Return why an instruction with this need has no meaning in the language; None if it has one.

        A need is one of those below, or the name of a list.
        """
        if need in ("stop_words", "conjunctions", "pronouns", "verbs"):
            return None if need in self.lists else f"no list of {need.replace('_', ' ')} in {self.name}"
        if need == "detected":
            return self._undetected
        return {
            "words": None if self.words == "spaced" else f"{self.name} puts no spaces between words",
            "sentences": None if self.sentences else f"no mark ends a sentence in {self.name}",
            "latin": None if self.latin else f"{self.name} writes the names of the list in its own letters",
            "capitals": None if self.capitals else f"{self.name} has no capital letters",
            "alphabet": None if self.alphabet else f"no alphabet for the first letters of words in {self.name}",
            "vowels": None if self.vowels else f"no vowels and consonants among the letters of {self.name}",
            "syllables": None if self.syllables != "none" else f"no rule for the syllables of {self.name}",
            "english": None if self.code == "en" else f"its task is in English, and the row in {self.name}",
        }[need]

    @cached_property
    def _undetected(self) -> str | None:
        try:
            resolve(self.code)
        except UnknownLanguage as error:
            return str(error)
        return None

    @cached_property
    def letters(self) -> frozenset[str]:
        """The letters of the alphabet."""
        return frozenset(self.alphabet)

    def folded(self, text: str) -> str:
        """Return a text in one width and in small letters, with the dotted and the dotless i of Turkish apart."""
        text = unicodedata.normalize("NFKC", text)
        if self.code in ("tr", "az"):
            text = text.replace("İ", "i").replace("I", "ı")
        if self.code == "ar":
            text = "".join(char for char in text if not "\u064b" <= char <= "\u0652" and char != "\u0640")
        return text.lower()


def language_of(tag: str) -> LanguageRules:
    """Return a language by its code, tag or name."""
    try:
        return _language(resolve(tag).codes[0])
    except UnknownLanguage:
        return _language(named_language(tag) or tag.replace("_", "-").partition("-")[0].strip().casefold())


@cache
def _language(code: str) -> LanguageRules:
    file = files(__package__) / "languages" / f"{code}.toml"
    if not (code.isascii() and code.isalpha() and file.is_file()):
        return _by_script(code[:20])
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    lists = {name: frozenset(words.split()) for name, words in table.pop("lists", {}).items()}
    return LanguageRules(code=code, lists=lists, **table)


def _by_script(code: str) -> LanguageRules:
    scripts = SCRIPTS.get(code, frozenset({"Latn"}))
    return LanguageRules(
        code=code,
        name=f"the language {code!r}",
        words="unmarked" if code in _WITHOUT_SPACES else "spaced",
        capitals=not scripts.isdisjoint(_WITH_CAPITALS) and code not in _WITHOUT_SPACES,
        latin="Latn" in scripts,
    )
