"""Read `ANSWER: B` as inspect_ai's solver multiple_choice() does: the last line of that form counts.

Source: `parse_answers` in inspect_ai/solver/_multiple_choice.py, version 0.3.285. The same is found here without its
patterns, since some take quadratic time: a line "ANSWER:" with nothing behind it is an answer without a label.
"""

import re
from collections.abc import Iterator, Mapping

_DOLLARS = re.compile(r"\$\s*+([A-Za-z\d][A-Za-z\d ,]*+)\s*+\$")
_BOLD = re.compile(r"\*\*\s*+([A-Za-z\d][A-Za-z\d ,]*+)\s*+\*\*")
_BRACKETS = re.compile(r"(\A|[:,])(\s*+)\(([A-Za-z\d])\)(?=\s*+(?:[,.]|\Z)|[^\S\n]*+\n)")
_HEAD = re.compile(r"ANSWER\s*+:(\s*+)", re.IGNORECASE)
_SPACED = re.compile(r" \s")
_LINE_END = re.compile(r"[^\S\n]*+(?:\n|\Z|\.)")


def answer_line(text: str, choices: Mapping[str, str]) -> str | None:
    """Return the text after the last `ANSWER:` that begins a line and ends one, else after the last `ANSWER:`.

    None if there is none. It consists of letters and digits of ASCII and of the row's labels, spaces and commas.
    """
    letters = "".join({letter for label in choices for letter in label if not letter.isascii()})
    body = re.compile(rf"[A-Za-z\d ,{re.escape(letters)}]*+")
    text = _BRACKETS.sub(r"\1\2\3", _BOLD.sub(r"\1", _DOLLARS.sub(r"\1", text)))
    lines = list(_lines(text, body)) or list(_anywhere(text, body))
    return lines[-1].strip().rstrip(".") if lines else None


def labels_named(answer: str, choices: Mapping[str, str], several: bool) -> frozenset[str]:
    """Return the labels that an answer line names; empty if it names something else.

    Args:
        several: whether a question has several right choices, so that an answer may join labels.
    """
    by_name = {label.upper(): label for label in choices}
    upper = answer.upper()
    if not several:
        tokens = [token for token in upper.split(",") if token]
        return frozenset(by_name[token] for token in tokens if len(tokens) == 1 and token in by_name)
    joined = upper.replace(" AND ", ",").replace(" ", "")
    for parts in ({part for part in joined.split(",") if part}, set(joined)):
        if parts <= by_name.keys():
            return frozenset(by_name[part] for part in parts)
    return frozenset()


def _lines(text: str, body: re.Pattern[str]) -> Iterator[str]:
    """Yield what the answers say that begin a line and end one."""
    for head in _HEAD.finditer(text):
        if head.start() and text[head.start() - 1] != "\n":
            continue
        answer = _run(text, head, body)
        end = head.end() + len(answer)
        space = head[1].find(" ")
        if answer and _LINE_END.match(text, end):
            yield answer
        elif space >= 0 and ("\n" in head[1][space:] or (not answer and text[end : end + 1] in ("", "."))):
            yield ""


def _anywhere(text: str, body: re.Pattern[str]) -> Iterator[str]:
    """Yield what the answers say, one behind the other, wherever they stand."""
    over = 0
    for head in _HEAD.finditer(text):
        if head.start() < over:
            continue
        answer = _run(text, head, body)
        after = text[head.end() + len(answer) : head.end() + len(answer) + 1]
        if answer and not _is_word(after):
            over = head.end() + len(answer) + 1
            yield answer
        elif (cut := max(answer.rfind(" "), answer.rfind(","))) > 0:
            over = head.end() + cut + 1
            yield answer[:cut]
        elif _SPACED.search(head[1]) or (not answer and head[1].endswith(" ") and not _is_word(after)):
            yield ""


def _run(text: str, head: re.Match[str], body: re.Pattern[str]) -> str:
    match = body.match(text, head.end())
    return match[0] if match else ""


def _is_word(letter: str) -> bool:
    return letter == "_" or letter.isalnum()
