"""Measure the length of a text in tokens of a tokenizer, or in words if none is named."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from rewardlab.errors import UserError

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""scripts without blanks between words: Thai, Lao, Burmese, Khmer, kana, Han"""
_ACCENTS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u200c\u200d"
"""signs that belong to the letter before them, and the blocks of Indic scripts, which are full of such"""
_PIECE = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])[\w{_ACCENTS}])+|[^\w\s]")


def length_of(tokenizer: str | None) -> Callable[[str], int]:
    """Return the function that counts a text's tokens, without special ones. Raises UserError for no tokenizer.

    Args:
        tokenizer: a folder or a repository on the hub; None counts words, marks, and characters of scripts without
            blanks.
    """
    if tokenizer is None:
        return count_words
    try:
        from rewardlab_training import load_tokenizer

        loaded: Any = load_tokenizer(tokenizer)
    except ImportError:
        raise UserError(f"tokenizer {tokenizer!r} needs the package transformers; null counts words") from None
    return lambda text: len(loaded(text, add_special_tokens=False)["input_ids"])


def count_words(text: str) -> int:
    """Return how many words, marks, and characters of scripts without blanks a text has."""
    return sum(1 for _ in pieces(text))


def pieces(text: str) -> Iterator[str]:
    """Yield a text's words, marks, and characters of scripts without blanks."""
    return (match[0] for match in _PIECE.finditer(text))
