"""Tokens as linguists' corpora of English have them: words, their contractions apart, and each mark of punctuation."""

import re

from rewardlab_constraints.visible import marks


def _pattern() -> re.Pattern[str]:
    word = rf"[\w{marks()}]"
    contracted = r"(?:n['’]t|['’](?:s|m|d|re|ve|ll))\b"
    return re.compile(
        rf"{contracted}"
        rf"|\d+(?:[.,:/]\d+)*"
        rf"|(?:[A-Za-z]\.){{2,}}"
        rf"|(?:(?!{contracted}){word})+(?:[-/.*_](?:(?!{contracted}){word})+)*"
        rf"|\.\.+|--+|``|''|[^\s\w]",
        re.IGNORECASE,
    )


_TOKEN: list[re.Pattern[str]] = []


def tokens(text: str) -> list[str]:
    """Return the tokens of a text: "don't" is "do" and "n't", "well-known" and "U.S." are one."""
    if not _TOKEN:
        _TOKEN.append(_pattern())
    return _TOKEN[0].findall(text)
