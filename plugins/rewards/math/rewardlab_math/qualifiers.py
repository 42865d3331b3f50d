r"""Take away the words that say for what a formula holds: `f(x)=2x \text{ for all real } x`, `k\pi, k \in \mathbb{Z}`.

They add nothing to a formula if only one of two answers has them. If both have them, they must name the same numbers:
k\pi for natural k is not k\pi for whole k. Conditions, such as "for x > 1", are no such words.
"""

import re
from dataclasses import dataclass

MAX_LENGTH = 400

_SIGNS = {
    "N": r"\\mathbb\s*(?:N|\{N\})",
    "N0": r"\\mathbb\s*(?:N|\{N\})\s*_\s*(?:0|\{0\})|\\mathbb\s*(?:Z|\{Z\})\s*_\s*\{\s*\\geq?\s*0\s*\}",
    "Z+": r"\\mathbb\s*(?:Z|\{Z\})\s*(?:\^\s*(?:\+|\{\+\})|_\s*(?:\+|\{\s*(?:\+|>\s*0)\s*\}))"
    r"|\\mathbb\s*(?:N|\{N\})\s*(?:\^\s*(?:[*+]|\{[*+]\}|\\ast)|_\s*(?:\+|1|\{\s*(?:\+|>\s*0)\s*\}))",
    "Z": r"\\mathbb\s*(?:Z|\{Z\})",
    "Q": r"\\mathbb\s*(?:Q|\{Q\})",
    "Q+": r"\\mathbb\s*(?:Q|\{Q\})\s*(?:\^\s*(?:\+|\{\+\})|_\s*(?:\+|\{\s*(?:\+|>\s*0)\s*\}))",
    "R": r"\\mathbb\s*(?:R|\{R\})",
    "R+": r"\\mathbb\s*(?:R|\{R\})\s*(?:\^\s*(?:\+|\{\+\})|_\s*(?:\+|\{\s*(?:\+|>\s*0)\s*\}))",
    "C": r"\\mathbb\s*(?:C|\{C\})",
}
_WORDS = {
    "N": "natural(?: numbers?)?",
    "N0": "non-?negative (?:integers?|whole numbers?)",
    "Z+": "positive (?:integers?|whole numbers?)",
    "Z": "integers?|whole numbers?",
    "Q": "rationals?(?: numbers?)?",
    "Q+": "positive rationals?(?: numbers?)?",
    "R": "reals?(?: numbers?)?",
    "R+": "positive reals?(?: numbers?)?",
    "C": "complex(?: numbers?)?",
    "any": "(?:(?:arbitrary|real|any|positive) ){0,2}constants?",
}
_PATTERNS = [(name, pattern) for table in (_SIGNS, _WORDS) for name, pattern in table.items()]
_SET = "|".join(pattern for _, pattern in sorted(_PATTERNS, key=lambda named: len(named[1]), reverse=True))
_SETS = [(name, re.compile(pattern)) for name, pattern in _PATTERNS]
_LETTER = r"(?:(?!\\pi(?![A-Za-z]))\\[A-Za-z]+|[A-Za-z](?![A-Za-z]))(?:_\d)?"
_LETTERS = rf"{_LETTER}(?:\s*(?:,|\band\b)\s*{_LETTER}){{0,5}}"
_FOR_ALL = r"(?:(?:for )?(?:all|any|every|each)|for some|\\forall)"
_QUALIFIER = re.compile(
    r"(?:(?:\s*[,;]\s*|\s+)\(?|\s*\()\s*(?:and |with |where )?"
    rf"(?:{_FOR_ALL}\s*(?:the )?(?P<quantified>{_SET})(?:\s+(?P<named>{_LETTERS}))?"
    rf"|(?:{_FOR_ALL}|where|with|for)\s*(?P<letters>{_LETTERS})\s*(?:\\in|in|is an?|are|is|being)\s*"
    rf"(?:an? |the |arbitrary ){{0,2}}(?P<member>{_SET})"
    rf"|(?:for (?:all|any|every|each)|\\forall)\s*(?P<all>{_LETTERS})"
    rf"|(?:for|with|where)\s+(?P<plural>{_SET})\s+(?P<kind>{_LETTERS})"
    rf"|(?P<listed>{_LETTERS})\s*(?:\\in|is an?|are)\s*(?P<set>{_SET}))\s*\)?\s*(?=\Z|[,;]|and\s|or\s)"
)
_TEXT = re.compile(r"\\(?:text\w*|mathrm|mbox)\s*\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Qualified:
    """A formula without its qualifiers, the letters that these name, and their numbers (N, Z, R+, ...)."""

    formula: str
    letters: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()

    def fits(self, other: "Qualified") -> bool:
        """Return whether both name the same numbers, or one of them none."""
        return not self.numbers or not other.numbers or self.numbers == other.numbers


def read(text: str) -> Qualified | None:
    """Return a plain answer (see `notation.plain`) without its qualifiers; None if it has none, or nothing else."""
    if len(text) > MAX_LENGTH:
        return None
    flat = " ".join(_TEXT.sub(r" \1 ", text).replace("$", " ").split())
    qualifiers = [match for match in _QUALIFIER.finditer(flat) if match.start()]
    formula = flat
    for match in reversed(qualifiers):
        formula = f"{formula[: match.start()]} {formula[match.end() :]}"
    formula = formula.strip(" ,;.")
    if not qualifiers or re.fullmatch(_LETTERS, formula):
        return None
    groups = [match.groupdict() for match in qualifiers]
    letters = {
        letter.strip()
        for group in groups
        for name in ("named", "letters", "all", "kind", "listed")
        for letter in re.split(r",|\band\b", group[name] or "")
    }
    numbers = {
        _name(group[name]) for group in groups for name in ("quantified", "member", "plural", "set") if group[name]
    }
    return Qualified(formula, frozenset(letters - {""}), frozenset(numbers - {"any"}))


def _name(numbers: str) -> str:
    return next(name for name, pattern in _SETS if pattern.fullmatch(numbers))
