"""The description below each field of an options class, read from its source on demand.

Pydantic reads it whenever a class is made, at every start of a command: that took a fifth of `rewardlab check`.
"""

import ast
import inspect
from functools import lru_cache
from itertools import pairwise

from pydantic import BaseModel


@lru_cache(maxsize=256)
def descriptions_of(model: type[BaseModel]) -> dict[str, str]:
    """Return the text below each field of a model that has one, those of its bases too; none if the source is gone.

    `Field(description=...)` comes before it.
    """
    descriptions: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, BaseModel) and base is not BaseModel:
            descriptions |= _own(base)
    descriptions |= {name: field.description for name, field in model.model_fields.items() if field.description}
    return {name: text for name, text in descriptions.items() if text}


def _own(model: type[BaseModel]) -> dict[str, str]:
    """Return a text for each field that the class itself declares, "" if there is none below it."""
    try:
        lines, start = inspect.findsource(model)
    except (OSError, TypeError):  # made by a function or at a prompt
        return {}
    described = {}
    for statement, below in pairwise([*_body(ast.parse("".join(lines)), start + 1), ast.Pass()]):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            described[statement.target.id] = inspect.cleandoc(_text(below))
    return described


def _body(tree: ast.Module, line: int) -> list[ast.stmt]:
    """Return the statements of the class that begins at a line."""
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return next((cls.body for cls in classes if line in (cls.lineno, *(by.lineno for by in cls.decorator_list))), [])


def _text(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return statement.value.value if isinstance(statement.value.value, str) else ""
    return ""
