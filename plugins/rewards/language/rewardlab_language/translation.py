"""Translate a text with a judge: ask for n candidates and keep the best."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewardlab import Ask, Reply
from rewardlab.errors import JobError
from rewardlab_data.dropped_rows import REFUSED, refusal

from rewardlab_language.alterations import Alteration, alterations, reason_of
from rewardlab_language.candidates import Candidate, best, clean
from rewardlab_language.options import DropAltered
from rewardlab_language.prose import prose
from rewardlab_language.share import ShareMeter, meter_of
from rewardlab_language.translation_prompt import TranslationTemplate, load, regional_name
from rewardlab_language.wording import wordings

GROWTH, ALLOWANCE = 8, 500
"""A candidate longer than GROWTH times its source plus ALLOWANCE characters is not its translation."""
Check = Callable[[str, str, str], Sequence[Alteration]]
"""of a text, its translation, and the code of the translation's language"""
SHOWN = 60  # characters of a candidate in a message


@dataclass(frozen=True)
class Translation:
    """A translated text.

    Args:
        share: the share of its letters that are in the target language, from 0 to 1; None for a text without words.
        altered: the changes to the text, if every candidate changed something.
    """

    text: str
    share: float | None
    altered: Sequence[Alteration] = ()

    def descriptions(self, name: str, drop: DropAltered, is_problem: bool) -> list[str]:
        """Return the alterations in words, each behind the `name` of what is translated.

        Raises NoUsableTranslation if rows with an altered text of this kind are dropped.
        """
        if self.altered and (drop == "all" or (drop == "problems" and is_problem)):
            descriptions = "; ".join(alteration.description for alteration in self.altered)
            raise NoUsableTranslation(reason_of(self.altered), descriptions)
        return [f"{name}: {alteration.description}" for alteration in self.altered]


class NoUsableTranslation(Exception):
    """Raised for a text whose translations are all unusable.

    `reason` is one of a few texts, `detail` describes this case.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason


class Translator:
    """A translator that asks one judge.

    Its questions depend on the text, the language and the draw, and on nothing else.
    """

    def __init__(
        self,
        judge: Any,
        name: str,
        template: TranslationTemplate,
        candidates: int,
        least_share: float,
        params: Mapping[str, Any],
    ) -> None:
        self._judge, self._name, self._template = judge, name, template
        self._draws, self._least_share, self._params = candidates, least_share, dict(params)
        self._meters: dict[str, ShareMeter] = {}
        self.failed = 0
        """questions so far that had no answer, though others about the same text had one"""

    async def translate(
        self, text: str, code: str, source: str = "en", language: str | None = None, check: Check = alterations
    ) -> Translation:
        """Return the best of the candidates. A text without words stays as it is, without a question.

        Args:
            code, source: ISO 639-1 codes of the target language and of the text's own.
            language: the target's English name; None: that of the code.
            check: returns what a candidate altered of the text; those that altered nothing come first.

        Raises NoUsableTranslation if no candidate is complete and in the language or the server refuses the text for
        good, and JobError if no question was answered.
        """
        name = language or wordings()[code].name
        if self._meter(code).measure(text).value is None and not prose(text).hidden:
            return Translation(text, None)
        asks = [question(self._template, text, code, self._params, draw, source, name) for draw in range(self._draws)]
        replies = await asyncio.gather(*map(self._judge.ask, asks))
        answered = [(draw, reply) for draw, reply in enumerate(replies) if reply.error is None]
        if not answered:
            if (refused := refusal(replies)) is not None:
                raise NoUsableTranslation(REFUSED, refused)
            raise JobError(f"translator {self._name!r} answered none of {len(replies)} questions: {replies[0].error}")
        self.failed += len(replies) - len(answered)
        candidates = [self._candidate(draw, reply, text, code, name, check) for draw, reply in answered]
        usable = [candidate for candidate in candidates if candidate is not None]
        chosen = best(usable, self._least_share)
        if chosen is None:
            raise _no_usable_translation(usable)
        return Translation(chosen.text, chosen.share, chosen.altered)

    def _candidate(self, draw: int, reply: Reply, text: str, code: str, name: str, check: Check) -> Candidate | None:
        """Return the candidate in an answer; None for one that was cut off, is empty, or is far too long."""
        translation = clean(reply.text, text, name).removeprefix(f"{regional_name(code, name)}:").strip()
        complete = not reply.cut_off and 0 < len(translation) <= GROWTH * len(text) + ALLOWANCE
        self._judge.report_parsed(reply, complete)  # how many rows may be in another language is for max_dropped
        if not complete:
            return None
        share = self._meter(code).measure(translation).value or 0.0
        return Candidate(text=translation, share=share, draw=draw, altered=check(text, translation, code))

    def _meter(self, code: str) -> ShareMeter:
        if code not in self._meters:
            self._meters[code] = meter_of(code)
        return self._meters[code]


def plain_template() -> TranslationTemplate:
    """Return the packaged template for a text that is not a problem to solve, shown in a fence."""
    return load(None, "translate_text.txt")


def question(
    template: TranslationTemplate,
    text: str,
    code: str,
    params: Mapping[str, Any],
    draw: int = 0,
    source: str = "en",
    language: str | None = None,
) -> Ask:
    """Return the question that asks to translate a text from and into the languages with these ISO 639-1 codes.

    Args:
        language: the target's English name; None: that of the code.
    """
    name = language or wordings()[code].name
    messages = template.messages(text, name, regional_name(code, name), wordings()[source].name)
    parts = {"text": text, "source": source, "target": code}
    return Ask(messages=messages, parts=parts, params=dict(params), draw=draw)


def _no_usable_translation(usable: Sequence[Candidate]) -> NoUsableTranslation:
    if not usable:
        return NoUsableTranslation("every candidate is empty, cut off or far too long")
    nearest = best(usable, 0.0)
    assert nearest is not None  # no share is below 0
    shown = nearest.text if len(nearest.text) <= SHOWN else nearest.text[: SHOWN - 3] + "..."
    return NoUsableTranslation("no candidate is in the language", f"share {nearest.share:.2f} in {shown!r}")
