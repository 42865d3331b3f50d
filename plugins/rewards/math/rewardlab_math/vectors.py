r"""Tell apart what is one to algebra of numbers: `\vec a \times \vec b` and `\vec a \cdot \vec b`, `A^T` and `A`."""

import re

_ARROWED = r"\\(?:vec|mathbf|boldsymbol|bm|bf|overrightarrow|hat|overline)\s*"
_VECTOR = rf"(?:{_ARROWED}(?:\{{\s*\\?[A-Za-z]{{1,7}}\s*\}}|[A-Za-z])|[A-Za-z])"
_PRODUCT = re.compile(rf"({_VECTOR})(?:_\w)?\s*\\(times|cdot)(?![A-Za-z])\s*(?=({_VECTOR}))")
_FONT = re.compile(r"\\(?:vec|mathbf|boldsymbol|bm|overrightarrow)(?![A-Za-z])")
_NAME = re.compile(r"[^\W\d_](?=\s*\}?\Z)")
_TRANSPOSED = re.compile(
    r"(?P<base>(?<![A-Za-z\\])(?!e)[A-Za-z]|\\(?:mathbf|boldsymbol|bm|vec)\s*\{[A-Za-z]\}|\))\s*\^\s*"
    r"(?:\{\s*(?:T|\\top|\\intercal|\\dagger|\\(?:mathrm|mathsf|text)\s*\{T\})\s*\}"
    r"|T(?![A-Za-z])|\\(?:top|intercal|dagger)(?![A-Za-z]))"
)


def same_products(gold: str, answer: str) -> bool:
    r"""Return whether products of vectors, in a font of theirs, have the same sign, and for `\times` the same order."""
    products, others = ([(a[-2:], sign, b[-2:]) for a, sign, b in _PRODUCT.findall(text)] for text in (gold, answer))
    if not (products and others and _FONT.search(gold + answer)):
        return True
    crossed, other_crossed = (
        [tuple(_names(a, b)) for a, sign, b in found if sign == "times"] for found in (products, others)
    )
    is_turned = crossed == [pair[::-1] for pair in other_crossed] and crossed != other_crossed
    return len(crossed) == len(other_crossed) and not (is_turned and gold.count("-") == answer.count("-"))


def _names(*factors: str) -> list[str]:
    return [name[0] if (name := _NAME.search(factor)) else factor for factor in factors]


def with_transposed_names(text: str) -> str:
    """Return a formula in which a transposed letter is another one: of a number the parser takes the same for it."""
    return _TRANSPOSED.sub(lambda found: ")T_{p}" if found["base"] == ")" else f"{found['base']}_{{T}}", text)
