"""embed/translated_cosine: how near a part of the response is to the reference once it is in English."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rewardlab import Ask, Context, Score
from rewardlab_answers import ComparedTexts

from rewardlab_embed.cosine import Cosine, Item
from rewardlab_embed.model import HERE
from rewardlab_embed.options import TranslatedCosineOptions
from rewardlab_embed.outage import RecentFailures
from rewardlab_embed.translation import EnglishTranslation, EnglishTranslator, question
from rewardlab_embed.translation_prompt import EnglishTemplate, load

Question = tuple[str, str | None]
"""A text and its row's language."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _EnglishText:
    """The text that is compared with the reference.

    text: None if `error` says why there is none. info: how it was made, for the score.
    """

    text: str | None = None
    info: dict[str, Any] = field(default_factory=dict)
    error: str | None = None


def template_of(options: TranslatedCosineOptions) -> EnglishTemplate:
    """Return the template that the options name: the user's, or a packaged one."""
    return load(options.template, "to_english.txt" if options.prompt == "fenced" else "to_english_bare.txt")


def params_of(options: TranslatedCosineOptions) -> dict[str, Any]:
    """Return the parameters of each question, which override the judge's own options."""
    return options.sampling.model_dump(exclude_none=True)


def first_question(options: TranslatedCosineOptions) -> Ask:
    """Return a small question in the form of those that the reward asks."""
    return question(template_of(options), "Guten Morgen.", "German", params_of(options))


class TranslatedCosine:
    """The reward cos(E(English translation of the prediction), E(reference)); range and empty parts as in embed/cosine.

    A text that is in English already, or has no words, is compared as it is. So is a text whose translation failed,
    under `on_failure: untranslated`; but if the server did not answer more than 5% of the last 1,000 translations
    (see `OutageWatch`), a text without an answer is a failed score. The translator sees the response's text but not the
    reference. `info` has, besides the entries of embed/cosine, `tokens` and (from 2 on) `pieces` of the translation,
    `skipped` ("english" or "no words") and `untranslated`, why a translation is useless.
    Source: PB-RLSVR, R_TransEmb.
    """

    def __init__(self, options: TranslatedCosineOptions, context: Context) -> None:
        self._options = options
        self._cosine = Cosine(options, context)
        self._languages = context.workers.open(HERE / "english_worker.py", {})
        self._translator = EnglishTranslator(
            context.judges[options.translator], template_of(options), options.piece, params_of(options)
        )
        self._outages = RecentFailures()

    async def score(self, items: Sequence[Item]) -> list[Score]:
        """Return one score for each item.

        Raises what the workers' `ask` raises, and a JobError or UserError of the judge.
        """
        compared = self._cosine.compared_texts(items)
        scores = [self._cosine.score_without_model(texts) for texts in compared]
        open_ones = [index for index, score in enumerate(scores) if score is None]
        questions = [(compared[index].prediction, _language(items[index])) for index in open_ones]
        by_question = await self._in_english(list(dict.fromkeys(questions)))
        english = [by_question[question] for question in questions]
        model_scores = await self._scores([compared[index] for index in open_ones], english)
        for index, score in zip(open_ones, model_scores, strict=True):
            scores[index] = score
        return [score for score in scores if score is not None]

    async def _scores(self, compared: Sequence[ComparedTexts], english: Sequence[_EnglishText]) -> list[Score]:
        pairs = [(e.text, texts.reference) for texts, e in zip(compared, english, strict=True) if e.text is not None]
        cosines = iter(await self._cosine.cosines(pairs))
        scores = (Score(error=e.error) if e.text is None else next(cosines) for e in english)
        return [replace(score, info={**score.info, **e.info}) for score, e in zip(scores, english, strict=True)]

    async def _in_english(self, questions: Sequence[Question]) -> dict[Question, _EnglishText]:
        if not questions:
            return {}
        answers = await self._languages.ask([{"text": text, "language": language} for text, language in questions])
        pairs = zip(questions, answers, strict=True)
        translations = await asyncio.gather(*(self._english_text(text, answer) for (text, _), answer in pairs))
        return dict(zip(questions, translations, strict=True))

    async def _english_text(self, text: str, detected: dict[str, Any]) -> _EnglishText:
        """Return the text, translated unless the English detector's answer says that it need not be."""
        if detected["english"] is not False:
            return _EnglishText(text=text, info={"skipped": "english" if detected["english"] else "no words"})
        translation = await self._translator.translate(text, detected["language"])
        down = self._outages.note(translation.unanswered)
        info = _info(translation)
        if translation.english is not None:
            return _EnglishText(text=translation.english, info=info)
        if self._options.on_failure == "missing" or (translation.unanswered and down):
            return _EnglishText(error=translation.failure, info=info)
        return _EnglishText(text=text, info={**info, "untranslated": translation.failure})


def _language(item: Item) -> str | None:
    language = item[0].fields.get("language")
    return language if isinstance(language, str) else None


def _info(translation: EnglishTranslation) -> dict[str, Any]:
    pieces = {"pieces": translation.pieces} if translation.pieces > 1 else {}
    return {"tokens": translation.tokens, **pieces}
