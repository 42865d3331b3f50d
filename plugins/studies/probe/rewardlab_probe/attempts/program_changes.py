"""Changes of a Python program by its syntax: another operator, no bodies; and what it does when it is read."""

import ast
from collections.abc import Mapping


def works_when_read(program: str) -> bool:
    """Return whether a program does more than to define, as one does that reads its input and prints."""
    try:
        body = ast.parse(program).body
    except (SyntaxError, ValueError, RecursionError):
        return True
    return any(
        isinstance(statement, ast.If | ast.For | ast.While | ast.With | ast.Try) or _calls(statement)
        for statement in body
    )


def _calls(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


class _NoBody(ast.NodeTransformer):
    """A change of every function and method: it does nothing but for being made."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Empty a function."""
        if node.name != "__init__":
            node.body = [ast.Return(ast.Constant(None))]
        return node


def without_bodies(program: str) -> str | None:
    """Return a Python program whose functions and methods do nothing; None if it cannot be read."""
    try:
        return ast.unparse(ast.fix_missing_locations(_NoBody().visit(ast.parse(program))))
    except (SyntaxError, ValueError, RecursionError):
        return None


class _OtherOperator(ast.NodeTransformer):
    """A change of the first operator, or of max and min, of a program."""

    _operators: Mapping[type[ast.AST], type[ast.AST]] = {
        ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
        ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
        ast.In: ast.NotIn, ast.NotIn: ast.In,
    }  # fmt: skip
    done = False

    def visit_If(self, node: ast.If) -> ast.AST:  # the name that ast asks for
        """Leave what a program does on its own alone: whoever calls its functions does not see that."""
        return node if "__name__" in ast.unparse(node.test) else self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Change this node if it is the first that can be."""
        other = self._operators.get(type(node))
        if isinstance(node, ast.Name) and node.id in ("max", "min"):
            other, node = None, ast.Name("min" if node.id == "max" else "max", node.ctx)
            self.done = True
        if other is not None and not self.done:
            self.done = True
            return other()
        return node if self.done else super().generic_visit(node)


def other_operator(program: str) -> str | None:
    """Return a Python program with its first operator changed; None if it has none."""
    change = _OtherOperator()
    try:
        changed = change.visit(ast.parse(program))
    except (SyntaxError, ValueError, RecursionError):
        return None
    return ast.unparse(changed) if change.done else None
