"""The arguments RECIPE [KEY=VALUE ...] ROWS.jsonl; overrides may stand anywhere among them."""

from collections.abc import Sequence
from itertools import takewhile


def apart(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split arguments into (files, overrides), each in their original order."""
    overrides = [argument for argument in arguments if _is_override(argument)]
    return [argument for argument in arguments if not _is_override(argument)], overrides


def split_override(arguments: Sequence[str], surplus: bool) -> str | None:
    """Return, whole, the first override that the shell has split at spaces; None if there is none.

    It is one whose braces or brackets stay open, or if there are more files than a command takes (`surplus`), any that
    words follow which could be the rest of it.
    """
    for at, argument in enumerate(arguments):
        rest = list(takewhile(lambda word: not _is_override(word), arguments[at + 1 :]))
        if rest and _is_override(argument) and (surplus or _stays_open(argument)):
            return " ".join([argument, *rest])
    return None


def _stays_open(override: str) -> bool:
    value = override.partition("=")[2]
    return value[:1] in ("{", "[") and any(value.count(a) > value.count(b) for a, b in ("{}", "[]"))


def _is_override(argument: str) -> bool:
    key, equals, _ = argument.partition("=")
    return bool(equals) and "/" not in key
