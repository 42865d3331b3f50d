"""The words by which responses state their choice, from leads/, as patterns that are linear in a text.

Each language has a file of lists, leads/CODE.yaml; it may lack any, and a further language needs nothing but a file.
Case does not matter. All languages are read at once: a model answers in more than one.

    names       other codes of the language, and its English name, as rows may write them
    leads       what stands before the choice: "answer", "the correct option". A colon, a dash or one of `links`
                follows, or the choice at once where nothing comes after it, or one of `behind`
    verbs       leads that need no link: "I choose"
    options     "option", "choice": before a label they name one of the choices, and state it only behind a lead, with a
                link, or on the last line
    subjects    what else may stand before the choice where it is all that a line or a clause says: "it is", "so"
    links       what joins a lead and the choice
    behind      what may follow the choice within its sentence: "because", a copula, "option"
    because     those of them that give a reason: a last line may begin with a choice and one of these
    affirms     what makes the choice before it the answer: "is the right answer"
    or          what joins choices of which the response names none: such an answer is a hedge
    and         those of them that join others of which one thing is said: "A and B are wrong"
    others      what stands for the choices that are not named: "the others"
    if          what begins a sentence that states nothing, unless it concludes ("if we add, we get 3, so it is C"), and
                makes the choice before it none: "B, unless it floats"
    so          what concludes in such a sentence
    also        what is said of a choice beside the one that was stated
    may         what makes the choice behind it one that may be right, too: "it might be"
    correction  what takes a statement back, where another label follows: "wait", "actually"
    contrast    what the choice follows after another one is denied: "but", in "not B but C"
    not         before a lead or a choice in its clause: then it states nothing ("not", "if", "whether", "wrong")
    not_before  what denies the choice behind it: "not", "rather than"; not_behind: the choice before it
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from itertools import groupby

import yaml
from rewardlab_answers import named_language

from rewardlab_choice.folding import folded

_UNSPACED = r"\u0e00-\u0eff\u3005-\u30ff\u4e00-\u9fff\uac00-\ud7af"
"""scripts that write no spaces between words, or glue particles to them"""
_VOWEL_SIGNS = r"\u0300-\u036f\u0900-\u0963\u0966-\u0dff"
"""letters and vowel signs of India, which Python takes for no part of a word, and accents"""
_GLUED_IN_FRONT = r"\u0590-\u06ff"
"""scripts that glue "and", "so" and the article to the front of a word"""


_ENGLISH = {"als", "hindi", "kana", "kung", "mali"}
"""words of `not` that are words or names in English, too"""


@cache
def languages() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the lists of each language, by its code."""
    paths = sorted(files("rewardlab_choice").joinpath("leads").iterdir(), key=lambda path: path.name)
    return {path.name.removesuffix(".yaml"): _lists(path.read_text(encoding="utf-8")) for path in paths}


def has_leads(tag: str) -> bool:
    """Return whether the words of a language are known: by a code, with or without script and region, or a name."""
    name = named_language(tag) or re.split(r"[-_ ]", tag.strip().casefold())[0]
    return any(name == code or name in lists["names"] for code, lists in languages().items())


def _lists(text: str) -> Mapping[str, tuple[str, ...]]:
    lists = yaml.load(text, Loader=yaml.BaseLoader)
    return {key: tuple(folded(word).casefold() for word in words) for key, words in lists.items()}


def _words(key: str, codes: Iterable[str] | None = None) -> set[str]:
    known = languages()
    return {word for code in (codes or known) for word in known[code].get(key, ())}


@cache
def any_of(*keys: str) -> str:
    """Return the pattern, as text, of the words of these lists in all languages; `not_behind` may touch its choice."""
    return _one_of(set().union(*map(_words, keys)), glued=keys == ("not_behind",))


@cache
def lead() -> re.Pattern[str]:
    """Return the pattern of a lead with all that may stand between it and the choice.

    Groups: `lead`, `verb` or `option`, and `mid`, if something joins them.
    """
    joins = any_of("links", "options")
    mid = rf"(?P<mid>(?:[\s:፦፡=>→⇒*`_]{{1,12}}+|[\"'”’»](?=\s?[:=])|[-–—](?=[\s>])|{joins}){{0,10}}+)"
    verbs, leads, options = _words("verbs"), _words("leads"), _words("options")
    kinds = {"verb": verbs, "lead": leads - verbs, "option": options - leads - verbs}
    words = "|".join(rf"(?P<{kind}>{_one_of(words)})" for kind, words in kinds.items())
    return re.compile(rf"(?:{words}){mid}", re.IGNORECASE)


@cache
def languages_of(word: str) -> tuple[str, ...]:
    """Return the languages that have a lead, a word for option, or an affirmation."""
    phrase, keys = " ".join(folded(word).casefold().split()), ("leads", "verbs", "options", "affirms")
    return tuple(code for code, lists in languages().items() if any(phrase in lists.get(key, ()) for key in keys))


@cache
def before_choice() -> re.Pattern[str]:
    """Return the pattern of what may stand before the choice in a clause that says nothing else."""
    words = any_of("subjects", "options", "verbs")
    return re.compile(rf"(?:\s{{0,3}}{words}[\s,:、،፣]{{0,3}}){{1,4}}+", re.IGNORECASE)


@cache
def affirmation() -> re.Pattern[str]:
    """Return the pattern of what makes the choice before it the answer."""
    return re.compile(any_of("affirms"), re.IGNORECASE)


@cache
def behind(codes: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of what may follow a choice in these languages."""
    return re.compile(rf"\s{{0,3}}{_one_of(_words('behind', codes), glued=True)}", re.IGNORECASE)


@cache
def because() -> re.Pattern[str]:
    """Return the pattern of a reason behind a choice."""
    return re.compile(rf"[\s,،፣]{{0,3}}{any_of('because')}", re.IGNORECASE)


@cache
def negation(codes: tuple[str, ...] = ()) -> re.Pattern[str]:
    """Return the pattern of words after which nothing is stated; without languages of those that mean little else."""
    words = _words("not", codes) | {word for word in _words("not_before", codes) if len(word) > 2}
    if not codes:
        words = {word for word in words if len(word) > 2 or not word.isascii() or word in ("if", "no", "ob")} - _ENGLISH
    return re.compile(_one_of(words) + r"|n['’]t(?!\w)", re.IGNORECASE)


def is_and(text: str) -> bool:
    """Return whether a text begins with what joins choices of which one thing is said."""
    return re.match(any_of("and"), text.lstrip(), re.IGNORECASE) is not None


@cache
def condition(codes: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of the beginning of a sentence, or of what follows a choice, that makes it a supposition."""
    return re.compile(
        rf"[\s,，、]{{0,3}}{any_of('and', 'contrast')}?\s{{0,3}}{_one_of(_words('if', codes))}", re.IGNORECASE
    )


@cache
def conclusion(codes: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of what concludes within a sentence."""
    return re.compile(_one_of(_words("so", codes)), re.IGNORECASE)


@cache
def correction() -> re.Pattern[str]:
    """Return the pattern of words by which a response takes back what it said."""
    return re.compile(any_of("correction"), re.IGNORECASE)


@cache
def joiner() -> str:
    """Return the pattern, as a text, of what joins choices of which an answer names none."""
    return rf"(?:[,;/&+]|{any_of('or')})"


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
    front = rf"(?<![^\W_])(?<![{_VOWEL_SIGNS}])"  # වැරදි, wrong, is no word of නිවැරදි, right
    return ("" if glued or not word[0].isalnum() else front, "" if unspaced else r"(?![^\W_])")


def _spaced(word: str) -> str:
    return r"\s{1,3}".join(map(re.escape, word.split(" ")))
