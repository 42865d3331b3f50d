"""The tree of an expression: each node computes its value and its range, and lists its parts.

Rounding to nearest is monotone, so ends that come from the operations of `run`, in their order, contain every value
that `run` gives: intervals need no widening.
"""

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

Values = Mapping[str, float]
Interval = tuple[float, float]
Ranges = Mapping[str, Interval]
Kind = Literal["number", "name", "negative", "sum", "product", "call"]


class Node(NamedTuple):
    """A node in the tree of an expression.

    Args:
        parts: the nodes that it is made of, each with the sign before it: "+" and "-" in a sum, "*" and "/" in a
            product.
    """

    text: str
    run: Callable[[Values], float]
    range: Callable[[Ranges], Interval]
    kind: Kind
    parts: "tuple[tuple[str, Node], ...]" = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the component names in this node, once each, in order of appearance."""
        return tuple(dict.fromkeys(self._names()))

    def _names(self) -> Iterator[str]:
        if self.kind == "name":
            yield self.text
        for _, part in self.parts:
            yield from part._names()


def number(text: str, value: float) -> Node:
    """Return a node for a number, which is written so."""
    return Node(text, lambda values: value, lambda ranges: (value, value), "number")


def name(name: str) -> Node:
    """Return a node for a component's value."""

    def range_(ranges: Ranges) -> Interval:
        low, high = map(float, ranges[name])
        if not -math.inf < low <= high < math.inf:
            raise ValueError(f"the range [{low:g}, {high:g}] of {name} is not a closed finite interval")
        return low, high

    return Node(name, operator.itemgetter(name), range_, "name")


def negative(text: str, node: Node) -> Node:
    """Return a node that negates another one."""

    def range_(ranges: Ranges) -> Interval:
        low, high = node.range(ranges)
        return 0.0 - high, 0.0 - low

    return Node(text, lambda values: -node.run(values), range_, "negative", (("-", node),))


def chain(text: str, first: Node, rest: list[tuple[str, Node]]) -> Node:
    """Return a node for a sum or a product, evaluated left to right; it is flat, so a long one does not nest."""
    operations = [(_OPERATIONS.get(sign) or _division(node.text), node.run) for sign, node in rest]

    def run(values: Values) -> float:
        result = first.run(values)
        for apply, operand in operations:
            result = apply(result, operand(values))
        if not math.isfinite(result):
            raise OverflowError(f"`{text}` is {result}")
        return result

    def range_(ranges: Ranges) -> Interval:
        ends = first.range(ranges)
        for sign, node in rest:
            low, high = node.range(ranges)
            if sign == "/" and low <= 0 <= high:
                raise ValueError(f"the denominator `{node.text}` can be 0 (its range is [{low:g}, {high:g}])")
            apply: Callable[[float, float], float] = _OPERATIONS.get(sign, operator.truediv)
            corners = [apply(a, b) for a in ends for b in (low, high)]
            if not all(map(math.isfinite, corners)):
                raise ValueError(f"`{text}` can be too large for a number")
            ends = min(corners), max(corners)
        return ends

    kind: Kind = "sum" if rest[0][0] in "+-" else "product"
    return Node(text, run, range_, kind, (("+" if kind == "sum" else "*", first), *rest))


def call(text: str, function: str, arguments: list[Node]) -> Node:
    """Return a node for min, max or clip of the arguments."""
    apply = FUNCTIONS[function]
    runs = [argument.run for argument in arguments]

    def range_(ranges: Ranges) -> Interval:
        lows, highs = zip(*(argument.range(ranges) for argument in arguments), strict=True)
        if function == "clip" and highs[1] > lows[2]:
            ends = f"{arguments[1].text} up to {highs[1]:g}, {arguments[2].text} down to {lows[2]:g}"
            raise ValueError(f"in `{text}` low can be above high ({ends})")
        return apply(lows), apply(highs)

    parts = tuple(("", argument) for argument in arguments)
    return Node(text, lambda values: apply([run(values) for run in runs]), range_, "call", parts)


def _division(denominator: str) -> Callable[[float, float], float]:
    def divide(a: float, b: float) -> float:
        if b == 0:
            raise ZeroDivisionError(f"the denominator `{denominator}` is 0")
        return a / b

    return divide


def _clip(arguments: Sequence[float]) -> float:
    x, low, high = arguments
    if low > high:
        raise ArithmeticError(f"clip: low is {low:g}, above high, {high:g}")
    return low if x < low else high if x > high else x


_OPERATIONS: dict[str, Callable[[float, float], float]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
FUNCTIONS: dict[str, Callable[[Sequence[float]], float]] = {"min": min, "max": max, "clip": _clip}
