"""The level that a judge's score means if it is not written as its rubric has it: "4/5", "score_4", "4: good", "４"."""

import re
import unicodedata
from typing import Any

from rewardlab_rubric.levels import Levels, with_plain_digits

MAX_LENGTH = 400
"""characters of a score that says more than its level"""

_KEY = r"(?:(?:score|level|rating)[\s_:=]*)?"  # no dash, which may be a minus
_NUMBER = r"[+-]?\d+(?:\.0+)?(?![\d.,]*\d)"
_OF = r"(?:\s?(?:/|out of|of)\s?(?P<most>\d+(?:\.0+)?)(?!\d))?"
_POINTS = r"(?:\s?(?:points?|stars?)\b)?"
_SEPARATORS = ":.,;([=-–—"
_AROUND = _SEPARATORS + " )]*_`'\""
# what stands behind a level and leaves open which is meant
_NO_COMMENT = re.compile(
    r"(?:or|to|minus|if|unless|between|but|max|maximum|min|minimum|at (?:most|least))\b|no\s?,|"
    r"too (?:high|low|generous|harsh)\b|(?:zero|one|two|three|four|five|six|seven|eight|nine|ten)\W*\Z"
)
_TAKEN_BACK = re.compile(
    r"\b(?:lower|higher)\W*\Z|\btoo (?:high|low|generous|harsh)\b|\d\s?[=:]|"
    r"\b(?:draft|provisional|preliminary|tentative|revised|corrected|instructed|requested|demanded)\b"
)
_OF_A_PART = re.compile(
    r"(?:(?:for|in|on|of) )?(?:the |its )?(?:style|form|format|formatting|layout|tone|grammar|spelling|wording"
    r"|writing|length|brevity|clarity|fluency|coherence|accuracy|correctness|content|depth|creativity|language|helpfulness"
    r"|honesty|safety|logic|reasoning|structure|relevance|completeness)(?: only| alone)?"
)
"""a comment that says of which part alone a level is"""
_DENIAL = re.compile(r"\b(?:not|no|never|wrong|untrue|hardly|mostly|partly|partially|almost|nearly)\b|n['’]t\b")
_LOSES = re.compile(
    r"\b(?:worse|worst|weak(?:er|est)|inferior|los(?:es|t|er)|fail(?:s|ed)|rejected|errors?|mistakes?)\b"
)
_NOT_A_NUMBER = re.compile(r"\bnot \d+\b")


def level_meant(levels: Levels, raw: Any) -> str | None:
    """Return the level that a score means in any plain form; None if it may mean another one, or none.

    What stands behind the level may say what it stands for, or why; if it has another level's text, a number or another
    level's name, none is meant. `4/10` means none on a scale to 5.
    """
    raw = with_plain_digits(raw) if isinstance(raw, str) else raw
    label = levels.label_of(raw)
    if label is not None or not isinstance(raw, str) or len(raw) > MAX_LENGTH:
        return label
    text = _plain(raw)
    if re.match(r"\W*(?:\.|[–—−])\d", raw):  # .4 is no 4, and –4 may be less than nothing
        return None
    if raw.count("*") % 2 or re.search(r"\A[^*]*\d ?\*+\W*\Z", raw):  # 4* has a footnote, and **4** is bold
        return None
    named = re.match(rf"{_KEY}(?P<name>{_names(levels)}){_OF}{_POINTS}", text)
    label = None if named is None else levels.label_of(named["name"].replace("_", " "))
    if named is None or label is None:
        return None
    is_share = named["most"] is not None
    if is_share and (levels.kind != "scale" or levels.label_of(named["most"]) != str(levels.ends[1])):
        return None
    return label if _is_comment(text[named.end() :], label, levels) else None


def _names(levels: Levels) -> str:
    """Return the pattern of what a level can be called."""
    return _NUMBER if levels.kind == "scale" else "|".join(name.replace(" ", "[ _]") for name in levels.labels)


def _is_comment(behind: str, label: str, levels: Levels) -> bool:
    """Return whether what follows a level says something of it, and names no other one."""
    words = _NOT_A_NUMBER.sub("", behind.strip(_AROUND)).strip(_AROUND)
    if not words:
        return behind.strip() != "-"
    if _NO_COMMENT.match(words) or _OF_A_PART.fullmatch(words) or _TAKEN_BACK.search(words) or re.match(r"-\w", behind):
        return False
    meanings = {level: _plain(text) for level, text in levels.texts.items()}
    if words.startswith(meanings[label]):
        return True
    if words.startswith(f"not {meanings[label]}") or (levels.kind != "scale" and _DENIAL.search(words)):
        return False
    if levels.kind == "pair" and _LOSES.search(words):
        return False
    others = [text for level, text in meanings.items() if level != label]
    if any(text.startswith(words) or words.startswith(text) for text in others) or any(map(str.isnumeric, words)):
        return False
    if levels.kind != "scale" and any(name in words for name in levels.labels):
        return False
    return behind.lstrip()[0] in _SEPARATORS


def _plain(text: str) -> str:
    """Return a text in one case and width, with single spaces, without marks around it."""
    folded = with_plain_digits(unicodedata.normalize("NFKC", text).casefold())  # as rubrics write it
    return " ".join(folded.split()).strip(_AROUND.replace("-", ""))
