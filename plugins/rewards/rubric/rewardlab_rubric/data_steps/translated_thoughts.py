"""The strategy `translated`: a teacher thinks in English, and a translator puts it into the row's language.

Source: mR3 (Anugraha et al. 2025), the ablation that translates English thoughts and explanations.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rewardlab import Context, Message, Sample
from rewardlab.errors import UserError
from rewardlab_language.translation import NoUsableTranslation, Translator, plain_template

from rewardlab_rubric.data_steps.judging_options import DistilledOptions
from rewardlab_rubric.strategies.language_texts import Languages
from rewardlab_rubric.strategies.questions import RubricQuestion

__all__ = ["NoUsableTranslation", "ThoughtTranslator", "TranslatedThoughts"]

ENGLISH = "en"


@dataclass(frozen=True)
class TranslatedThoughts:
    """A row's question, thoughts and answer in its language."""

    prompt: tuple[Message, ...]
    trace: str
    answer: str


class ThoughtTranslator:
    """A translator of a teacher's thoughts and explanations; levels stay as they are."""

    def __init__(
        self,
        options: DistilledOptions,
        context: Context,
        question: Callable[[Sample], RubricQuestion],
        begun: Callable[..., Any],
    ) -> None:
        """question: makes a row's question in its language. begun: cuts the begun reply off its messages."""
        assert options.translator is not None  # as the options check
        self._field, self._languages = options.language, Languages(options.texts)
        self._question, self._begun = question, begun
        judge = context.judges[options.translator]
        self._translator = Translator(
            judge, options.translator, plain_template(), options.candidates, options.least_share, options.translating
        )

    @property
    def failed(self) -> int:
        """The questions so far that had no answer, though others about the same text had one."""
        return self._translator.failed

    async def translate(self, sample: Sample, trace: str, explanation: str, label: str) -> TranslatedThoughts:
        """Return a row in its language.

        Raises NoUsableTranslation if there is none, UserError if the row has no language.

        Raises JobError if the translator answers no question about a text.
        """
        prompt, _ = self._begun(self._question(sample).ask.messages)
        try:
            texts = self._languages.find(sample.fields.get(self._field))
        except ValueError as error:
            raise UserError(f"field {self._field!r}: {error}", where=sample.source) from None
        parts = {"trace": trace, "explanation": explanation}
        if texts.code != ENGLISH:
            parts = {name: await self._text(text, texts.code, texts.language) for name, text in parts.items()}
        answer = json.dumps({"explanation": parts["explanation"], "score": label}, ensure_ascii=False)
        return TranslatedThoughts(prompt, parts["trace"], answer)

    async def _text(self, text: str, code: str, language: str) -> str:
        if not text.strip():
            return text
        translation = await self._translator.translate(text, code, ENGLISH, language)
        if any(tag in translation.text for tag in ("<think>", "</think>")):
            raise NoUsableTranslation("a translation with tags of thoughts", translation.text[:60])
        return translation.text
