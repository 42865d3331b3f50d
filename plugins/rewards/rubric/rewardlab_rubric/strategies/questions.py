"""The language of a question to a judge: English, or the row's, with thoughts in English or in that language too.

Source: mR3 (Anugraha et al. 2025), section 3.1.3: ENG-ENG, TGT-ENG and TGT-TGT.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from rewardlab import Ask, Sample
from rewardlab.text import fence_key
from rewardlab_pairwise.pairwise_reward import query_of

from rewardlab_rubric.levels import Levels
from rewardlab_rubric.prompts import RubricTemplate, load
from rewardlab_rubric.published.layout import PublishedLayout
from rewardlab_rubric.published.mr3_prompts import Mr3Prompt, mr3_prompt
from rewardlab_rubric.published.r3_prompts import R3Prompt, r3_prompt
from rewardlab_rubric.replies.expected import PARAMS
from rewardlab_rubric.rubrics import (
    Rubric,
    Rubrics,
    chosen,
    field_of,
    is_in_rows_language,
    known_variants,
    rubrics_of_rows,
    variants_of_row,
)
from rewardlab_rubric.strategies.language_file import LanguageTexts
from rewardlab_rubric.strategies.language_prompts import CONTINUED, LanguageTemplate, RubricInLanguage
from rewardlab_rubric.strategies.language_texts import Languages, NoTexts
from rewardlab_rubric.strategies.rubric_translations import RowTranslations, translation_path, translations

ENGLISH = "en"


class QuestionOptions(Protocol):
    """The options of a reward by rubric that decide its questions."""

    @property
    def kinds(self) -> tuple[Any, ...]: ...
    @property
    def sort(self) -> Literal["single", "pair"]: ...
    @property
    def asks(self) -> str: ...
    @property
    def layout(self) -> Any: ...
    @property
    def rows(self) -> Any: ...
    @property
    def max_tokens(self) -> int | None: ...
    @property
    def rubric(self) -> Any: ...
    @property
    def applied(self) -> Any: ...
    @property
    def packaged(self) -> str | None: ...
    @property
    def with_ties(self) -> bool: ...
    @property
    def sections(self) -> Literal["r3", "mr3"]: ...
    @property
    def template(self) -> str | None: ...
    @property
    def trained(self) -> str | None: ...
    @property
    def expected(self) -> bool: ...
    @property
    def strategy(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def texts(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class RubricQuestion:
    """A question to a judge.

    Args:
        levels: what it may answer.
        variant: the number of the rubric's.
        key: of the fences.
    """

    ask: Ask
    levels: Levels
    variant: int
    key: str


class Questions:
    """The maker of every question by rubric, for rewards and for data steps: what a judge is trained on it is asked."""

    def __init__(self, options: QuestionOptions) -> None:
        """Raise ValueError that says what is wrong with the rubric, one of its translations, or the template."""
        self._options = options
        self._rubrics, self._template = rubrics_of(options), template_of(options)
        self._params = params_of(options)

    def rubric(self, sample: Sample) -> tuple[int, Rubric]:
        """Return the number of a row's variant and the variant.

        Raises ValueError that says what is wrong with the row's own.
        """
        return self._rubrics(sample)

    def about(self, sample: Sample, *texts: str) -> RubricQuestion:
        """Return the question about one response to a row's prompt, or about two. It raises as `rubric` does."""
        number, rubric = self.rubric(sample)
        return self.by(rubric, query_of(sample), *texts, variant=number)

    def by(self, rubric: Rubric, query: str, *texts: str, variant: int = 0) -> RubricQuestion:
        """Return the question about texts by a rubric of the options' language."""
        names = ("response",) if self._options.sort == "single" else ("a", "b")
        parts = {"query": query, **dict(zip(names, texts, strict=True))}
        key = fence_key(parts)
        ask = Ask(messages=self._template.messages(rubric, parts, key), parts=parts, params=self._params)
        return RubricQuestion(ask, rubric.levels, variant, key)


def template_of(options: QuestionOptions) -> RubricTemplate | LanguageTemplate | R3Prompt | Mr3Prompt:
    """Return what makes the messages of a question.

    Raises ValueError that says what is wrong with the file of a prompt.
    """
    if isinstance(options.layout, PublishedLayout):
        return _published(options) or r3_prompt(options.layout, options.asks)
    if options.strategy != "eng-eng":
        return LanguageTemplate(options.sort, forced=options.strategy == "tgt-tgt")
    made = load(options.template, options.sections, options.sort)
    if options.rows is None or options.rows.template is None:
        return made
    trained = load(None, options.sections, options.sort, text=options.rows.template)
    if options.template is not None and made != trained:
        raise ValueError(f"template is not the one of the rows that {options.trained} was trained on; leave it out")
    return trained


def _published(options: QuestionOptions) -> Mr3Prompt | None:
    """Return the published prompt of mR3 that asks; None if another prompt does."""
    layout = options.layout
    if not isinstance(layout, PublishedLayout) or not layout.of_mr3:
        return None
    return mr3_prompt(layout, options.kinds, options.strategy, options.language)


def known_rubrics(options: QuestionOptions) -> list[Rubric]:
    """Return the rubrics that are known before any row is; raises ValueError that says what is wrong with one."""
    published, rubric = _published(options), options.applied
    if published is not None:
        return published.known()
    variants = known_variants(rubric, options.kinds, options.packaged)
    return variants if rubric is not None or options.with_ties else [variant.without_ties() for variant in variants]


def rubrics_by_language(options: QuestionOptions) -> dict[str, list[Rubric]]:
    """Return what `known_rubrics` does, as that in English, and the translations that rows in other languages get."""
    known = known_rubrics(options)
    if options.strategy == "eng-eng" or _published(options) is not None or field_of(options.applied) is not None:
        return {ENGLISH: known}
    if options.applied is None:  # each language has one wording
        return {ENGLISH: known[:1]}
    languages = Languages(options.texts)
    others = translations(_file_of(options), options.kinds, languages.codes, languages.made)
    return {**others, ENGLISH: known}


def rubrics_of(options: QuestionOptions) -> Rubrics:
    """Return the function that gives each row its variant, in the row's language if the strategy asks for that.

    Raises ValueError that says what is wrong with the rubric or one of its translations; the function does for a row
    whose language has no texts, or no rubric.
    """
    if (published := _published(options)) is not None:
        return published.rubric
    if options.strategy != "eng-eng":
        return _RubricsInLanguages(options)
    if (of_rows := rubrics_of_rows(options.applied, options.kinds)) is not None:
        return of_rows
    variants = known_rubrics(options)
    return lambda sample: chosen(sample, variants)


def params_of(options: QuestionOptions) -> dict[str, Any]:
    """Return the parameters of a question for the server: probabilities, room, and to continue thoughts it begins."""
    begins = options.strategy == "tgt-tgt" or _published(options) is not None
    room = {} if options.max_tokens is None else {"max_tokens": options.max_tokens}
    return {**(PARAMS if options.expected else {}), **room, **(CONTINUED if begins else {})}


def stand_in(options: QuestionOptions, rubric: Rubric) -> Rubric:
    """Return a rubric in English as the strategy's template takes it."""
    if isinstance(options.layout, PublishedLayout):
        return r3_prompt(options.layout, options.asks).stand_in(options.kinds)
    if options.strategy == "eng-eng":
        return rubric
    return _in(Languages(options.texts).find("en"), rubric)


def stand_in_fields(options: QuestionOptions) -> dict[str, str]:
    """Return the fields of a row that decide by which rubric it is asked."""
    published = _published(options)
    return {options.language: "en", **({} if published is None else published.stand_in_fields())}


class _RubricsInLanguages:
    def __init__(self, options: QuestionOptions) -> None:
        self._options = options
        self._languages = Languages(options.texts)
        self._field = field_of(options.applied)
        self._translated = RowTranslations(self._languages.made, options.kinds)
        self._variants: dict[str, list[Rubric]] = {}
        if self._field is None and options.applied is not None:
            self._variants = translations(_file_of(options), options.kinds, self._languages.codes, self._languages.made)

    def __call__(self, sample: Sample) -> tuple[int, Rubric]:
        """Return the row's variant and its number. Raises NoTexts if its language has no texts, or not the rubric."""
        field = self._options.language
        try:
            texts = self._languages.find(sample.fields.get(field))
        except ValueError as error:
            raise type(error)(f"field {field!r}: {error}") from None
        number, rubric = self._chosen(sample, texts)
        return number, _in(texts, rubric)

    def _chosen(self, sample: Sample, texts: LanguageTexts) -> tuple[int, Rubric]:
        if self._field is not None:
            return chosen(sample, self._of_row(sample, self._field, texts))
        if self._options.applied is None:
            rubric = texts.binary if self._options.sort == "single" else texts.pairwise
            return 0, rubric if self._options.with_ties else rubric.without_ties()
        if texts.code not in self._variants:
            path = translation_path(_file_of(self._options), texts.code)
            raise NoTexts(f"there is no rubric in {texts.language}: write {path}, with the levels of the others")
        return chosen(sample, self._variants[texts.code])

    def _of_row(self, sample: Sample, field: str, texts: LanguageTexts) -> list[Rubric]:
        """Return the variants of a row's own rubric in its language."""
        original = variants_of_row(sample, field, self._options.kinds)
        if texts.code == ENGLISH or is_in_rows_language(self._options.applied):
            return original
        translated = self._translated.of(original, texts.code)
        if translated is None:
            problem = f"the English rubric in field {field!r} has no translation into {texts.language}"
            cure = "have rubric/translated_texts make it, with `rubric` as here, and name its file as `texts`"
            raise NoTexts(f"{problem}; {cure}; rubrics in the rows' languages are {{field: {field}, language: row}}")
        return translated


def _file_of(options: QuestionOptions) -> Path:
    if not isinstance(options.applied, str):
        raise ValueError(
            f"strategy {options.strategy} needs the rubric in each row's language: put it into a file, with "
            "translations beside it (quality.yaml, quality.de.yaml), or into a field of the row"
        )
    return Path(os.path.expanduser(options.applied))


def _in(texts: LanguageTexts, rubric: Rubric) -> RubricInLanguage:
    return RubricInLanguage(rubric.levels, rubric.description, texts)
