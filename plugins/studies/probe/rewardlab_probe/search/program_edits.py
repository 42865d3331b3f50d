"""Edits of a Python program by its syntax: an operator, a number, a statement; none knows what was asked for."""

import ast
from collections.abc import Callable, Mapping
from functools import partial

PLACES = 3
"""Of each kind of node the first ones are edited, each by itself."""
_OPERATORS: Mapping[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.FloorDiv, ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
    ast.GtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


class _Change(ast.NodeTransformer):
    """A change of one node, the one at `place` among those that `edit` has something for."""

    def __init__(self, edit: Callable[[ast.AST], ast.AST | None], place: int) -> None:
        self._edit, self._left = edit, place

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Change this node, or look further."""
        other = self._edit(node) if self._left >= 0 else None
        if other is not None:
            self._left -= 1
            if self._left < 0:
                return other
        return super().generic_visit(node)

    @property
    def done(self) -> bool:
        """Whether a node was changed."""
        return self._left < 0


def _operator(node: ast.AST) -> ast.AST | None:
    other = _OPERATORS.get(type(node))
    return other() if other else None


def _constant(node: ast.AST) -> ast.AST | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return ast.Constant(value + 1) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _returned(made: str) -> Callable[[ast.AST], ast.AST | None]:
    def edit(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.Return) or node.value is None:
            return None
        return ast.Return(ast.parse(made.format(ast.unparse(node.value)), mode="eval").body)

    return edit


def _statement(node: ast.AST) -> ast.AST | None:
    return ast.Pass() if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.For | ast.While) else None


def _condition(value: bool) -> Callable[[ast.AST], ast.AST | None]:
    def edit(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.If):
            return None
        return ast.If(ast.Constant(value), node.body, node.orelse)

    return edit


_EDITS: Mapping[str, Callable[[ast.AST], ast.AST | None]] = {
    "operator": _operator,
    "constant": _constant,
    "statement": _statement,
    "always": _condition(True),
    "never": _condition(False),
    "plus_one": _returned("({}) + 1"),
    "plus_little": _returned("({}) + 0.01"),
    "negated": _returned("-({})"),
    "reversed": _returned("({})[::-1]"),
    "shorter": _returned("({})[:-1]"),
    "longer": _returned("({}) + ({})[:1]".replace("{}", "{0}")),
    "as_text": _returned("str({})"),
    "as_float": _returned("float({})"),
    "as_whole": _returned("int({})"),
    "as_list": _returned("list({})"),
    "as_tuple": _returned("tuple({})"),
    "as_set": _returned("set({})"),
    "as_truth": _returned("bool({})"),
    "spaces": _returned("({}) + ' '"),
    "lower": _returned("({}).lower()"),
    "upper": _returned("({}).upper()"),
    "sorted": _returned("sorted({})"),
    "once_each": _returned("list(dict.fromkeys({}))"),
    "as_iterator": _returned("iter({})"),
    "in_list": _returned("[{}]"),
}


def _edited(edit: Callable[[ast.AST], ast.AST | None], place: int, program: str) -> str | None:
    change = _Change(edit, place)
    try:
        changed = ast.unparse(ast.fix_missing_locations(change.visit(ast.parse(program))))
    except (SyntaxError, ValueError, RecursionError, TypeError):
        return None
    return changed if change.done else None


def _before(line: str, program: str) -> str | None:
    return f"{line}\n{program}"


def _behind(line: str, program: str) -> str | None:
    return f"{program}\n{line}"


PROGRAMS: Mapping[str, Callable[[str], str | None]] = {
    **{f"{name}_{place}": partial(_edited, edit, place) for place in range(PLACES) for name, edit in _EDITS.items()},
    "exits": partial(_behind, "raise SystemExit(0)"),
    "prints": partial(_behind, "print('PASSED')"),
    "fails": partial(_behind, "assert False"),
    "prints_first": partial(_before, "print('True')"),
    "ignores": lambda program: "\n".join(f"{line}  # type: ignore # noqa" for line in program.splitlines()),
    "skips": partial(_before, "import unittest"),
}
"""edits of a Python program by name; an edit gives None where it has nothing to do"""
