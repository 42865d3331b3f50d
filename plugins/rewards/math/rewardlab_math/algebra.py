r"""Compare formulas by math-verify (Kydlíček, HuggingFace), version 0.9.0.

Formulas are read by its parser, latex2sympy2_extended, as its `parse` reads those between delimiters, except that
letters keep their case if a formula has both. The time limits of `verify` use SIGALRM, which works only in the main
thread, so they are off and `deadline` takes their place. By default it answers "different" to its own errors, so
`raise_on_error` is set and errors are distinguished from differences.
"""

import logging
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import product

import sympy
from antlr4.dfa.DFA import DFA
from antlr4.PredictionContext import PredictionContextCache
from latex2sympy2_extended import NormalizationConfig, latex2sympy, normalize_latex
from latex2sympy2_extended.antlr_parser import PSParser
from latex2sympy2_extended.latex2sympy2 import ConversionConfig
from latex2sympy2_extended.logic import And
from math_verify import verify
from math_verify.grader import is_assignment_relation, is_equation, is_relation, take_last_relation
from math_verify.parser import get_last_eq, should_treat_as_complex

from rewardlab_math.common_values import agree
from rewardlab_math.degrees import in_radians
from rewardlab_math.differences import differ, explicit_sides
from rewardlab_math.members import marked, members_equal
from rewardlab_math.quantities import Quantity
from rewardlab_math.sets import evaluated
from rewardlab_math.units import without_unit
from rewardlab_math.wording import with_commas

_NORMALIZATION = NormalizationConfig(basic_latex=True, units=False, malformed_operators=True, nits=True, boxed="none")
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{(?:small|B)matrix\*?\}")
_FONT = re.compile(r"\\(?:text\w*|math\w+|mbox|begin|end|operatorname|left|right|[Bb]igg?[lr]?)(?![A-Za-z])")
_SYMBOL_NAME, _IMAGINARY = re.compile(r"\\[A-Za-z]+"), re.compile(r"(?<![A-Za-z])i(?![A-Za-z])")
_SYMBOL = re.compile(r"\\[A-Za-z]+|[A-Za-z]")
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
_MAX_TABLES = 50_000

_lock = threading.Lock()


def check_parser(parser: type = PSParser) -> None:
    """Raise ImportError if the parser does not have the tables that `parsing` empties."""
    cache = getattr(getattr(parser, "sharedContextCache", None), "cache", None)
    states = getattr(getattr(parser, "atn", None), "decisionToState", None)
    tables = getattr(parser, "decisionsToDFA", None)
    if not (isinstance(cache, dict) and isinstance(states, list) and isinstance(tables, list)):
        problem = "latex2sympy2_extended keeps its parser's tables elsewhere than rewardlab-math knows"
        raise ImportError(f"{problem}; pip install latex2sympy2_extended==1.11.0 'antlr4-python3-runtime>=4.13,<4.14'")


check_parser()


@contextmanager
def parsing() -> Iterator[None]:
    """Hold the parser while math-verify reads: all threads share its tables, which grow with what is read.

    They keep every form of nonsense that a policy ever wrote, so they are emptied once they are large.
    """
    with _lock:
        try:
            yield
        finally:
            if len(PSParser.sharedContextCache.cache) > _MAX_TABLES:
                PSParser.decisionsToDFA = [DFA(state, n) for n, state in enumerate(PSParser.atn.decisionToState)]
                PSParser.sharedContextCache = PredictionContextCache()


class UnparsableFormula(Exception):
    """A text that cannot be read as a formula."""


def _is_for_users(record: logging.LogRecord) -> bool:
    """Return whether a record is not math-verify's warning that its time limits are off: they are, on purpose."""
    return "Timeout is disabled" not in record.getMessage()


for _module in ("math_verify.parser", "math_verify.grader"):
    logging.getLogger(_module).addFilter(_is_for_users)


def formulas(text: str, *, decimal_comma: bool) -> list[sympy.Basic]:
    """Return the formulas that a text (see `notation.plain`) may mean, without its unit.

    Args:
        decimal_comma: a comma between digits may mark decimals.

    Raises UnparsableFormula for a text without a meaning.
    """
    text = with_commas(without_unit(in_radians(text).lstrip("= ").removeprefix(r"\approx")))
    writings = [text]
    if decimal_comma and _DECIMAL_COMMA.search(text):
        writings.append(_DECIMAL_COMMA.sub(".", text))
    parsed = []
    for writing in writings:
        with suppress(UnparsableFormula):
            parsed.append(_formula(writing))
    if not parsed:
        raise UnparsableFormula(text)
    return parsed


def _formula(latex: str) -> sympy.Basic:
    normalized = normalize_latex(_known_environments(latex.replace("$", "")), _NORMALIZATION)
    with parsing():
        for writing in dict.fromkeys((normalized, get_last_eq(normalized))):
            try:
                parsed = latex2sympy(
                    writing,
                    is_real=not (_IMAGINARY.search(_SYMBOL_NAME.sub(" ", writing)) or should_treat_as_complex(writing)),
                    convert_degrees=False,
                    normalization_config=None,
                    conversion_config=ConversionConfig(lowercase_symbols=not _tells_case_apart(latex)),
                )
                if parsed is not None:
                    return marked(evaluated(parsed), writing)
            except Exception:  # the parser raises whatever it runs into, sympy for a union of numbers: (0.1) \cup (2.3)
                continue
    raise UnparsableFormula(latex)


def _known_environments(latex: str) -> str:
    """Return a formula whose matrices have environments that the parser knows."""
    return _ENVIRONMENT.sub(r"\\\1{pmatrix}", latex) if "matrix" in latex else latex


def _tells_case_apart(latex: str) -> bool:
    r"""Return whether a letter stands in both cases, as in `\frac{m}{M + m}`; else `X` is `x`."""
    names = set(_SYMBOL.findall(_FONT.sub("", latex)))
    return any(name.lower() in names for name in names if name != name.lower())


def numbers(quantities: Iterable[Quantity]) -> list[sympy.Basic]:
    """Return the numbers that quantities may mean.

    Decimals become floats, which compare to six places; percents are read both ways.
    """
    values = []
    for quantity in quantities:
        for value in (quantity.value, quantity.value / 100)[: 1 + quantity.percent]:
            number = sympy.Rational(value.numerator, value.denominator)
            values.append(number if quantity.exact else sympy.Float(number, 15))
    return values


def any_equal(golds: Sequence[sympy.Basic], answers: Sequence[sympy.Basic]) -> bool:
    """Return whether any gold equals any answer. If none does, the first exception of a comparison passes through."""
    failure: Exception | None = None
    for gold, answer in product(golds, answers):
        try:
            if _equal(gold, answer):
                return True
        except Exception as error:
            failure = failure or error
    if failure is not None:
        raise failure
    return False


def _equal(gold: sympy.Basic, answer: sympy.Basic) -> bool:
    sides = explicit_sides(gold, answer) or _value_sides(gold, answer)
    if sides is not None:
        return _equal(*sides)
    if differ(gold, answer):
        return False  # math-verify compares six decimals: without this, 1e-19 is 0
    if is_relation(gold) and is_relation(answer) and gold.free_symbols != answer.free_symbols:
        return False  # math-verify compares solutions: without this, 0 = 1 equals every equation without a solution
    if _infinite(gold) != _infinite(answer) and not (_inequality(gold) or _inequality(answer)):
        return False  # sympy may simplify 12 - |oo| to 0
    same = members_equal(_as_interval(gold), _as_interval(answer), _equal)
    if same is not None:
        return same
    return agree(gold, answer) or verify(
        [gold], [answer], allow_set_relation_comp=True, timeout_seconds=None, raise_on_error=True
    )


def _value_sides(gold: sympy.Basic, answer: sympy.Basic) -> tuple[sympy.Basic, sympy.Basic] | None:
    """Return a value and the right side of an equation that names it, as math-verify compares `x = 5` with 5."""
    if is_equation(answer) and not is_relation(gold):
        return gold, take_last_relation(answer).rhs
    if is_assignment_relation(gold) and not is_relation(answer):
        return take_last_relation(gold).rhs, answer
    return None


def _as_interval(formula: sympy.Basic) -> sympy.Basic:
    """Return bounds of one name, `1 < x < 2`, as an interval; anything else as it is."""
    bounds = formula.args if isinstance(formula, And) else (formula,)
    if not (_inequality(formula) and len(formula.free_symbols) == 1 and all(map(_is_bound, bounds))):
        return formula
    interval = formula.as_set()
    return interval if isinstance(interval, sympy.Interval) else formula


def _is_bound(relation: sympy.Basic) -> bool:
    return any(isinstance(side, sympy.Symbol) for side in relation.args)


def _infinite(formula: sympy.Basic) -> bool:
    return formula.has(sympy.oo, -sympy.oo, sympy.zoo, sympy.nan)


def _inequality(formula: sympy.Basic) -> bool:
    """Return whether a formula is an inequality: it may equal an interval, in which infinities may be written out."""
    return is_relation(formula) and not is_equation(formula)
