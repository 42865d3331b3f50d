r"""Bring answers into one notation: ASCII digits, LaTeX operators, no wrapping.

Answers come as `৪২`, `４２`, `$42$.`, `**42**`, `\text{42}` or `x²≤½`. Meaning is never changed here: separators of
numbers stay as they are, because the meaning of `1.234` depends on the language (see `numerals`).
"""

import re
import unicodedata

from rewardlab_math.escapes import repaired
from rewardlab_math.layout import without_layout
from rewardlab_math.roots import with_commands

_OPERATORS = {
    **dict.fromkeys("−‒–—﹣", "-"),
    **dict.fromkeys("⋅·∙", r"\cdot "),
    **dict.fromkeys("“”„‟«»", '"'),
    **dict.fromkeys("‘’‛＇", "'"),
    **dict.fromkeys("，،、", ","),
    **dict.fromkeys("；؛", ";"),
    **dict.fromkeys("。｡।॥۔", "."),
    "×": r"\times ",
    "÷": r"\div ",
    "∗": "*",
    "π": r"\pi ",
    "∞": r"\infty ",
    "≤": r"\le ",
    "≥": r"\ge ",
    "≠": r"\ne ",
    "≈": r"\approx ",
    "±": r"\pm ",
    "∪": r"\cup ",
    "∩": r"\cap ",
    "∈": r"\in ",
    "∅": r"\emptyset ",
    "∉": r"\notin ",
    "∖": r"\setminus ",
    "∣": r"\mid ",
    "∀": r"\forall ",
    "≡": r"\equiv ",
    "≅": r"\cong ",
    "…": r"\ldots ",
    "⋯": r"\ldots ",
    "⌊": r"\lfloor ",
    "⌋": r"\rfloor ",
    "⌈": r"\lceil ",
    "⌉": r"\rceil ",
    "ℓ": "l",
    "ℯ": "e",
    "ⅇ": "e",
    "ⅈ": "i",
    "ℝ": r"\mathbb{R}",
    "ℤ": r"\mathbb{Z}",
    "ℕ": r"\mathbb{N}",
    "ℚ": r"\mathbb{Q}",
    "°": r"^\circ ",
    "٪": "%",
    "⁄": "/",
    "∶": ":",
}
_RAISED: dict[str, str | int | None] = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n", strict=True))
_LOWERED: dict[str, str | int | None] = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
_RAISED_RUN = re.compile(f"[{''.join(_RAISED)}]+")
_CIRCLED = re.compile("[①-⑳]+")
_LOWERED_RUN = re.compile(f"[{''.join(_LOWERED)}]+")

_ROW_END, _DOLLAR = "\ue000", "\ue001"
_ROW_BREAK = re.compile(r"\\\\(?:\s*\[\s*-?[\d.]+\s*[a-z]{2}\s*\])?")  # with the height of the gap, \\[2pt]
_NEGATIVE_SPACE = re.compile(r"\\!\s*")
_SPACING = re.compile(r"\\(?:[,;:> ]|quad\b|qquad\b|(?:Big|big|Bigg|bigg)[lmr]?(?![A-Za-z]))")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)(?:\\[,;: ]\s*|~)+(?=\d{3}(?!\d))")
_BRACED_MARK = re.compile(r"\{([,.])\}")
_ESCAPED_DOLLAR, _ESCAPED_PERCENT = re.compile(r"\\+\$"), re.compile(r"\\+%")
_WRAPPERS = (
    re.compile(r"\$\$(?P<inside>[^$]*)\$\$"),
    re.compile(r"\$(?P<inside>[^$]*)\$"),
    re.compile(r"\\\((?P<inside>(?:(?!\\[()]).)*)\\\)", re.DOTALL),
    re.compile(r"\\\[(?P<inside>(?:(?!\\[\[\]]).)*)\\\]", re.DOTALL),
    re.compile(r"\*\*(?P<inside>[^*]+)\*\*"),
    re.compile(r"`+(?P<inside>[^`]+)`+"),
)
_BRACED = re.compile(r"(?:\\(?:boxed|fbox|mbox|text\w*|math(?:rm|bf|it|sf|tt|normal)|boldsymbol|bm|bf|rm)\s*)?\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_TRAILING = " \t\n\r.,;:~"


def plain(text: str) -> str:
    """Return the same answer without decoration.

    Time grows with the length times the number of wrappings: callers bound the length first.
    """
    text = repaired(text)
    if not text.isascii():
        text = _ascii_signs(text)
    previous = None
    while text != previous:  # one step may uncover what another removes
        previous, text = text, _without_decoration(text)
    return text.replace(_DOLLAR, "$")  # it names the unit, and opened no formula


def _without_decoration(text: str) -> str:
    r"""Return a text after one step of cleaning.

    A pair of backslashes parts the rows of a matrix. It is one sign here, so that no command begins with its second
    backslash, and has a space behind it in the end, so that none does elsewhere.
    """
    text = _BRACED_MARK.sub(r"\1", text)
    if "\\" not in text and "~" not in text:
        return _unwrapped(" ".join(without_layout(text).split()))
    text = _ROW_BREAK.sub(_ROW_END, _ESCAPED_PERCENT.sub("%", _ESCAPED_DOLLAR.sub(_DOLLAR, text)))
    return _unwrapped(_unspaced(without_layout(text))).replace(_ROW_END, r"\\ ").rstrip()


def _unspaced(text: str) -> str:
    text = _BETWEEN_DIGITS.sub("", _NEGATIVE_SPACE.sub("", text))
    return " ".join(_SPACING.sub(" ", text).split())


def _unwrapped(text: str) -> str:
    stripped = text.rstrip(_TRAILING)
    if stripped.endswith(("\\", _ROW_END)):  # a line break at the end, or the rest of a spacing command
        stripped = stripped.rstrip("\\" + _ROW_END)
    for wrapper in _WRAPPERS:
        whole = wrapper.fullmatch(stripped)
        if whole:
            return whole["inside"]
    opening = _BRACED.match(stripped)
    if opening and _closes_at_end(stripped, opening.end()) and not _is_set(stripped):
        return stripped[opening.end() : -1]
    return stripped


def _closes_at_end(text: str, start: int) -> bool:
    """Return whether the group whose content starts at `start` is closed by the last character, not before."""
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace.group(), 0)
        if depth == 0:
            return brace.end() == len(text)
    return False


def _is_set(text: str) -> bool:
    return text.startswith("{") and "," in text


def _ascii_signs(text: str) -> str:
    text = with_commands(_CIRCLED.sub(_listed, text))
    text = _RAISED_RUN.sub(lambda run: "^{" + run.group().translate(str.maketrans(_RAISED)) + "}", text)
    text = _LOWERED_RUN.sub(lambda run: "_{" + run.group().translate(str.maketrans(_LOWERED)) + "}", text)
    return "".join(map(_ascii_sign, text))


def _listed(circled: re.Match[str]) -> str:
    """Return the numbers of a run of circled ones: `②③` is 2, 3."""
    return ", ".join(str(int(unicodedata.numeric(sign))) for sign in circled.group())


def _ascii_sign(sign: str) -> str:
    if sign.isascii():
        return sign
    if sign in _OPERATORS:
        return _OPERATORS[sign]
    if "！" <= sign <= "～":  # the full-width forms of ASCII
        return chr(ord(sign) - 0xFEE0)
    category = unicodedata.category(sign)
    if category == "Nd":
        return str(unicodedata.decimal(sign))
    if category == "Zs":
        return " "
    if category in ("Cf", "Co"):  # marks of direction and joining, soft hyphens: invisible; signs of private use
        return ""
    top, slash, bottom = unicodedata.normalize("NFKC", sign).partition("⁄")
    if slash and top.isdecimal() and bottom.isdecimal():  # ½
        return rf"\frac{{{top}}}{{{bottom}}}"
    return sign
