r"""Remove commands that only say how LaTeX looks: `\displaystyle`, `\textcolor{red}{42}`, `\mathbf{3}`, `\hspace{1mm}`.

What is left has the same meaning. Dots have one form, and so have subscripts in upright letters.
"""

import re

_SIZES = "tiny|scriptsize|footnotesize|small|normalsize|large|Large|LARGE|huge|Huge"
_SWITCHES = (
    rf"{_SIZES}|displaystyle|textstyle|scriptstyle|scriptscriptstyle|limits|nolimits|mathstrut|strut|boldmath|bfseries"
    r"|itshape|rmfamily|sffamily|upshape|normalfont|mdseries|centering|noindent|nonumber|notag|allowbreak"
    r"|nobreak|hfill|thinspace|medspace|thickspace|enspace|enskip|negthinspace"
)
_LENGTH = r"\s*-?\d*\.?\d+\s*(?:pt|mm|cm|em|ex|in|mu|pc|bp|sp)"
_INVISIBLE = re.compile(
    rf"\\(?:(?:{_SWITCHES})(?![A-Za-z])|[hvm]space\s*\*?\s*\{{[^{{}}]*\}}|m?kern{_LENGTH}|[hv]?phantom\s*\{{[^{{}}]*\}}"
    r"|color\s*\{[^{}]*\}|middle(?![A-Za-z]))\s*"
)
_AROUND = (
    r"textcolor\s*\{[^{}]*\}|colorbox\s*\{[^{}]*\}|fcolorbox\s*\{[^{}]*\}\s*\{[^{}]*\}|underline|uline|emph|ensuremath"
    r"|smash|mathord|mathbin|mathrel|mathopen|mathclose|mathinner|mathop"
)
_FRAMED = re.compile(rf"\\(?:{_AROUND})\s*(?=\{{)")
_UPRIGHT = r"\\(?:text\w*|math(?:rm|bf|it|sf|tt|normal)|boldsymbol|bm|mbox)\s*"
_FONT = re.compile(rf"{_UPRIGHT}\{{\s*(?P<inside>-?\d[\d.,]*)\s*\}}")
_UPRIGHT_LETTER = re.compile(
    r"(?:\\(?:text|textrm|textup|mathrm|operatorname|mathit|mathnormal)\s*\{(?P<letter>[ei])\}"
    r"|\{\s*\\rm\s+(?P<switched>[ei])\s*\})"
)
_NAMED_FUNCTION = re.compile(
    r"\\(?:text\w*|mathrm|operatorname)\s*\{\s*(?P<name>arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|cot|sec|csc"
    r"|log|ln|exp|max|min|gcd)\s*\}"
)
_SUBSCRIPT = re.compile(
    r"_\s*(?:\{\s*(?:\\(?:text\w*|mathrm|operatorname)\s*\{\s*(?P<upright>[A-Za-z]{1,12})\s*\}|\\(?P<named>max|min|sup|inf))\s*\}"
    r"|\\(?P<bare>max|min|sup|inf)(?![A-Za-z])|\\(?:text\w*|mathrm)\s*\{\s*(?P<unbraced>[A-Za-z]{1,12})\s*\})"
)
_SLANTED = re.compile(r"\\(?:nice|s|x|flat)frac(?=\s*\{)")
_CHOOSE = re.compile(
    r"(?:\{|\A)\s*(?P<top>[^{}\\]{1,40}?)\s*\\choose(?![A-Za-z])\s*(?P<bottom>[^{}\\]{1,40}?)\s*(?:\}|\Z)"
)
_BARE_BINOMIAL = re.compile(r"\\[dt]?binom\s*(\w)\s*(\w)")
_DOTS = re.compile(r"\\(?:[cl]?dots|dots[cbmio]|hdots)(?![A-Za-z])|(?:\\cdot\s*){3}|(?<=[,;+*])(\s*)\.{3,}")
_DOTTED_PRODUCT = re.compile(r"\\(?:cdot|times)\s*(?=\\ldots)|(?<=\\ldots)\s*\\(?:cdot|times)(?![A-Za-z])")
_TAKES_ONE = re.compile(r"(?:[\^_}]|\\[A-Za-z]+)\s*\Z")
_DOUBLE = re.compile(r"\{\{([^{}]*)\}\}")
_FRACTION = re.compile(r"\\[dtc]?frac\s*(?=\{)")
_DENOMINATOR = re.compile(r"\s*(\\[A-Za-z]+|[A-Za-z0-9])")


def without_layout(text: str) -> str:
    """Return a formula without commands of layout."""
    if "\\" not in text and "..." not in text:
        return text
    if r"\choose" in text:
        text = _CHOOSE.sub(r"\\binom{\g<top>}{\g<bottom>}", text)
    if "binom" in text:
        text = _BARE_BINOMIAL.sub(r"\\binom{\1}{\2}", text)
    text = _SLANTED.sub(r"\\frac", text)
    text = _FRAMED.sub("", _INVISIBLE.sub(" ", text)).replace(r"\ell", "l")
    text = _NAMED_FUNCTION.sub(r"\\\g<name> ", _UPRIGHT_LETTER.sub(_letter, text))
    text = _SUBSCRIPT.sub(lambda name: f"_{{{name[name.lastgroup or 0]}}}", text)
    text = _DOTTED_PRODUCT.sub("", _DOTS.sub(r"\\ldots ", text))
    return _with_braced_denominators(_DOUBLE.sub(r"{\1}", _FONT.sub(_digits, text)))


def _letter(upright: re.Match[str]) -> str:
    letter = upright["letter"] or upright["switched"]
    return f"{{{letter}}}" if _takes_one(upright) else f" {letter} "


def _digits(font: re.Match[str]) -> str:
    return f"{{{font['inside']}}}" if _takes_one(font) else font["inside"]


def _takes_one(match: re.Match[str]) -> bool:
    """Return whether what stands before a place takes the next sign or group, so that braces must remain."""
    return _TAKES_ONE.search(match.string, max(0, match.start() - 30), match.start()) is not None


def _with_braced_denominators(text: str) -> str:
    r"""Return a formula in which `\frac{1+a}c` has braces round its c."""
    for fraction in reversed(list(_FRACTION.finditer(text))):
        end = _group_end(text, fraction.end())
        bare = _DENOMINATOR.match(text, end) if end else None
        if bare:
            text = f"{text[:end]}{{{bare[1]}}}{text[bare.end() :]}"
    return text


def _group_end(text: str, start: int) -> int | None:
    depth = 0
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    return None
