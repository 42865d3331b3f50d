"""Verifiers of the countdown game of the second set: two that take more than the game does, and one that does not."""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from rewardlab import Completion, Sample, reward
from rewardlab_answers import sections

FIELDS = ["numbers", "target"]
MAX_LENGTH = 300
MAX_EXPONENT, MAX_BASE = 8, 1_000
_SIGNS = str.maketrans({"\N{MULTIPLICATION SIGN}": "*", "\N{DIVISION SIGN}": "/", "\N{MINUS SIGN}": "-"})


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or abs(exponent) > MAX_EXPONENT or abs(base) > MAX_BASE:
        raise ValueError("too large")
    return Fraction(base ** int(exponent))


_Operators = Mapping[type[ast.operator], Callable[[Any, Any], Any]]
GAME: _Operators = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
"""what the task allows"""
PYTHON: _Operators = {**GAME, ast.Pow: _power, ast.FloorDiv: operator.floordiv}
"""what can be written with the same signs"""


def _expression(completion: Completion) -> str:
    return (sections.answer(completion.text) or "").strip().translate(_SIGNS)


def _value(expression: str, operators: _Operators) -> tuple[Fraction, list[int]] | None:
    """Return the exact value of an expression and the whole numbers in it; None if it is none."""
    numbers: list[int] = []

    def value(node: ast.expr) -> Fraction:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            numbers.append(node.value)
            return Fraction(node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            return value(node.operand) * (-1 if isinstance(node.op, ast.USub) else 1)
        if isinstance(node, ast.BinOp) and type(node.op) in operators:
            return Fraction(operators[type(node.op)](value(node.left), value(node.right)))
        raise ValueError("no arithmetic")

    if len(expression) > MAX_LENGTH or re.fullmatch(r"[\d+\-*/() ]+", expression, re.ASCII) is None:
        return None
    try:
        return value(ast.parse(expression, mode="eval").body), numbers
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError):
        return None


def _reached(sample: Sample, completion: Completion, operators: _Operators) -> Fraction | None:
    """Return the value of an expression that uses each number once; None if there is no such expression."""
    found = _value(_expression(completion), operators)
    return found[0] if found and sorted(found[1]) == sorted(sample.fields["numbers"]) else None


@reward(requires=FIELDS)
def second_cut_to_whole(sample: Sample, completion: Completion) -> float:
    """1 for each number once and a value that is the target as far as its whole part goes, as reasoning-gym had it."""
    reached = _reached(sample, completion, GAME)
    return float(reached is not None and int(reached) == sample.fields["target"])


@reward(requires=FIELDS)
def second_signs_of_python(sample: Sample, completion: Completion) -> float:
    """1 for each number once and the target, with whatever Python makes of the signs, as TinyZero has it."""
    return float(_reached(sample, completion, PYTHON) == sample.fields["target"])


@reward(requires=FIELDS)
def second_by_the_rules(sample: Sample, completion: Completion) -> float:
    """1 for each number once and exactly the target, by the four operations."""
    return float(_reached(sample, completion, GAME) == sample.fields["target"])
