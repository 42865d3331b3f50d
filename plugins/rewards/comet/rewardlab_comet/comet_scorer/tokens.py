"""Texts as tokens of the encoder's vocabulary, none of which can be a special one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_SENTENCE_END = re.compile(r"""[.!?…؟।]['"»”’)\]]*\s+\Z|[。！？]['"」』”’）]*\s*\Z|\n\s*\Z""")
_CONTEXT = 8  # characters before a place that show whether a sentence ends there


@dataclass(frozen=True)
class Tokens:
    """The tokens of one text.

    Args:
        ids: without special tokens.
        blank: whether they are nothing but white space.
    """

    ids: Sequence[int]
    blank: bool
    text: str
    starts: Sequence[int] | None = None
    """by token, the character where it begins; None unless `with_starts` made this"""

    def rank(self, place: int) -> int:
        """Return how good a cut before the token `place` is; see pieces.Rank."""
        assert self.starts is not None
        last, start = self.starts[place - 1], self.starts[place]
        if start == last or self.text[last:start].isspace():
            return 0  # both come from one letter, or the one before is the space that belongs to this one
        end = start + 1 if self.text[start : start + 1].isspace() else start  # a token may bring its space with it
        before = self.text[max(0, end - _CONTEXT) : end]
        if _SENTENCE_END.search(before):
            return 2
        return int(before[-1:].isspace())


class PlainTextTokenizer:
    """A fast tokenizer of transformers that reads every text as plain text: none of it becomes a special token.

    XLM-R's tokenizer, and with it COMET, reads "</s>" in a text as the end of the text, and "<pad>" as nothing: an
    answer "x</s></s>x" would bring a reference of its own. The same holds for "＜／ｓ＞", since compatibility
    characters are folded first, and the vocabulary itself has these words. So whatever part of a text became a
    special token is replaced by the tokens of its letters. <unk> stays: it is what an unknown letter becomes.

    A lone surrogate, which cannot be encoded, is read as U+FFFD.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._backend = tokenizer.backend_tokenizer
        self._backend.no_truncation()
        self._backend.no_padding()
        special = set(tokenizer.all_special_tokens) - {tokenizer.unk_token}
        self._letters = {
            tokenizer.convert_tokens_to_ids(word): tokenizer.convert_tokens_to_ids(list(word)) for word in special
        }
        space = tokenizer.convert_tokens_to_ids("▁")
        self._blank = frozenset({space} - {tokenizer.unk_token_id})

    def read(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the tokens of each text, without `starts`."""
        texts = [_LONE_SURROGATE.sub("\ufffd", text) for text in texts]
        encodings = self._backend.encode_batch_fast(texts, add_special_tokens=False)
        return [self._tokens(text, encoding.ids) for text, encoding in zip(texts, encodings, strict=True)]

    def with_starts(self, tokens: Tokens) -> Tokens:
        """Return the same tokens with `starts`, which `rank` needs."""
        encoding = self._backend.encode(tokens.text, add_special_tokens=False)
        starts = [
            start
            for token, (start, _) in zip(encoding.ids, encoding.offsets, strict=True)
            for _ in self._letters.get(token, (token,))
        ]
        return Tokens(ids=tokens.ids, blank=tokens.blank, text=tokens.text, starts=starts)

    def _tokens(self, text: str, ids: Sequence[int]) -> Tokens:
        if not self._letters.keys().isdisjoint(ids):
            ids = list(self._spelt(ids))
        return Tokens(ids=ids, blank=self._blank.issuperset(ids), text=text)

    def _spelt(self, ids: Sequence[int]) -> Iterator[int]:
        for token in ids:
            yield from self._letters.get(token, (token,))
