"""The data step language/translated_fields: rows of which some texts are translated, into their language or from it."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from string import Template

from rewardlab import Ask, Context, Message, Sample
from rewardlab.data import DroppedRow, DroppedRows, in_order
from rewardlab.errors import UserError

from rewardlab_language.languages import resolve
from rewardlab_language.options import TranslatedFieldsOptions
from rewardlab_language.translated_choices import Choices, choices_of
from rewardlab_language.translation import NoUsableTranslation, Translator, question
from rewardlab_language.translation_prompt import TranslationTemplate, load
from rewardlab_language.wording import wordings

ROWS_AT_ONCE = 64
PROMPT = "prompt"


class TranslatedFields:
    """An iterable of samples, streaming; each iteration asks anew.

    A row is its source's with the fields that `write` names, and of a written prompt its last user message, made of
    translations, and with translated choices where `choices` names them; all else, its id too, stays. A text whose
    language is the target stays as it is.

    Iterating raises UserError for a row without a text or a language that can be translated, and JobError where the
    translator answers none of the questions about a text, or too many rows must be dropped.
    """

    def __init__(self, options: TranslatedFieldsOptions, context: Context):
        self._options, self._source = options, context.source
        self._judge = context.judges[options.translator]
        self._template = template_of(options)

    def __iter__(self) -> Iterator[Sample]:
        options = self._options
        translator = Translator(
            self._judge,
            options.translator,
            self._template,
            options.candidates,
            options.least_share,
            options.sampling.model_dump(exclude_none=True),
        )
        tally = DroppedRows("language/translated_fields", options.max_dropped, "could not be translated")

        async def translate(sample: Sample) -> Sample | DroppedRow:
            return await self._translate_row(sample, translator)

        with closing(in_order(iter(self._source), translate, ROWS_AT_ONCE)) as outcomes:
            for outcome in outcomes:
                if isinstance(outcome, DroppedRow):
                    tally.drop(outcome)
                else:
                    tally.keep()
                    yield outcome
        tally.close(translator.failed)

    async def _translate_row(self, sample: Sample, translator: Translator) -> Sample | DroppedRow:
        language = _language(sample)
        source, target = ("en", language) if self._options.to == "row" else (language, self._options.to)
        texts = {name: _text(sample, name) for name in self._options.read}
        field = self._options.choices
        choices = None if field is None else choices_of(sample, field, self._options.max_choices)

        async def translate(text: str) -> str:
            return (await translator.translate(text, target, source)).text

        try:
            if source != target:
                choices, texts = await _translated(choices, texts, translate)
        except NoUsableTranslation as error:
            where = sample.source or sample.id
            return DroppedRow(where=where, kind=language, reason=error.reason, detail=str(error), fault="judge")
        written = {name: Template(text).substitute(texts) for name, text in self._options.write.items()}
        prompt = sample.prompt if PROMPT not in written else _with_question(sample.prompt, written.pop(PROMPT))
        fields = {**sample.fields, **written}
        if choices is not None and field is not None:
            fields[field] = choices.as_field()
        return replace(sample, prompt=prompt, fields=fields)


async def _translated(
    choices: Choices | None, texts: dict[str, str], translate: Callable[[str], Awaitable[str]]
) -> tuple[Choices | None, dict[str, str]]:
    """Return choices and texts in the target language; a prompt that lists the choices lists their translations."""
    if choices is None:
        return None, {name: await translate(text) for name, text in texts.items()}
    known = await choices.translated(translate)
    found = {}
    for name, text in texts.items():
        before, form, behind = choices.part(text)
        parts = [await _around(translate, before), known.listed(form), await _around(translate, behind)]
        found[name] = "".join(parts)
    return known, found


async def _around(translate: Callable[[str], Awaitable[str]], text: str) -> str:
    """Return a text translated, between the white space that it has."""
    body = text.strip()
    if not body:
        return text
    start = text.index(body)
    return text[:start] + await translate(body) + text[start + len(body) :]


def _language(sample: Sample) -> str:
    """Return the ISO 639-1 code of the row's language. A UserError where it has none that a translator is told."""
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


def _text(sample: Sample, name: str) -> str:
    if name == PROMPT:
        return sample.prompt[_last_user_turn(sample)]["content"]
    text = sample.fields.get(name)
    if not isinstance(text, str) or not text.strip():
        raise UserError(f"field {name!r} holds no text, but {text!r}", where=sample.source)
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
    """Return the most questions that the translator gets for so many source rows, not counting repeated tries."""
    texts = len(options.read)
    if options.choices is not None:  # each text may have a part before its choices and one behind them
        texts = 2 * texts + options.max_choices
    return rows * texts * options.candidates
