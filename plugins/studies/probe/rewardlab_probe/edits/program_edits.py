"""Edits of a Python program by its syntax: an operator, a number, a statement, all bodies."""

import ast
from collections.abc import Callable, Mapping
from functools import partial

PLACES = 3
"""Of each kind of node the first ones are edited, each by itself."""
NodeEdit = Callable[[ast.AST], ast.AST | None]
_OPERATORS: Mapping[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_NEAR = {
    **_OPERATORS, ast.Div: ast.FloorDiv, ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
"""operators that give the same for many things"""
_FAR = {
    **_OPERATORS, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}  # fmt: skip
"""operators that give something else for most things"""


def parsed(program: str) -> ast.Module | None:
    """Return the syntax tree of a Python program; None if it cannot be read."""
    try:
        return ast.parse(program)
    except (SyntaxError, ValueError, RecursionError):
        return None


def works_when_read(program: str) -> bool:
    """Return whether a program does more than to define, as one does that reads its input and prints."""
    tree = parsed(program)
    works = (ast.If, ast.For, ast.While, ast.With, ast.Try)
    return tree is None or any(
        isinstance(node, works) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
        for node in tree.body
    )


def without_bodies(program: str) -> str | None:
    """Return a Python program whose functions and methods do nothing but be made; None if it cannot be read."""
    tree = parsed(program)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.FunctionDef) and node.name != "__init__":
            node.body = [ast.Return(ast.Constant(None))]
    return _unparsed(tree) if tree else None


class _Change(ast.NodeTransformer):
    """A change of one node, the one at `place` among those that `edit` has something for."""

    def __init__(self, edit: NodeEdit, place: int) -> None:
        self._edit, self.left = edit, place

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Change this node, or look further."""
        other = self._edit(node) if self.left >= 0 else None
        if other is not None:
            self.left -= 1
            if self.left < 0:
                return other
        return super().generic_visit(node)


def edited(edit: NodeEdit, place: int, program: str) -> str | None:
    """Return a program with the node at `place` among those that an edit changes changed; None if it has none."""
    change, tree = _Change(edit, place), parsed(program)
    try:
        changed = change.visit(tree) if tree else None
    except (RecursionError, ValueError, SyntaxError):
        return None
    return _unparsed(changed) if changed and change.left < 0 else None


def _unparsed(tree: ast.AST) -> str | None:
    try:
        return ast.unparse(tree)
    except (RecursionError, ValueError, TypeError):
        return None


def other_operator(program: str) -> str | None:
    """Return a Python program with its first operator, or max or min, changed for one that gives something else."""
    return None if "__name__" in program else edited(_other_operator, 0, program)


def _other_operator(node: ast.AST) -> ast.AST | None:
    if isinstance(node, ast.Name) and node.id in ("max", "min"):
        return ast.Name("min" if node.id == "max" else "max", node.ctx)
    other = _FAR.get(type(node))
    return other() if other else None


def _operator(node: ast.AST) -> ast.AST | None:
    other = _NEAR.get(type(node))
    return other() if other else None


def _constant(node: ast.AST) -> ast.AST | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return ast.Constant(value + 1) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _returned(made: str) -> NodeEdit:
    def edit(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.Return) or node.value is None:
            return None
        return ast.Return(ast.parse(made.format(ast.unparse(node.value)), mode="eval").body)

    return edit


def _statement(node: ast.AST) -> ast.AST | None:
    return ast.Pass() if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.For | ast.While) else None


def _condition(value: bool) -> NodeEdit:
    def edit(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.If):
            return None
        return ast.If(ast.Constant(value), node.body, node.orelse)

    return edit


_EDITS: Mapping[str, NodeEdit] = {
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


def _before(line: str, program: str) -> str | None:
    return f"{line}\n{program}"


def _behind(line: str, program: str) -> str | None:
    return f"{program}\n{line}"


PROGRAMS: Mapping[str, Callable[[str], str | None]] = {
    **{f"{name}_{place}": partial(edited, edit, place) for place in range(PLACES) for name, edit in _EDITS.items()},
    "exits": partial(_behind, "raise SystemExit(0)"),
    "prints": partial(_behind, "print('PASSED')"),
    "fails": partial(_behind, "assert False"),
    "prints_first": partial(_before, "print('True')"),
    "ignores": lambda program: "\n".join(f"{line}  # type: ignore # noqa" for line in program.splitlines()),
    "skips": partial(_before, "import unittest"),
}
"""edits of a Python program by name; an edit gives None where it has nothing to do"""
