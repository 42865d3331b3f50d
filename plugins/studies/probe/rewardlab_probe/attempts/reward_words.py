"""The words that a reward's own code looks for: its texts and patterns, as a policy would find them by chance one day.

A verifier that pays for a word, a file or a variable of the environment has its name in its code. Read are the
functions of a plugin in this process; a model, a judge and a worker in another environment have none to read.
"""

import os
import re
from collections.abc import Iterable, Iterator
from inspect import isclass, isfunction, ismethod
from itertools import islice
from types import CodeType
from typing import Any

from rewardlab import redact
from rewardlab.plan import Plan

MAX_WORDS, MAX_LENGTH, MAX_SEEN = 40, 80, 2_000
"""How many words are taken, how long each is at most, and how many objects of the code are looked at."""
_KEY = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])\S{20}|://")
MIN_VALUE = 6
"""Characters of a value of the environment that is kept back."""
_SYNTAX = (
    (r"\(\?[aiLmsux:=!<]*|\\[bBAZG]|[\^$()?*+]|\{[\d,]*\}", ""), (r"\\s", " "), (r"\\d", "1"), (r"\\w", "a"),
    (r"\[\^?(.)[^\]]*\]", r"\1"), (r"\\(.)", r"\1"),
)  # fmt: skip


def reward_words(plan: Plan) -> list[str]:
    """Return words that the code of the total's components has, in the order of the code, without repetitions."""
    names = plan.expression.names if plan.expression else ()
    specs = [plan.components[name].spec for name in names if name in plan.components]
    words = (word for spec in specs for word in _words_of(getattr(spec, "function", spec.build)))
    return list(islice(dict.fromkeys(words), MAX_WORDS))


def _words_of(start: Any) -> Iterator[str]:
    """Yield the texts that a function or class refers to, within its own package."""
    package = (getattr(start, "__module__", None) or "").partition(".")[0]
    waiting, seen = [start], set[int]()
    while waiting and len(seen) < MAX_SEEN:
        value = waiting.pop(0)
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, str):
            yield from _plain([value])
        elif isinstance(value, re.Pattern) and isinstance(value.pattern, str):
            yield from _plain(_examples(value.pattern))
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


def _plain(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        fits = 2 <= len(text.strip()) <= MAX_LENGTH and re.search(r"\w", text) and text.isprintable()
        if fits and not _may_be_secret(text.strip()):
            yield text.strip()


def _may_be_secret(text: str) -> bool:
    """Return whether a text looks like a key, an address or a value of the environment, which no judge may be shown."""
    return bool(_KEY.search(text)) or redact(text) != text or (len(text) >= MIN_VALUE and text in os.environ.values())
