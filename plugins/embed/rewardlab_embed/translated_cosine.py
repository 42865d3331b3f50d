"""embed/translated_cosine: how near a part of the response is to the reference once it is in English."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rewardlab import Context, Score
from rewardlab.sides import Sides

from rewardlab_embed.cosine import Cosine, Item
from rewardlab_embed.model import HERE
from rewardlab_embed.options import TranslatedCosineOptions
from rewardlab_embed.outage import Outages
from rewardlab_embed.translation import Translation, Translator
from rewardlab_embed.translation_prompt import load

Question = tuple[str, str | None]
"""A text and its row's language."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _English:
    """text: what is compared; None where `error` says why nothing can be. info: how it came about."""

    text: str | None = None
    info: dict[str, Any] = field(default_factory=dict)
    error: str | None = None


class TranslatedCosine:
    """cos(E(translation of the prediction into English), E(reference)); ranges and empty parts as in embed/cosine.

    What is in English already, or has no words, is compared as it is. So is a text whose translation failed, under
    `on_failure: untranslated`; but where the server gave no answer to more than 5% of the last 1,000 translations
    (see `Outages`), a text without an answer is a failed score. The translator sees the response's text and nothing of
    the reference.
    `info` has, besides what embed/cosine says, `tokens` and (from 2 on) `pieces` of the translation, `skipped`
    ("english" or "no words") and `untranslated`, why a translation is of no use.
    Source: PB-RLSVR, R_TransEmb.
    """

    def __init__(self, options: TranslatedCosineOptions, context: Context):
        self._options = options
        self._cosine = Cosine(options, context)
        self._languages = context.workers.open(HERE / "english_worker.py", {})
        self._translator = Translator(context.judges[options.translator], load(options.template), options.piece)
        self._outages = Outages()

    async def score(self, items: Sequence[Item]) -> list[Score]:
        """One score an item. Raises what the workers' `ask` does, and a JobError or UserError of the judge."""
        compared = self._cosine.sides(items)
        scores = [self._cosine.without_model(two) for two in compared]
        asked = [index for index, score in enumerate(scores) if score is None]
        questions = [(compared[index].prediction, _language(items[index])) for index in asked]
        english = await self._in_english(list(dict.fromkeys(questions)))
        found = await self._scores([compared[index] for index in asked], [english[question] for question in questions])
        for index, score in zip(asked, found, strict=True):
            scores[index] = score
        return [score for score in scores if score is not None]

    async def _scores(self, compared: Sequence[Sides], english: Sequence[_English]) -> list[Score]:
        pairs = [(e.text, two.reference) for two, e in zip(compared, english, strict=True) if e.text is not None]
        cosines = iter(await self._cosine.cosines(pairs))
        made = (Score(error=e.error) if e.text is None else next(cosines) for e in english)
        return [replace(score, info={**score.info, **e.info}) for score, e in zip(made, english, strict=True)]

    async def _in_english(self, questions: Sequence[Question]) -> dict[Question, _English]:
        if not questions:
            return {}
        told = await self._languages.ask([{"text": text, "language": language} for text, language in questions])
        found = await asyncio.gather(*(self._one(text, said) for (text, _), said in zip(questions, told, strict=True)))
        return dict(zip(questions, found, strict=True))

    async def _one(self, text: str, told: dict[str, Any]) -> _English:
        if told["english"] is not False:
            return _English(text=text, info={"skipped": "english" if told["english"] else "no words"})
        translation = await self._translator.translate(text, told["language"])
        down = self._outages.note(translation.by_server)
        info = _info(translation)
        if translation.english is not None:
            return _English(text=translation.english, info=info)
        if self._options.on_failure == "missing" or (translation.by_server and down):
            return _English(error=translation.failure, info=info)
        return _English(text=text, info={**info, "untranslated": translation.failure})


def _language(item: Item) -> str | None:
    language = item[0].fields.get("language")
    return language if isinstance(language, str) else None


def _info(translation: Translation) -> dict[str, Any]:
    pieces = {"pieces": translation.pieces} if translation.pieces > 1 else {}
    return {"tokens": translation.tokens, **pieces}
