"""The texts that rows need to be asked about in their languages, and the translations of their rubrics."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rewardlab import Sample
from rewardlab.errors import UserError

from rewardlab_rubric.levels import Kind
from rewardlab_rubric.options import TranslatedTextsOptions
from rewardlab_rubric.rubrics import Rubric, field_of, known_variants, variants_of_row
from rewardlab_rubric.strategies.language_file import code_of
from rewardlab_rubric.strategies.language_texts import Languages
from rewardlab_rubric.strategies.rubric_translations import sha_of

ENGLISH = "en"
KINDS: Sequence[Kind] = ("scale", "binary", "pair")


@dataclass(frozen=True)
class Language:
    """A language of rows.

    Args:
        code: by which its texts are known.
        name: for the translator.
        tag: the row's name for it.
        texts: whether it needs them.
    """

    code: str
    name: str
    tag: str
    texts: bool


@dataclass(frozen=True)
class Wanted:
    """A row to make.

    Args:
        texts: whether it has those of the language.
        variants: of the rubric to translate, or none.
    """

    id: str
    language: Language
    texts: bool
    variants: Sequence[Rubric] = ()


class WantedTexts:
    """A list of what is to be translated, made by reading rows."""

    def __init__(self, options: TranslatedTextsOptions) -> None:
        self._options = options
        self._packaged = Languages()
        self._codes = {name.casefold(): code for code, name in options.names.items()}
        self._field = field_of(options.rubric)
        self._variants = [] if options.rubric is None else known_variants(options.rubric, KINDS)

    def of(self, source: Iterable[Sample]) -> Iterator[Wanted]:
        """Yield what the rows need, each once: the texts of their languages, and translations of their rubrics.

        Raises UserError for a row without a language, or with more languages or rubrics than the options allow.
        """
        languages: set[str] = set()
        rubrics: set[str] = set()
        translations: set[tuple[str, str]] = set()
        for sample in source:
            language = self._language_of(sample)
            if language is None:
                continue
            if language.code not in languages:
                languages.add(language.code)
                self._refuse_many(languages, self._options.most, "languages", self._options.language, sample)
                if language.texts or self._variants:
                    yield Wanted(f"texts-{language.code}", language, language.texts, self._variants)
            if variants := self._own(sample):
                sha = sha_of(variants)
                rubrics.add(sha)
                self._refuse_many(rubrics, self._options.most_rubrics, "rubrics", self._field, sample)
                if (language.code, sha) not in translations:
                    translations.add((language.code, sha))
                    yield Wanted(f"rubric-{language.code}-{sha[:16]}", language, False, variants)

    def _own(self, sample: Sample) -> list[Rubric]:
        """Return the variants of the row's own rubric; none if it has none, as rows of one source among several."""
        if self._field is None or sample.fields.get(self._field) is None:
            return []
        try:
            return variants_of_row(sample, self._field, KINDS)
        except ValueError as error:
            raise UserError(str(error), where=sample.source) from None

    def _refuse_many(self, seen: set[str], most: int, kind: str, field: str | None, sample: Sample) -> None:
        if len(seen) > most:
            option = "most" if kind == "languages" else "most_rubrics"
            problem = f"more than {most} {kind} in field {field!r}; raise `{option}` if they are {kind}"
            raise UserError(problem, where=sample.source)

    def _language_of(self, sample: Sample) -> Language | None:
        tag = sample.fields.get(self._options.language)
        if not isinstance(tag, str) or not tag.strip():
            raise UserError(
                f"field {self._options.language!r} should name a language, not {tag!r}", where=sample.source
            )
        try:
            known = self._packaged.find(tag)
        except ValueError:
            code = self._codes.get(tag.strip().casefold()) or code_of(tag)
            if code is None:
                problem = f"{tag[:40]!r} is not a language code; give `names: {{eu: {tag[:40]}}}`, with its code"
                raise UserError(problem, where=sample.source) from None
            name = self._options.names.get(code, f"the language with the code {tag}")
            return Language(code, name, tag, texts=True)
        return None if known.code == ENGLISH else Language(known.code, known.language, tag, texts=False)
