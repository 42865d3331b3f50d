r"""Write roots in Unicode as LaTeX does: `∛8` is `\sqrt[3]{8}`, `√12` is `\sqrt{12}`, `√(x+1)` is `\sqrt{x+1}`."""

import re

_INDEX = {"√": "", "∛": "[3]", "∜": "[4]"}
_RAISED = dict(zip("²³⁴⁵⁶⁷⁸⁹ⁿ", "23456789n", strict=True))
_ROOT = re.compile(
    r"(?:(?<![\w)\]}])(?P<index>[²³⁴⁵⁶⁷⁸⁹ⁿ]))?(?P<sign>[√∛∜])\s*(?P<radicand>\d+(?:[.,]\d+)?|[A-Za-zπ](?![A-Za-z])|[¼-¾⅐-⅞])?"
)
_OPENING = re.compile(r"(\\sqrt(?:\s*\[[^\[\]{}]{1,9}\])?)\s*\(")
MAX_ROOTS = 20


def with_commands(text: str) -> str:
    r"""Return a text in which the signs of roots are `\sqrt`, with braces round a number, a letter or brackets."""
    text = _ROOT.sub(_command, text)
    for _ in range(MAX_ROOTS):
        opening = _OPENING.search(text)
        end = _closing(text, opening.end()) if opening else None
        if opening is None or end is None:
            break
        text = f"{text[: opening.start()]}{opening[1]}{{{text[opening.end() : end]}}}{text[end + 1 :]}"
    return text


def _command(root: re.Match[str]) -> str:
    index = f"[{_RAISED[root['index']]}]" if root["index"] else _INDEX[root["sign"]]
    return rf"\sqrt{index}" + (f"{{{root['radicand']}}}" if root["radicand"] else " ")


def _closing(text: str, start: int) -> int | None:
    """Return the place of the bracket that closes the one before `start`."""
    depth = 1
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return None
