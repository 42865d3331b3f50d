r"""Bound the size of the numbers in an answer from its LaTeX, without computing them.

The bound is an upper one, in decimal digits. Sizes add in products (`ab`, `\frac{a}{b}`), the larger counts in sums,
an exponent multiplies by its value, and powers associate to the right: 9^9^9 is 9^(9^9). The constants e and pi are
numbers, and exp, sinh and cosh powers of e. Variables count as 1: nothing is computed for them. A root of a number of
more than `MAX_RADICAND` digits counts as huge. Formulas as sympy prints them (`factorial(9**9)`) are understood,
too.
"""

import math
import re
from dataclasses import dataclass, field

MAX_RADICAND = 1000
"""Digits of the largest number whose root is taken: sympy tests it for being prime, in one call of minutes."""

_HUGE = 300.0  # a size beyond which only "huge" matters; 10 to this power is still a float
_E, _PI = math.log10(math.e), math.log10(math.pi)

_TOKEN = re.compile(
    r"(?P<matrix>\\end\s*\{\w*\})|(?P<number>\.?\d[\d.]*)|(?P<power>\^|\*\*)|(?P<factorial>!)"
    r"|(?P<choose>\\choose)|(?P<grows>\\[dt]?binom|\\[Gg]amma|factorial(?=\())"
    r"|(?P<open>\\?\{|[(\[])|(?P<close>\\?\}|[)\]])"
    r"|(?P<plus>[-+,;=<>&]|\\\\|\\(?:leq?|geq?|neq?|lt|gt|pm|cup|cap)(?![a-zA-Z]))"
    r"|(?P<symbol>\\(?:infty|circ|prime|alpha|beta|delta|theta|lambda|mu|phi|sigma|omega)(?![a-zA-Z]))"
    r"|(?P<pi>\\pi(?![a-zA-Z])|[Pp]i(?![a-zA-Z])|π)|(?P<exponential>\\?(?:exp|sinh|cosh)(?![a-zA-Z]))"
    r"|(?P<root>\\?sqrt(?![a-zA-Z])(?:\s*+\[[^\[\]]{0,20}\])?)|(?P<divides>/|\\[dt]?frac(?![a-zA-Z]))"
    r"|(?P<command>\\[A-Za-z]+)|(?P<letters>[A-Za-z]+)"
)


def digits(text: str) -> float:
    """Return an upper bound for the digits of every number that computing `text` produces. Linear in the text."""
    groups = [_FormulaGroup()]
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "open":
            groups.append(_FormulaGroup())
        elif kind == "close" and len(groups) > 1:
            _close(groups)
        else:
            groups[-1].read(kind, token.group())
    while len(groups) > 1:
        _close(groups)
    return max(groups[0].total(), groups[0].peak)


def _close(groups: list["_FormulaGroup"]) -> None:
    inner = groups.pop()
    groups[-1].atom(inner.total(), inner.is_divided)
    groups[-1].peak = max(groups[-1].peak, inner.peak)


@dataclass(slots=True)
class _FormulaGroup:
    r"""The part of one group that has been read: its largest finished term, the product under way, and its last power.

    power: a base with its exponents, as sizes in digits: [base, exponent, exponent of the exponent, ...].
    function_power: behind exp, sinh or cosh, the size of the function's own power, as in \exp^{2}(x); else None.
    is_divided: whether there is a fraction in the group, which as an exponent makes a root.
    """

    largest: float = 0.0
    terms: int = 1
    product: float = 0.0
    power: list[float] = field(default_factory=list)
    awaits_exponent: bool = False
    awaits_growth: bool = False
    awaits_radicand: bool = False
    function_power: float | None = None
    is_divided: bool = False
    peak: float = 0.0

    def read(self, kind: str | None, text: str) -> None:
        if kind == "number":
            self.is_divided |= "." in text
            self.atom(_size(text), "." in text)
        elif kind == "letters":
            self.atom(_E if text[-1] in "eE" else 0.0)
        elif kind == "symbol":
            self.atom(0.0)
        elif kind == "pi":
            self.atom(_PI)
        elif kind == "exponential":
            self.atom(_E)
            self.function_power = 0.0
        elif kind == "root":
            self.awaits_radicand = True
        elif kind == "divides":
            self.is_divided = True
            if self.awaits_exponent:
                self._refuse_root(self.power)
        elif kind == "matrix":  # its powers are computed: entries grow by about a digit each time
            self.atom(1.0)
        elif kind == "power":
            self.awaits_exponent = True
        elif kind == "grows":
            self.awaits_growth = True
        elif kind in ("factorial", "choose") and self.power:
            self.power[-1] = _grown(self.power[-1])
        elif kind == "plus" and not self.awaits_exponent:
            self._end_term()

    def atom(self, size: float, is_fraction: bool = False) -> None:
        if self.awaits_growth:
            size, self.awaits_growth = _grown(size), False
        if self.awaits_radicand:
            self._refuse_root([size])
            self.awaits_radicand = False
        if self.awaits_exponent:
            self.awaits_exponent = False
            if self.function_power is not None:
                self.function_power += size
                return
            if is_fraction:
                self._refuse_root(self.power)
        elif self.function_power is not None:
            size, self.function_power = size + self.function_power, None
        else:
            self._end_power()
        self.power.append(size)

    def _refuse_root(self, power: list[float]) -> None:
        if power and power[-1] > MAX_RADICAND:
            self.peak = 10.0**_HUGE

    def total(self) -> float:
        self._end_term()
        return min(self.largest + math.log10(self.terms - 1), 10.0**_HUGE)

    def _end_power(self) -> None:
        if self.power:
            size = self.power.pop()
            while self.power:
                self.peak = max(self.peak, size)
                size = self.power.pop() * _value(size)
            self.product += size
            self.peak = max(self.peak, self.product)

    def _end_term(self) -> None:
        self._end_power()
        self.largest = max(self.largest, self.product)
        self.product = 0.0
        self.terms += 1


def _size(literal: str) -> float:
    whole = literal.partition(".")[0] or "0"
    return len(whole) if len(whole) > 15 else math.log10(max(1, int(whole)))


def _value(size: float) -> float:
    return 10.0 ** min(size, _HUGE)


def _grown(size: float) -> float:
    """Return the digits of n! (and more than those of any binomial of n) for an n of `size` digits."""
    return _value(size) * max(size, 0.30103)
