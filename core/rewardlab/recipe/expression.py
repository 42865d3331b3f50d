"""The `total` of a recipe: an expression over the names of its components.

    sum     = product (("+" | "-") product)*
    product = factor (("*" | "/") factor)*
    factor  = "-" factor | number | name | "(" sum ")"
            | ("min" | "max") "(" sum ("," sum)+ ")" | "clip" "(" sum "," sum "," sum ")"

Nothing else is accepted: a recipe's text is never passed to Python's own parser. `progress` is a number, the share of a
training that is done, unless a component has that name.
"""

import keyword
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from rewardlab.errors import nearest
from rewardlab.recipe import expression_tree as tree
from rewardlab.recipe.expression_tree import FUNCTIONS, Interval, Node, Ranges, Values

_ALLOWED = "names, numbers, + - * /, min(a, b), max(a, b), clip(x, low, high) and parentheses"
_MAX_LENGTH, _MAX_DEPTH = 10_000, 50
PROGRESS = "progress"
"""in a total: the share of the stage's steps that is done, from 0 to 1"""


@dataclass(frozen=True)
class Expression:
    """A parsed expression. `names` lists its components in order of appearance.

    Args:
        progress: the number that `progress` stands for; None if the text has none, or it is the name of a
            component.
    """

    text: str
    names: tuple[str, ...]
    tree: Node = field(repr=False, compare=False)
    progress: float | None = None

    def at(self, progress: float) -> "Expression":
        """Return this expression of a total with another progress, which must be one that has some."""
        return parse(self.text, progress)

    def evaluate(self, values: Values) -> float:
        """Return the value for finite `values`, one for each name; values of other names are ignored.

        Raises an ArithmeticError that says where: a value is NaN or infinite (FloatingPointError), a part is too large
        (OverflowError), a denominator is 0 (ZeroDivisionError), a clip's low is above its high.
        """
        for name in self.names:
            if not math.isfinite(values[name]):
                raise FloatingPointError(f"{name} is {values[name]}")
        return float(self.tree.run(values))

    def range(self, ranges: Ranges) -> Interval:
        """Return an interval that contains the result of `evaluate` for all values within the closed `ranges`.

        It uses interval arithmetic, so a name that occurs twice counts as two. Raises ValueError if a denominator
        can be 0, a clip's low can be above its high, or a part can be too large for a number.
        """
        return self.tree.range(ranges)


def parse(text: str, progress: float | None = None) -> Expression:
    """Parse an expression. ValueError names the column (from 1), what is wrong there and what is allowed.

    progress: the number for `progress`, which is a name like any other without it.
    """
    parser = _Parser(text, progress)
    root = parser.sum()
    if parser.next.kind != "end":
        parser.expected("+ - * / or the end")
    names = tuple(name for name in parser.names if progress is None or name != PROGRESS)
    return Expression(text, names, root, progress)


def check_name(name: str) -> str | None:
    """Return the reason why a component cannot have this name; None if it can."""
    if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
        return "a component's name consists of letters (a to z), digits and _, and does not start with a digit"
    if name in FUNCTIONS:
        return f"{name} is a function of the total; choose another name"
    if keyword.iskeyword(name):
        return f"{name} is a Python keyword; choose another name"
    return None


# --- The parser

_TOKEN = re.compile(
    r"(?P<number>([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<space>[ \t\r\n]+)|(?P<sign>\*\*|//|[<>=!:]=|.)",
    re.DOTALL,
)


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


class _Parser:
    """A recursive-descent parser; it collects `names` while it parses."""

    def __init__(self, text: str, progress: float | None = None) -> None:
        self.text = text
        self.progress = progress
        if len(text) > _MAX_LENGTH:
            self.fail(_MAX_LENGTH, f"it is longer than {_MAX_LENGTH} characters")
        tokens = [_Token(match.lastgroup or "", match[0], match.start()) for match in _TOKEN.finditer(text)]
        self.rest = iter([token for token in tokens if token.kind != "space"])
        self.next = next(self.rest, _Token("end", "", len(text)))
        self.end = 0  # end of the last token taken
        self.depth = 0
        self.names: dict[str, None] = {}

    def take(self) -> _Token:
        token = self.next
        self.next = next(self.rest, _Token("end", "", len(self.text)))
        self.end = token.start + len(token.text)
        return token

    def fail(self, start: int, problem: str) -> NoReturn:
        *lines, last = self.text[:start].split("\n")
        line = f"line {len(lines) + 1}, " if lines else ""
        raise ValueError(f"{line}column {len(last) + 1}: {problem}; allowed are {_ALLOWED}")

    def expected(self, wanted: str) -> NoReturn:
        there = f"not {self.next.text!a}" if self.next.text else "it ends here"
        self.fail(self.next.start, f"{wanted} is expected, {there}")

    def sum(self) -> Node:
        return self.chain(("+", "-"), self.product)

    def product(self) -> Node:
        return self.chain(("*", "/"), self.factor)

    def chain(self, signs: tuple[str, str], operand: Callable[[], Node]) -> Node:
        start, first = self.next.start, operand()
        rest = []
        while self.next.text in signs:
            rest.append((self.take().text, operand()))
        return tree.chain(self.text[start : self.end], first, rest) if rest else first

    def factor(self) -> Node:
        self.depth += 1
        token = self.next
        if self.depth > _MAX_DEPTH:
            self.fail(token.start, f"it is nested more than {_MAX_DEPTH} deep")
        if token.kind == "number":
            node = self.number()
        elif token.kind == "name":
            node = self.name()
        elif token.text == "-":
            self.take()
            node = self.factor()
            node = tree.negative(self.text[token.start : self.end], node)
        elif token.text == "(":
            self.take()
            node = self.sum()
            self.close(token)
        else:
            self.expected("a name, a number, - or (")
        self.depth -= 1
        return node

    def number(self) -> Node:
        token = self.take()
        if self.next.kind == "name" and self.next.start == self.end:
            self.fail(token.start, f"{token.text + self.next.text!r} is not a number")
        if math.isinf(float(token.text)):
            self.fail(token.start, f"{token.text[:40]} is too large for a number")
        return tree.number(token.text, float(token.text))

    def name(self) -> Node:
        token = self.take()
        if self.next.text == "(":
            return self.call(token)
        if token.text in FUNCTIONS:
            self.fail(token.start, f"{token.text} is a function; write {token.text}(...)")
        if wrong := check_name(token.text):
            self.fail(token.start, wrong)
        self.names[token.text] = None
        if token.text == PROGRESS and self.progress is not None:
            return tree.number(PROGRESS, self.progress)
        return tree.name(token.text)

    def call(self, name: _Token) -> Node:
        if name.text not in FUNCTIONS:
            self.fail(name.start, f"no function {name.text!r}{nearest(name.text, FUNCTIONS)}")
        opening = self.take()
        arguments = [self.sum()]
        while self.next.text == ",":
            self.take()
            arguments.append(self.sum())
        self.close(opening)
        if name.text == "clip":
            self.check_clip(name.start, arguments)
        elif len(arguments) < 2:
            self.fail(name.start, f"{name.text} takes 2 or more arguments, not {len(arguments)}")
        return tree.call(self.text[name.start : self.end], name.text, arguments)

    def check_clip(self, start: int, arguments: list[Node]) -> None:
        if len(arguments) != 3:
            self.fail(start, f"clip takes 3 arguments, x, low and high, not {len(arguments)}")
        try:
            tree.call(self.text[start : self.end], "clip", [arguments[1], *arguments[1:]]).range({})
        except KeyError:
            return  # they contain a name, so only `range` can decide
        except ValueError as error:
            self.fail(start, str(error))

    def close(self, opening: _Token) -> None:
        if self.next.text != ")":
            self.expected(f"a ) for the ( of column {opening.start + 1}")
        self.take()
