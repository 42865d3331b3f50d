"""Texts put into English by a judge, piece by piece, each text once."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rewardlab import Ask, Reply
from rewardlab.errors import RewardlabError, one_line

from rewardlab_embed.pieces import cut, join
from rewardlab_embed.translation_prompt import TranslationTemplate, without_fence

PARAMS = {"temperature": 0.0}
GROWTH, ALLOWANCE = 10, 1000
"""An answer longer than GROWTH times its text and ALLOWANCE characters is not its translation."""
KEPT = 64 << 20
"""characters of texts and translations that are kept, for completions that come again"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Translation:
    """english: None where there is no translation; `failure` says why, and `by_server` that there was no answer.

    tokens: of all questions and answers. pieces: how many questions it took.
    """

    english: str | None = None
    failure: str | None = None
    by_server: bool = False
    tokens: int = 0
    pieces: int = 1


class Translator:
    """Asks one judge. Its questions depend on the text and its language, and on nothing else."""

    def __init__(self, judge: Any, template: TranslationTemplate, piece: int):
        self._judge, self._template, self._piece = judge, template, piece
        self._understood = getattr(judge, "understood", None)  # a judge that is no host's has none
        self._kept = _Kept()

    async def translate(self, text: str, language: str | None) -> Translation:
        """`text` in English; all of its pieces are asked about at once.

        language: the English name of the one that it is in, None where nobody knows. A JobError or UserError of the
        judge is raised; what else goes wrong is a translation's `failure`.
        """
        known = self._kept.get((text, language))
        if known is not None:
            return known
        pieces = cut(text, self._piece)
        replies = await asyncio.gather(*(self._ask(piece, language) for piece, _ in pieces))
        failures = [self._judged(reply, piece) for reply, (piece, _) in zip(replies, pieces, strict=True)]
        english = [without_fence(reply.text, piece).strip() for reply, (piece, _) in zip(replies, pieces, strict=True)]
        translation = _together(pieces, replies, failures, english)
        if not translation.by_server:  # another time there may be an answer
            self._kept.put((text, language), translation)
        return translation

    async def _ask(self, piece: str, language: str | None) -> Reply:
        parts = {"text": piece, "source": language, "target": "en"}
        try:
            return await self._judge.ask(
                Ask(messages=self._template.messages(piece, language), parts=parts, params=PARAMS)
            )
        except RewardlabError:  # the job is to stop, with this message
            raise
        except Exception as error:
            return Reply(error=one_line(error))

    def _judged(self, reply: Reply, piece: str) -> str | None:
        """What is wrong with an answer; None where there is nothing."""
        if reply.error is not None:
            return reply.error or "an error without a text"
        failure = _unusable(reply, piece)
        if self._understood is not None:
            self._understood(reply, failure is None)
        return failure


def _unusable(reply: Reply, piece: str) -> str | None:
    if reply.finish_reason == "length":
        return "the translation was cut off"
    english = without_fence(reply.text, piece).strip()
    if not english:
        return "the translation is empty"
    if len(english) > GROWTH * len(piece) + ALLOWANCE:
        return f"the translation is far too long ({len(english)} characters for {len(piece)})"
    return None


def _together(
    pieces: Sequence[tuple[str, str]],
    replies: Sequence[Reply],
    failures: Sequence[str | None],
    english: Sequence[str],
) -> Translation:
    tokens = sum((reply.prompt_tokens or 0) + (reply.completion_tokens or 0) for reply in replies)
    unanswered = next((reply.error for reply in replies if reply.error is not None), None)
    failure = next((failure for failure in failures if failure is not None), None)
    if unanswered is not None:
        failure = f"no translation: {unanswered}"
    return Translation(
        english=join(pieces, english) if failure is None else None,
        failure=failure,
        by_server=unanswered is not None,
        tokens=tokens,
        pieces=len(pieces),
    )


class _Kept:
    """The translations used last, up to a number of characters."""

    def __init__(self) -> None:
        self._size = 0
        self._by_text: OrderedDict[tuple[str, str | None], Translation] = OrderedDict()

    def get(self, key: tuple[str, str | None]) -> Translation | None:
        if key in self._by_text:
            self._by_text.move_to_end(key)
        return self._by_text.get(key)

    def put(self, key: tuple[str, str | None], translation: Translation) -> None:
        if key not in self._by_text:
            self._by_text[key] = translation
            self._size += _size(key, translation)
        while self._size > KEPT:
            self._size -= _size(*self._by_text.popitem(last=False))


def _size(key: tuple[str, str | None], translation: Translation) -> int:
    return len(key[0]) + len(translation.english or "")
