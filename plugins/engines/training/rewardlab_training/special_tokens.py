"""Texts as token ids, in which no quoted text is read for special tokens.

A chat template writes special tokens around each message; the same strings inside of a message are somebody's text. So
are what a tokenizer folds to them, such as `＜／ｓ＞`, and the words of its vocabulary: some spell `</s>` there, which
splitting special tokens does not reach. What would become a special token gets a space behind its first character.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rewardlab import Message

MAX_ROUNDS = 8
"""times that a text is read; one round suffices but for tokens whose parts are tokens, too"""


def literal_ids(tokenizer: Any, *texts: str, **how: Any) -> Any:
    """Return the tokenizer's encoding of a text, or a pair, in which special tokens are ordinary text."""
    return tokenizer(*(literal_text(tokenizer, text) for text in texts), **how)


def chat_ids(tokenizer: Any, messages: Sequence[Message], render: Callable[[list[Any]], str]) -> list[int]:
    """Return the ids of `render(messages)`: of special tokens, only those that the chat template wrote are such.

    Args:
        render: fills the chat template. A message without a content is for the template to refuse.
    """
    literal = [
        {**message, "content": literal_text(tokenizer, message["content"])} if message.get("content") else message
        for message in messages
    ]
    return list(tokenizer(render(literal), add_special_tokens=False)["input_ids"])


def literal_text(tokenizer: Any, text: str) -> str:
    """Return a text that a tokenizer reads without special tokens; most stay as they are.

    Raises ValueError if that cannot be, since a special token stands for single characters.
    """
    for _ in range(MAX_ROUNDS):
        starts = list(_special_starts(tokenizer, text))
        if not starts:
            return text
        pieces = (text[start:end] for start, end in zip([0, *starts], [*starts, len(text)], strict=True))
        text = " ".join(pieces)
    raise ValueError("the tokenizer has special tokens for single characters, which texts cannot do without")


def _special_starts(tokenizer: Any, text: str) -> Iterator[int]:
    """Yield the places behind the first characters of what becomes a special token. An unknown letter is none."""
    added = {number for number, token in tokenizer.added_tokens_decoder.items() if token.special}
    special = added.union(tokenizer.all_special_ids)
    names = {number: tokenizer.convert_ids_to_tokens(number) for number in special}
    if not tokenizer.is_fast:  # it has no places, and folds nothing before it looks for special tokens
        words = "|".join(map(re.escape, sorted(names.values(), key=len, reverse=True)))
        yield from (match.start() + 1 for match in re.finditer(words or "(?!)", text))
        return
    read = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    for number, (start, end) in zip(read["input_ids"], read["offset_mapping"], strict=True):
        written = text[start:end]
        if number not in special or (number == tokenizer.unk_token_id and _folded(written) != names[number]):
            continue
        yield start + len(written) - len(written.lstrip()) + 1


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip()
