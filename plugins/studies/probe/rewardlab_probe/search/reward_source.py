"""The source of a reward that is a Python function, with what it calls in its own package, for whoever looks for gaps.

What looks like a key or a value of the environment is left out. A worker in another environment and a class that
`build` returns have none to read here.
"""

import inspect
import os
import re
from collections.abc import Iterator
from textwrap import dedent
from types import CodeType, FunctionType
from typing import Any

from rewardlab import redact

MAX_FUNCTIONS, MAX_VALUE, MIN_VALUE = 40, 400, 6
"""Functions that are read, characters of a constant, and of a value of the environment that is kept back."""
_KEY = re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])\w{32,}")


def reward_source(function: Any) -> str:
    """Return the source of a function and of what it refers to in its own package, it last; "" if it has none."""
    if not inspect.isfunction(function):
        return ""
    texts = [text for value in _reached(function) if (text := _source(value))]
    return _without_secrets("\n\n".join(texts[::-1]))


def _reached(function: FunctionType) -> list[Any]:
    """Return a function, and the functions, classes and constants that it refers to, directly or not."""
    package = function.__module__.partition(".")[0]
    found: list[Any] = [function]
    for value in found:
        if len(found) > MAX_FUNCTIONS:
            break
        if inspect.isfunction(value):
            found += [one for one in _referred(value, package) if not any(one is known for known in found)]
    return found


def _referred(function: FunctionType, package: str) -> Iterator[Any]:
    cells = (cell.cell_contents for cell in function.__closure__ or ())
    named = {name: function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__}
    for value in cells:
        if inspect.isfunction(value) and value.__module__.partition(".")[0] == package:
            yield value
    for name, value in named.items():
        if inspect.isfunction(value) or inspect.isclass(value):
            if value.__module__.partition(".")[0] == package:
                yield value
        elif isinstance(value, str | int | float | tuple | list | set | frozenset | dict | re.Pattern):
            yield _Constant(name, value)


class _Constant:
    """A name with a value that a function reads."""

    def __init__(self, name: str, value: Any) -> None:
        self.text = f"{name} = {value!r}"[:MAX_VALUE]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _source(value: Any) -> str:
    if isinstance(value, _Constant):
        return value.text
    try:
        return dedent(inspect.getsource(value)).strip()
    except (OSError, TypeError):
        return ""


def _without_secrets(source: str) -> str:
    for value in sorted(os.environ.values(), key=len, reverse=True):
        if len(value) >= MIN_VALUE:
            source = source.replace(f'"{value}"', '"[left out]"').replace(f"'{value}'", "'[left out]'")
    return redact(_KEY.sub("[left out]", source))
