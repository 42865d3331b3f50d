"""Texts as token ids, in which no quoted text is read for special tokens.

A chat template writes special tokens around each message; the same strings inside of a message are somebody's text.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from rewardlab.types import Message

_STAND_IN = "\ue000{}\ue001"
"""what stands for a special token's text while the chat template is filled: private characters around a number"""
_STANDS_IN = re.compile("\ue000(\\d+)\ue001")


def literal_ids(tokenizer: Any, *texts: str, **how: Any) -> Any:
    """Return the tokenizer's encoding of a text, or a pair, in which special tokens are ordinary text."""
    return tokenizer(*texts, split_special_tokens=True, **how)


def chat_ids(tokenizer: Any, messages: Sequence[Message], render: Callable[[list[Any]], str]) -> list[int]:
    """Return the ids of `render(messages)`: of special tokens, only those that the chat template wrote are such.

    render: fills the chat template. Messages without a special token's text get the ids of the rendered text.
    """
    pattern = _special_pattern(tokenizer)
    literals: list[str] = []

    def stand_in(match: re.Match[str]) -> str:
        literals.append(match.group())
        return _STAND_IN.format(len(literals) - 1)

    contents = [message.get("content") or "" for message in messages]  # what lacks one is for the template to refuse
    if not any(map(pattern.search, contents)):
        return list(tokenizer(render([*messages]), add_special_tokens=False)["input_ids"])
    bare = [_STANDS_IN.sub("", content) for content in contents]  # a text that holds a stand-in would pose as one
    rendered = render(
        [
            {**message, "content": pattern.sub(stand_in, content)}
            for message, content in zip(messages, bare, strict=True)
        ]
    )
    ids: list[int] = []
    for number, piece in enumerate(_STANDS_IN.split(rendered)):
        if number % 2:
            ids += literal_ids(tokenizer, literals[int(piece)], add_special_tokens=False)["input_ids"]
        elif piece:
            ids += tokenizer(piece, add_special_tokens=False)["input_ids"]
    return ids


def _special_pattern(tokenizer: Any) -> re.Pattern[str]:
    """Return the pattern of every text that the tokenizer reads as a special token, the longest first."""
    added = {token.content for token in tokenizer.added_tokens_decoder.values() if token.special}
    special = sorted(added.union(map(str, tokenizer.all_special_tokens)), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, special)) or "(?!)")
