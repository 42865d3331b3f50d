"""The texts and patterns in the code of a function, as a policy would find them by chance one day.

It imports the standard library only: a grader's own process runs it, too, in an environment without rewardlab.
"""

import re
from collections.abc import Iterator
from inspect import isclass, isfunction, ismethod
from types import CodeType
from typing import Any

MAX_SEEN = 2_000
"""objects of the code that are looked at"""
_SYNTAX = (
    (r"\(\?[aiLmsux:=!<]*|\\[bBAZG]|[\^$()?*+]|\{[\d,]*\}", ""), (r"\\s", " "), (r"\\d", "1"), (r"\\w", "a"),
    (r"\[\^?(.)[^\]]*\]", r"\1"), (r"\\(.)", r"\1"),
)  # fmt: skip


def code_texts(start: Any) -> Iterator[str]:
    """Yield the texts that a function or class refers to, within its own package."""
    package = (getattr(start, "__module__", None) or "").partition(".")[0]
    waiting, seen = [start], set[int]()
    while waiting and len(seen) < MAX_SEEN:
        value = waiting.pop(0)
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, str):
            yield value
        elif isinstance(value, re.Pattern) and isinstance(value.pattern, str):
            yield from _examples(value.pattern)
        elif isinstance(value, dict):  # no other mapping: one may be the environment
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, tuple | list | set | frozenset):
            waiting += value
        elif ismethod(value) or isfunction(value):
            waiting += _referred(value, package)
        elif isclass(value) and value.__module__.partition(".")[0] == package:
            waiting += [
                value for name, value in vars(value).items() if name != "__doc__" and not isinstance(value, str)
            ]


def _referred(function: Any, package: str) -> Iterator[Any]:
    if function.__module__.partition(".")[0] != package:
        return
    for code in _codes(function.__code__):
        yield from (value for value in code.co_consts if isinstance(value, str | tuple) and value != function.__doc__)
        yield from (function.__globals__[name] for name in code.co_names if name in function.__globals__)
    yield from (cell.cell_contents for cell in function.__closure__ or () if _is_full(cell))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _examples(pattern: str) -> Iterator[str]:
    """Yield what the alternatives of a simple pattern match, roughly: their letters, without the syntax."""
    for alternative in pattern.split("|"):
        for syntax, letters in _SYNTAX:
            alternative = re.sub(syntax, letters, alternative)
        yield alternative
