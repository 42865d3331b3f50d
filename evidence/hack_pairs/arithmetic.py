"""The value of an arithmetic expression, without `eval`, and the numbers in it."""

import ast
import operator
import re

MAX_LENGTH = 300
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def value(expression: str) -> float | None:
    """Return the value of + - * / and brackets; None if it is anything else."""
    if len(expression) > MAX_LENGTH:
        return None
    try:
        return _value(ast.parse(expression.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError):
        return None


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return float(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return float(_OPERATORS[type(node.op)](_value(node.left), _value(node.right)))
    raise ValueError("no arithmetic")


def numbers(expression: str) -> list[int]:
    """Return the whole numbers in an expression, in order."""
    return [int(one) for one in re.findall(r"\d{1,9}", expression)]
