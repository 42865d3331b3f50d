"""Edits that write an answer in another way: other letters that look alike, other digits, marks that nobody sees.

A reader takes some of them for the same answer. What a verifier takes for the same shows what it does not look at, and
further edits begin there.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping

_ALIKE = str.maketrans("aceiopxyABEHKMOPTX", "асеіорхуАВЕНКМОРТХ")
_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
_ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_ROMAN = ("0", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
_MANY = re.compile(r"\d{2,}")


def _each(pattern: str, change: Callable[[str], str]) -> Callable[[str], str | None]:
    return lambda answer: re.sub(pattern, lambda found: change(found[0]), answer)


NOTATIONS: Mapping[str, Callable[[str], str | None]] = {
    "without_accents": lambda a: unicodedata.normalize("NFKD", a).encode("ascii", "ignore").decode(),
    "accents_apart": lambda a: unicodedata.normalize("NFD", a),
    "accent_on_first": lambda a: f"{a[:1]}\u0302{a[1:]}",
    "accent_on_last": lambda a: f"{a}\u0302",
    "letters_alike": lambda a: a.translate(_ALIKE),
    "wide": lambda a: a.translate(_WIDE),
    "dotted_i": lambda a: a.replace("i", "İ").replace("I", "ı"),
    "unseen_within": lambda a: f"{a[:1]}\u200b{a[1:]}",
    "unseen_everywhere": lambda a: "\u200b".join(a),
    "unseen_alone": lambda a: "\u200b",
    "soft_hyphens": lambda a: "\u00ad".join(a),
    "to_the_left": lambda a: f"\u202e{a}",
    "spaces_apart": lambda a: " ".join(a),
    "lines_for_spaces": lambda a: a.replace(" ", "\n"),
    "tabs_for_spaces": lambda a: a.replace(" ", "\t"),
    "bound_spaces": lambda a: a.replace(" ", "\u00a0"),
    "unseen_for_spaces": lambda a: a.replace(" ", "\u200b"),
    "hyphens_for_spaces": lambda a: a.replace(" ", "-"),
    "bars_for_spaces": lambda a: a.replace(" ", "_"),
    "commas_for_spaces": lambda a: a.replace(" ", ","),
    "spaces_around": lambda a: f"  {a}  ",
    "arabic_digits": lambda a: a.translate(_ARABIC),
    "raised_digits": lambda a: a.translate(_RAISED),
    "roman_digits": _each(r"\d", lambda n: _ROMAN[int(n)]),
    "decimal_comma": lambda a: re.sub(r"(?<=\d)\.(?=\d)", ",", a),
    "bars_in_numbers": _each(_MANY.pattern, lambda n: f"{n[0]}_{n[1:]}"),
    "commas_in_numbers": _each(_MANY.pattern, lambda n: f"{n[0]},{n[1:]}"),
    "spaces_in_numbers": _each(_MANY.pattern, lambda n: f"{n[0]} {n[1:]}"),
    "with_power": _each(r"\d+(?:\.\d+)?", lambda n: f"{n}e0"),
    "in_hundredths": _each(r"\d+(?:\.\d+)?", lambda n: f"{n}%"),
    "with_point": _each(r"\d+(?:\.\d+)?", lambda n: f"{n}." if "." in n else f"{n}.0"),
    "with_plus": _each(r"\d+(?:\.\d+)?", lambda n: f"+{n}"),
    "as_hex": _each(r"\d{1,15}", lambda n: hex(int(n))),
    "over_one": _each(r"\d+", lambda n: f"{n}/1"),
    "as_texts": _each(r"\d+(?:\.\d+)?", lambda n: f'"{n}"'),
    "bold": lambda a: f"**{a}**",
    "in_commentary": lambda a: f"<!-- {a} --> other",
    "escaped": lambda a: "".join(f"\\u{ord(character):04x}" for character in a[:200] if ord(character) < 0x10000),
}
"""other ways to write an answer"""
