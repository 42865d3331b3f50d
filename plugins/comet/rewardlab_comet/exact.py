"""Whether two texts are equal for all that matters in an answer."""

import unicodedata


def same(prediction: str, reference: str) -> bool:
    """Equal but for case, white space, compatibility forms, the script of digits, and a full stop at the end."""
    return bool(_normal(reference)) and _normal(prediction) == _normal(reference)


def _normal(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    digits = "".join(str(unicodedata.decimal(letter, letter)) for letter in folded)
    return " ".join(digits.split()).rstrip(".。").rstrip()
