"""Compare two texts by what matters in an answer."""

import unicodedata


def same_answer(prediction: str, reference: str) -> bool:
    """Return whether the texts are equal but for their form; an empty reference equals nothing.

    Form is case, white space, compatibility forms, the script of digits, and a full stop at the end.
    """
    return bool(_normalized(reference)) and _normalized(prediction) == _normalized(reference)


def _normalized(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    digits = "".join(str(unicodedata.decimal(letter, letter)) for letter in folded)
    return " ".join(digits.split()).rstrip(".。").rstrip()
