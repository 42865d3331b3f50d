"""The arguments RECIPE [KEY=VALUE ...] ROWS.jsonl; overrides may stand anywhere among them."""

from collections.abc import Sequence


def sorted_out(arguments: Sequence[str]) -> tuple[str, str, list[str]]:
    """Return (recipe, rows, overrides); overrides may stand anywhere. UserError unless there are exactly two files."""
    from rewardlab.errors import UserError

    files, overrides = apart(arguments)
    if len(files) != 2:
        found = f"found {', '.join(files)}" if files else "found neither"
        raise UserError(f"a recipe and a file of rows are needed, in this order; {found}")
    return files[0], files[1], overrides


def with_rows_or_none(arguments: Sequence[str]) -> tuple[str, str | None, list[str]]:
    """Return (recipe, rows, overrides), rows None if left out. Raises UserError unless there are one or two files."""
    from rewardlab.errors import UserError

    files, overrides = apart(arguments)
    if len(files) not in (1, 2):
        found = f"found {', '.join(files)}" if files else "found neither"
        raise UserError(f"a recipe is needed and, after it, a file of rows or none; {found}")
    return files[0], files[1] if len(files) == 2 else None, overrides


def apart(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split arguments into (files, overrides), each in their original order."""
    overrides = [argument for argument in arguments if _is_override(argument)]
    return [argument for argument in arguments if not _is_override(argument)], overrides


def _is_override(argument: str) -> bool:
    key, equals, _ = argument.partition("=")
    return bool(equals) and "/" not in key
