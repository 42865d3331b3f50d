"""The score in a reply as the published evaluation code of R3 and of mR3 reads it. Any text is allowed."""

import json
import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class VerdictReading:
    """The verdict in a reply.

    Args:
        raw: its score as the reader gives it, of any JSON type; None without one.
        explanation: the judge's, if it could be read.
        start: where the score stands in the text; None if unknown.
    """

    raw: Any = None
    explanation: str | None = None
    start: int | None = None


_CHOICES = r"Response 1|Response 2|true|false|True|False|\d+(?:\.\d+)?"
_R3 = re.compile(rf'(?:\\?"score\\?"|score)\s*:\s*(?:"({_CHOICES})"|({_CHOICES}))')
_MR3 = re.compile(r"""(?:['"]?score['"]?)\s*:\s*(?:['"]([^'"]+)['"]|([^,}\s]+))""")
_ANY_CASE = re.compile(_MR3.pattern, re.IGNORECASE)
_THOUGHTS_END = "</think>"


def read_r3(text: str) -> VerdictReading:
    """Return the first score in the whole text, thoughts included; whole and decimal numbers as int (truncated).

    Source: rubricreward/r3 `6a9558e`, src/evaluation/eval.py, extract_score. JSON is not parsed there.
    """
    match = _R3.search(text)
    if match is None:
        return VerdictReading()
    group = 1 if match[1] is not None else 2
    return VerdictReading(raw=_whole(match[group]), start=match.start(group), explanation=_explanation(text))


def read_mr3(text: str) -> VerdictReading:
    """Return the score of the JSON object that follows the thoughts; without one, the first `score:` there.

    The type is that of the JSON; nothing is compared with the levels of a rubric.
    Source: rubricreward/mr3 `54ad59a`, src/evaluation/utils.py, parse_qwen3_response and extract_score.
    """
    _, cut, behind = text.partition(_THOUGHTS_END)
    answer = (behind if cut else text).strip()
    offset = text.index(answer, len(text) - len(behind) if cut else 0)
    try:
        verdict = json.loads(answer)
    except json.JSONDecodeError:
        return _first_mention(answer, offset)
    except (ValueError, RecursionError):
        return (
            VerdictReading()
        )  # a number of more digits than an int has, or deep nesting: the published code fails there
    if not isinstance(verdict, dict):
        return VerdictReading()
    explanation = verdict.get("explanation")
    raw = verdict.get("score")
    return VerdictReading(
        raw=raw,
        explanation=explanation if isinstance(explanation, str) else None,
        start=place_of(raw, text, offset, len(text)),
    )


def place_of(raw: Any, text: str, start: int, end: int) -> int | None:
    """Return where the last `score` of a part of a text, in any case, has this value; None if none does."""
    value = json.dumps(raw) if isinstance(raw, bool) else str(raw)
    place = None
    for match in _ANY_CASE.finditer(text, start, end):
        if (match[1] or match[2]).strip("'\"").startswith(value):
            group = 1 if match[1] is not None else 2
            place = match.start(group) + (match[group][:1] in "'\"")
    return place


def _first_mention(answer: str, offset: int) -> VerdictReading:
    match = _MR3.search(answer)
    if match is None:
        return VerdictReading()
    group = 1 if match[1] is not None else 2
    start = offset + match.start(group)
    try:
        return VerdictReading(raw=str(int(float(match[group]))), start=start)
    except (ValueError, OverflowError):
        return VerdictReading(raw=match[group], start=start)


def _whole(score: str) -> int | str | None:
    """Return digits as an int, decimals truncated, and words as they are; None for a number beyond any scale."""
    if not score[:1].isdigit():
        return score
    try:
        return int(score) if "." not in score else int(float(score))
    except (ValueError, OverflowError):
        return None


def _explanation(text: str) -> str | None:
    """Return the explanation if the text after the thoughts is JSON; else None."""
    try:
        verdict = json.loads(text.rpartition(_THOUGHTS_END)[2])
    except (ValueError, RecursionError):
        return None
    explanation = verdict.get("explanation") if isinstance(verdict, dict) else None
    return explanation if isinstance(explanation, str) else None
