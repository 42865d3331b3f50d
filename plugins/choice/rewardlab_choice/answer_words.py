"""The words by which responses state their choice, from answer_words.yaml, as patterns that are linear in a text."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from itertools import groupby

import yaml

from rewardlab_choice.folding import folded

_UNSPACED = r"\u0e00-\u0eff\u3005-\u30ff\u4e00-\u9fff\uac00-\ud7af"
"""scripts that write no spaces between words, or glue particles to them"""
_GLUED_IN_FRONT = r"\u0590-\u06ff"
"""scripts that glue "and", "so" and the article to the front of a word"""


@cache
def _languages() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    text = files("rewardlab_choice").joinpath("answer_words.yaml").read_text(encoding="utf-8")
    tree = yaml.load(text, Loader=yaml.BaseLoader)
    return {
        code: {key: tuple(folded(word).casefold() for word in words) for key, words in lists.items()}
        for code, lists in tree.items()
    }


def _words(key: str, languages: Iterable[str] | None = None) -> set[str]:
    known = _languages()
    return {word for code in (languages or known) for word in known[code].get(key, ())}


@cache
def lead() -> re.Pattern[str]:
    """Return the pattern of a lead with all that may stand between it and the choice.

    Groups: `lead` or `option`, and `mid`, if something joins them.
    """
    joins = _one_of(_words("links") | _words("options"))
    mid = rf"(?P<mid>(?:[\s:=*`_]{{1,12}}+|[\"'”’»](?=\s?[:=])|[-–—](?=\s)|{joins}){{0,10}}+)"
    leads, options = _words("leads"), _words("options")
    return re.compile(rf"(?:(?P<lead>{_one_of(leads)})|(?P<option>{_one_of(options - leads)})){mid}", re.IGNORECASE)


@cache
def languages_of(word: str) -> tuple[str, ...]:
    """Return the languages that have a lead, or a word for option."""
    said = " ".join(folded(word).casefold().split())
    known = _languages()
    return tuple(c for c in known if said in known[c].get("leads", ()) or said in known[c].get("options", ()))


@cache
def behind(languages: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of what may follow a choice in these languages."""
    return re.compile(rf"\s{{0,3}}{_one_of(_words('behind', languages), glued=True)}", re.IGNORECASE)


@cache
def negation(languages: tuple[str, ...] = ()) -> re.Pattern[str]:
    """Return the pattern of words after which nothing is stated; without languages of those that mean little else."""
    words = _words("not", languages)
    if not languages:
        words = {word for word in words if len(word) > 2 or not word.isascii() or word in ("if", "no", "ob")} - {"als"}
    return re.compile(_one_of(words) + r"|n['’]t(?!\w)", re.IGNORECASE)


@cache
def correction() -> re.Pattern[str]:
    """Return the pattern of words by which a response takes back what it said."""
    return re.compile(_one_of(_words("correction")), re.IGNORECASE)


@cache
def joiner() -> str:
    """Return the pattern, as a text, of what joins choices of which an answer names none."""
    return rf"(?:[,;/&+]|{_one_of(_words('or'))})"


@cache
def or_words() -> str:
    """Return the pattern, as a text, of the words among the joiners."""
    return _one_of(_words("or"))


def _one_of(words: Iterable[str], glued: bool = False) -> str:
    """Return a pattern of whole words, the longest first. glued: they may follow another word at once."""
    fronts: dict[tuple[str, str], list[str]] = {}
    for edges, alike in groupby(sorted(words, key=_edges), key=_edges):
        fronts[edges] = list(alike)
    parts = []
    for (front, back), group in fronts.items():
        by_letter = [(letter, list(rest)) for letter, rest in groupby(sorted(group), key=lambda word: word[0])]
        tries = (
            re.escape(letter)
            + "(?:"
            + "|".join(_spaced(word[1:]) for word in sorted(rest, key=len, reverse=True))
            + ")"
            for letter, rest in by_letter
        )
        parts.append(f"{'' if glued else front}(?:{'|'.join(tries)}){back}")
    return f"(?:{'|'.join(parts)})" if parts else r"(?!)"


def _edges(word: str) -> tuple[str, str]:
    """Return the patterns of where a word may begin and end."""
    unspaced = re.match(rf"[{_UNSPACED}]", word) is not None
    glued = unspaced or re.match(rf"[{_GLUED_IN_FRONT}]", word) is not None
    return ("" if glued or not word[0].isalnum() else r"(?<![^\W_])", "" if unspaced else r"(?![^\W_])")


def _spaced(word: str) -> str:
    return r"\s{1,3}".join(map(re.escape, word.split(" ")))
