"""A right number in notations that other languages have: their digits, and a comma before the decimals."""

import re
from collections.abc import Mapping

from rewardlab_probe.honest_row import HonestRow

DIGITS: Mapping[str, str] = {
    "Arabic digits": "٠١٢٣٤٥٦٧٨٩",
    "Persian digits": "۰۱۲۳۴۵۶۷۸۹",
    "Devanagari digits": "०१२३४५६७८९",
    "Bengali digits": "০১২৩৪৫৬৭৮৯",
    "Thai digits": "๐๑๒๓๔๕๖๗๘๙",
    "full-width digits": "０１２３４５６７８９",
}
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")


def other_notations(row: HonestRow, name: str) -> tuple[str, Mapping[str, str]]:
    """Return the honest completion as its form writes it, and the same with its number in other notations by name.

    Args:
        name: other_digits or decimal_comma. No others if the answer is no number, or has no decimals.
    """
    parts = row.parts
    plain = parts.form.write(parts.reasoning, parts.answer)
    if not _NUMBER.fullmatch(parts.answer):
        return plain, {}
    if name == "decimal_comma":
        commas = {"a decimal comma": parts.answer.replace(".", ",")} if "." in parts.answer else {}
    else:
        commas = {
            script: parts.answer.translate(str.maketrans("0123456789", digits)) for script, digits in DIGITS.items()
        }
    return plain, {spelling: parts.form.write(parts.reasoning, number) for spelling, number in commas.items()}
