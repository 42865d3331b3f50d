r"""Distinguish words in answers (names, yes and no, letters of choices) from formulas, and normalise them.

Words are compared as normalised text, never as algebra, where "stop" is s·t·o·p and equals "pots".
"""

import re
import unicodedata
from typing import Literal

Kind = Literal["choice", "words", "formula"]

_TEXT_COMMAND = re.compile(r"\\(?:text\w*|math(?:rm|bf|it|sf)|mbox|rm|bf)(?![A-Za-z])\s*")
_TEXT_GROUP = re.compile(_TEXT_COMMAND.pattern + r"\{([^{}]*)\}")
_NAMED_GROUP = re.compile(r"\\(?:begin|end|operatorname|math(?:bb|cal|frak))\s*\{[^{}]*\}")
_LETTER = re.compile(r"[\[(]?\s*(?P<letter>[A-Za-z])\s*[\])]?")
_CHOICE = re.compile(_LETTER.pattern + r"(?:(?<=[\])])\s+\S.*|\s*[.:)](?:\s*\S.*)?)?", re.DOTALL)
_FORMULA = re.compile(r"[=<>^_+*/|\d]|\\[A-Za-z]+")
_ASCII_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}|\b(?i:no)\b")
_LONG_ASCII_WORD = re.compile(r"(?<![\\A-Za-z\d])[A-Za-z]{4,}")
_OTHER_LETTER = re.compile(r"[^\W\d_A-Za-zα-ωΑ-Ω]")
_NOTATION_WORDS = """
and or in mod sin cos tan cot sec csc log ln exp sqrt pi inf infinity max min gcd lcm arcsin arccos arctan
sinh cosh tanh alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau phi
chi psi omega
"""
_NOTATION = frozenset(_NOTATION_WORDS.split())
_SPACED = "and|or|und|oder|et|ou|dan|atau|na|au|и|или|và|ve|veya|এবং|বা|और|या|మరియు|లేదా|و|أو|àti|tàbí"
_UNSPACED = "和|或者|或|与|以及|または|および|と|과|와|또는|และ|หรือ"
_CONJUNCTION = re.compile(rf"(?:,\s*|\s+)(?:{_SPACED})\s+|(?:\s*,)?\s*(?:{_UNSPACED})\s*")
_CONJUNCTION_GROUP = re.compile(  # \text{ oder }; with spaces also the Spanish, Italian and Portuguese y, e and o
    rf"(?:\s*,)?\s*{_TEXT_COMMAND.pattern}\{{(?:\s*,?\s*(?:{_SPACED}|{_UNSPACED})\s*,?\s*|\s+[yeo]\s+)\}}\s*"
)


def kind(text: str) -> Kind:
    r"""Return the kind of a plain answer. A formula with words outside of `\text{...}` counts as words."""
    if _LETTER.fullmatch(text):
        return "choice"
    outside = _NAMED_GROUP.sub(" ", _TEXT_GROUP.sub(" ", text))
    if _OTHER_LETTER.search(outside):
        return "words"
    word = _LONG_ASCII_WORD if _FORMULA.search(outside) else _ASCII_WORD
    if any(written.lower() not in _NOTATION for written in word.findall(outside)):
        return "words"
    return "formula" if re.search(r"\w", outside) else "words"


def with_commas(text: str) -> str:
    """Replace words for "and" and "or" by commas ("x = 1 oder x = 2"); math-verify knows only the English ones."""
    return _CONJUNCTION.sub(", ", _CONJUNCTION_GROUP.sub(", ", text))


def without_text_groups(text: str) -> str:
    r"""Return a formula with each `\text{...}` replaced by its content."""
    return _TEXT_GROUP.sub(r"\1", text)


def normalised(text: str) -> str:
    """Return a text as it is compared: no case, no LaTeX around words, no punctuation at the ends, single spaces."""
    text = _TEXT_COMMAND.sub("", text).translate(str.maketrans("\\~", "  ", "{}$"))
    text = unicodedata.normalize("NFKC", text).casefold()
    start, end = 0, len(text)
    while start < end and _is_edge(text[start]):
        start += 1
    while end > start and _is_edge(text[end - 1]):
        end -= 1
    return " ".join(text[start:end].split())


def _is_edge(character: str) -> bool:
    return character.isspace() or unicodedata.category(character)[0] == "P"


def choice(text: str) -> str | None:
    """Return the letter of "B", "(b)", "B.", "(B) 12 cm" and "B: 12 cm", in upper case; None for anything else."""
    match = _CHOICE.fullmatch(_TEXT_COMMAND.sub("", text).translate(str.maketrans("", "", "{}")).strip())
    return match["letter"].upper() if match else None
