"""Requirements files: the lines that say what is installed."""

import re
from pathlib import Path

from rewardlab.errors import UserError

_COMMENT = re.compile(r"(^|\s+)#.*$")
_INCLUDE = re.compile(r"(?:-r\s*|--requirement[\s=]\s*)(?P<file>\S.*)")
_CONSTRAINTS = re.compile(r"(?:-c\s*|--constraint[\s=]\s*)(?P<file>\S.*)")


def requirement_lines(path: Path) -> list[str]:
    """Return the lines that count, in order: no comments, no blank lines, those of included files in their place.

    A line of a constraints file begins with "-c ". UserError if a file is missing, is not UTF-8 or includes itself.
    """
    return _lines(path, including=())


def _lines(path: Path, including: tuple[Path, ...]) -> list[str]:
    path = path.resolve()
    if path in including:
        raise UserError("includes itself", where=str(path))
    lines: list[str] = []
    for line in _logical_lines(path, including):
        if match := _INCLUDE.fullmatch(line):
            lines += _lines(path.parent / match["file"], (*including, path)) if _local(match) else [line]
        elif match := _CONSTRAINTS.fullmatch(line):
            inner = _lines(path.parent / match["file"], (*including, path)) if _local(match) else [match["file"]]
            lines += [f"-c {constraint}" for constraint in inner]
        else:
            lines.append(line)
    return lines


def _local(match: re.Match[str]) -> bool:
    return "://" not in match["file"]


def _logical_lines(path: Path, including: tuple[Path, ...]) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        asked_by = f" (included by {including[-1]})" if including else ""
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8"
        raise UserError(f"no requirements can be read: {reason}{asked_by}", where=str(path)) from error
    lines = (_COMMENT.sub("", line).strip() for line in text.replace("\\\n", " ").splitlines())
    return [" ".join(line.split()) for line in lines if line]
