"""The data step language/translated_fields: rows of which some texts are translated, into their language or from it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from string import Template
from typing import Any

from rewardlab import Ask, Context, Message, Sample
from rewardlab.errors import UserError
from rewardlab_answers import piecewise
from rewardlab_data.dropped_rows import DroppedRow

from rewardlab_language.alterations import alterations, question_alterations
from rewardlab_language.languages import resolve
from rewardlab_language.options import TranslatedFieldsOptions
from rewardlab_language.source_problem import UntranslatableRow
from rewardlab_language.translated_choices import Choices, choices_of
from rewardlab_language.translation import NoUsableTranslation, Translation, Translator, question
from rewardlab_language.translation_prompt import TranslationTemplate, load
from rewardlab_language.translation_step import dropped, translated_samples, untranslatable
from rewardlab_language.wording import wordings

PROMPT, ALTERED = "prompt", "altered"


class TranslatedFields:
    """An iterable of samples, streaming; each iteration asks again.

    A row is its source's with the fields that `write` names, and of a written prompt its last user message, made of
    translations, and with translated choices if `choices` names them; all else, its id too, stays. A text whose
    language is the target stays as it is. A long text other than a prompt or a choice is translated in pieces; a row
    is dropped if one of them has no translation. Its field `altered` says what the translations altered, in words.

    Iterating raises UserError for a row without a text or a language that can be translated, and JobError if the
    translator answers none of the questions about a text, or too many rows must be dropped.
    """

    def __init__(self, options: TranslatedFieldsOptions, context: Context) -> None:
        self._options, self._source = options, context.source
        self._judge = context.judges[options.translator]
        self._template = template_of(options)

    def __iter__(self) -> Iterator[Sample]:
        return translated_samples(
            "language/translated_fields", self._options, self._judge, self._template, self._source, self._translate_row
        )

    async def _translate_row(self, sample: Sample, translator: Translator) -> Sample | DroppedRow:
        language = _language(sample)
        source, target = ("en", language) if self._options.to == "row" else (language, self._options.to)
        texts = {name: _text(sample, name) for name in self._options.read}
        field = self._options.choices
        choices = None if field is None else choices_of(sample, field, self._options.max_choices)
        altered: list[str] = []

        async def translate(text: str, name: str) -> str:
            check = partial(question_alterations, answer=_answer(sample)) if name == PROMPT else alterations
            ask = partial(translator.translate, code=target, source=source, check=check)
            translated = await (ask(text) if name in (PROMPT, field) else self._in_pieces(text, name, ask))
            altered.extend(
                translated.descriptions(name, self._options.drop_altered, is_problem=name in (PROMPT, field))
            )
            return translated.text

        try:
            if source != target:
                choices, texts = await _translated(choices, field or "", texts, translate)
        except NoUsableTranslation as error:
            return dropped(sample.source or sample.id, language, error)
        except UntranslatableRow as error:
            return untranslatable(sample.source or sample.id, language, error)
        written = {name: Template(text).substitute(texts) for name, text in self._options.write.items()}
        prompt = sample.prompt if PROMPT not in written else _with_question(sample.prompt, written.pop(PROMPT))
        # sorted, since choices are translated at once
        fields = {**sample.fields, ALTERED: [*_altered_before(sample), *sorted(altered)], **written}
        if choices is not None and field is not None:
            fields[field] = choices.as_field()
        return replace(sample, prompt=prompt, fields=fields)

    async def _in_pieces(self, text: str, name: str, ask: Callable[[str], Awaitable[Translation]]) -> Translation:
        """Return a text's translation, made of those of its pieces, all of which are asked about at once."""
        pieces, most = piecewise.cut(text, self._options.piece), self._options.max_pieces
        if len(pieces) > most:
            raise UntranslatableRow(f"{name} has more than {most} pieces of {self._options.piece} characters")
        pieces_translated = await asyncio.gather(*(ask(piece) for piece, _ in pieces))
        shares = [translation.share for translation in pieces_translated if translation.share is not None]
        altered = [alteration for translation in pieces_translated for alteration in translation.altered]
        return Translation(
            piecewise.join(pieces, [translation.text for translation in pieces_translated]),
            min(shares, default=None),
            altered,
        )


async def _translated(
    choices: Choices | None, field: str, texts: dict[str, str], translate: Callable[[str, str], Awaitable[str]]
) -> tuple[Choices | None, dict[str, str]]:
    """Return choices and texts in the target language; a prompt that lists the choices lists their translations."""
    if choices is None:
        return None, {name: await translate(text, name) for name, text in texts.items()}
    known = await choices.translated(lambda text: translate(text, field))
    translations = {}
    for name, text in texts.items():
        before, form, behind = choices.part(text)
        parts = [await _around(translate, before, name), known.listed(form), await _around(translate, behind, name)]
        translations[name] = "".join(parts)
    return known, translations


async def _around(translate: Callable[[str, str], Awaitable[str]], text: str, name: str) -> str:
    """Return a text translated, between the white space that it has."""
    body = text.strip()
    if not body:
        return text
    start = text.index(body)
    return text[:start] + await translate(body, name) + text[start + len(body) :]


def _language(sample: Sample) -> str:
    """Return the ISO 639-1 code of the row's language. Raises UserError if it has none that a translator knows."""
    tag = sample.fields.get("language")
    if not isinstance(tag, str) or not tag.strip():
        raise UserError("no field 'language', which says what to translate into or from", where=sample.source)
    try:
        code = resolve(tag).name
    except ValueError as error:
        raise UserError(str(error), where=sample.source) from None
    if code not in wordings():
        raise UserError(f"language {tag!r}: no wording for it; there is one for {', '.join(wordings())}", sample.source)
    return code


def _answer(sample: Sample) -> str | None:
    """Return the row's right answer, which the translation of its question must not state."""
    answer = sample.fields.get("answer")
    return str(answer) if isinstance(answer, str | int | float) and not isinstance(answer, bool) else None


def _altered_before(sample: Sample) -> list[Any]:
    """Return what an earlier step's translations altered."""
    altered = sample.fields.get(ALTERED, [])
    if not isinstance(altered, list):
        raise UserError(f"field {ALTERED!r} is for what translations altered, a list; it is {altered!r}", sample.source)
    return altered


def _text(sample: Sample, name: str) -> str:
    if name == PROMPT:
        return sample.prompt[_last_user_turn(sample)]["content"]
    text = sample.fields.get(name)
    if not isinstance(text, str) or not text.strip():
        raise UserError(f"field {name!r} should hold text, not {text!r}", where=sample.source)
    return text


def _last_user_turn(sample: Sample) -> int:
    places = [place for place, message in enumerate(sample.prompt) if message["role"] == "user"]
    if not places:
        raise UserError("the prompt has no user message to translate", where=sample.source)
    return places[-1]


def _with_question(prompt: Sequence[Message], text: str) -> tuple[Message, ...]:
    last = max(place for place, message in enumerate(prompt) if message["role"] == "user")
    return (*prompt[:last], {"role": "user", "content": text}, *prompt[last + 1 :])


def template_of(options: TranslatedFieldsOptions) -> TranslationTemplate:
    """Return the template that the options name: the user's, or a packaged one."""
    return load(options.template, "translate_text.txt" if options.prompt == "fenced" else "translate_bare.txt")


def first_question(options: TranslatedFieldsOptions) -> Ask:
    """Return a small question in the form of those that the step asks."""
    target = "de" if options.to == "row" else options.to
    params = options.sampling.model_dump(exclude_none=True)
    return question(template_of(options), "Good morning.", target, params)


def calls(options: TranslatedFieldsOptions, rows: int) -> int:
    """Return the maximum number of questions to the translator for this many source rows, without retries."""
    texts = sum(1 if name == PROMPT else options.max_pieces for name in options.read)
    if options.choices is not None:  # each text may have a part before its choices and one behind them
        texts = 2 * texts + options.max_choices
    return rows * texts * options.candidates
