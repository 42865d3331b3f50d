"""The arguments RECIPE [KEY=VALUE ...] ROWS.jsonl; overrides may stand anywhere among them."""

from collections.abc import Sequence


def apart(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split arguments into (files, overrides), each in their original order."""
    overrides = [argument for argument in arguments if _is_override(argument)]
    return [argument for argument in arguments if not _is_override(argument)], overrides


def _is_override(argument: str) -> bool:
    key, equals, _ = argument.partition("=")
    return bool(equals) and "/" not in key
