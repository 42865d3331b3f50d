"""Translate texts into English with a judge, piece by piece, each text once."""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewardlab import Ask, Reply
from rewardlab.errors import RewardlabError, one_line
from rewardlab_answers import piecewise

from rewardlab_embed.translation_prompt import EnglishTemplate, without_fence

GROWTH, ALLOWANCE = 10, 1000
"""An answer longer than GROWTH times its text plus ALLOWANCE characters is not its translation."""
KEPT = 64 << 20
"""characters of texts and translations that are kept, for completions that come again"""


@dataclass(frozen=True, kw_only=True, slots=True)
class EnglishTranslation:
    """The translation of a text into English, or why there is none.

    Args:
        english: None if there is no translation; `failure` then says why.
        unanswered: whether the server gave no answer.
        tokens: those of all questions and answers.
        pieces: how many questions it took.
    """

    english: str | None = None
    failure: str | None = None
    unanswered: bool = False
    tokens: int = 0
    pieces: int = 1


class EnglishTranslator:
    """A translator into English that asks one judge.

    Its questions depend on the text and its language, and on nothing else.
    """

    def __init__(self, judge: Any, template: EnglishTemplate, piece: int, params: Mapping[str, Any]) -> None:
        self._judge, self._template, self._piece, self._params = judge, template, piece, dict(params)
        self._cache = _TranslationCache()

    async def translate(self, text: str, language: str | None) -> EnglishTranslation:
        """Return `text` in English; all of its pieces are asked about at once.

        Args:
            language: the English name of the text's language, None if it is not known. A JobError or UserError of
                the judge is raised; any other error becomes the translation's `failure`.
        """
        known = self._cache.get((text, language))
        if known is not None:
            return known
        pieces = piecewise.cut(text, self._piece)
        replies = await asyncio.gather(*(self._ask(piece, language) for piece, _ in pieces))
        failures = [self._failure(reply, piece) for reply, (piece, _) in zip(replies, pieces, strict=True)]
        english = [without_fence(reply.text, piece).strip() for reply, (piece, _) in zip(replies, pieces, strict=True)]
        translation = _join_replies(pieces, replies, failures, english)
        if not translation.unanswered:  # next time there may be an answer
            self._cache.put((text, language), translation)
        return translation

    async def _ask(self, piece: str, language: str | None) -> Reply:
        try:
            return await self._judge.ask(question(self._template, piece, language, self._params))
        except RewardlabError:  # the job is to stop, with this message
            raise
        except Exception as error:
            return Reply(error=one_line(error))

    def _failure(self, reply: Reply, piece: str) -> str | None:
        """Return what is wrong with an answer, None if nothing is; report to the judge whether it can be used."""
        if reply.error is not None:
            return reply.error or "an error without a text"
        failure = _fault(reply, piece)
        self._judge.report_parsed(reply, failure is None)
        return failure


def question(template: EnglishTemplate, text: str, language: str | None, params: Mapping[str, Any]) -> Ask:
    """Return the question that asks to translate a text from the language of that English name into English."""
    parts = {"text": text, "source": language, "target": "en"}
    return Ask(messages=template.messages(text, language), parts=parts, params=dict(params))


def _fault(reply: Reply, piece: str) -> str | None:
    if reply.cut_off:
        return "the translation was cut off"
    english = without_fence(reply.text, piece).strip()
    if not english:
        return "the translation is empty"
    if len(english) > GROWTH * len(piece) + ALLOWANCE:
        return f"the translation is far too long ({len(english)} characters for {len(piece)})"
    return None


def _join_replies(
    pieces: Sequence[tuple[str, str]],
    replies: Sequence[Reply],
    failures: Sequence[str | None],
    english: Sequence[str],
) -> EnglishTranslation:
    tokens = sum((reply.prompt_tokens or 0) + (reply.completion_tokens or 0) for reply in replies)
    error = next((reply.error for reply in replies if reply.error is not None), None)
    failure = next((failure for failure in failures if failure is not None), None)
    if error is not None:
        failure = f"no translation: {error}"
    return EnglishTranslation(
        english=piecewise.join(pieces, english) if failure is None else None,
        failure=failure,
        unanswered=error is not None,
        tokens=tokens,
        pieces=len(pieces),
    )


class _TranslationCache:
    """A cache of the translations used last, up to KEPT characters."""

    def __init__(self) -> None:
        self._size = 0
        self._by_text: OrderedDict[tuple[str, str | None], EnglishTranslation] = OrderedDict()

    def get(self, key: tuple[str, str | None]) -> EnglishTranslation | None:
        if key in self._by_text:
            self._by_text.move_to_end(key)
        return self._by_text.get(key)

    def put(self, key: tuple[str, str | None], translation: EnglishTranslation) -> None:
        if key not in self._by_text:
            self._by_text[key] = translation
            self._size += _size(key, translation)
        while self._size > KEPT:
            self._size -= _size(*self._by_text.popitem(last=False))


def _size(key: tuple[str, str | None], translation: EnglishTranslation) -> int:
    return len(key[0]) + len(translation.english or "")
