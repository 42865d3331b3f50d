"""The options of the rewards."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, PositiveInt, model_validator
from rewardlab import Config
from rewardlab_pairwise.pairwise_reward import PairwiseOptions

from rewardlab_rubric.published.layout import PartByField, PublishedLayout

if TYPE_CHECKING:
    from rewardlab_rubric.asked import Trained

Profile = Literal["strict", "r3_official", "mr3_official"]
Strategy = Literal["eng-eng", "tgt-eng", "tgt-tgt"]
Field_ = Annotated[str, Field(min_length=1)]


class RubricOptions(Config):
    """Options of every reward that asks a judge to apply a rubric."""

    kinds: ClassVar[tuple[Any, ...]]
    sort: ClassVar[Literal["single", "pair"]] = "single"
    asks: ClassVar[str]

    judge: Field_
    """the judge's name under `judges`"""
    rubric: str | dict[str, Any] | list[Any] | None = None
    """a file (YAML or JSON; relative to where the command runs), a mapping of levels, {description, scoring}, a list of
    such variants, or {field: NAME} if each row has its own rubric, in English: tgt-eng and tgt-tgt take its
    translations from `texts`. {field: NAME, language: row}: rows have it in their own language"""
    profile: Profile = "strict"
    """how a reply is read. strict: its last JSON object that is not a quotation, repaired if it is broken. r3_official,
    mr3_official: as the published evaluation code does"""
    layout: Literal["r3", "mr3"] | PublishedLayout | None = None
    """the sections of the prompt, after R3 (one message) or mR3 (with a system message); null: those of the profile, r3
    for strict. {file: ...}: a published prompt, out of your copy of its repository, for published judges"""
    template: str | None = None
    """a file with your own prompt; null takes the packaged one. See the plugin's README for its form"""
    expected: bool = False
    """whether the score is the mean over the levels, weighted with the probabilities of the judge's tokens; the server
    must send log-probabilities"""
    strategy: Strategy = "eng-eng"
    """the language of the question and of the judge's thoughts. eng-eng: English. tgt-eng: the question is in the row's
    language. tgt-tgt: the thoughts too, which the reward begins; the judge must continue them"""
    language: Field_ = "language"
    """tgt-eng and tgt-tgt: the field with the row's language, as a code, a tag such as pt-BR, or a name"""
    texts: str | None = None
    """tgt-eng and tgt-tgt: a folder with the texts of more languages, such as eu.yaml, which come before the packaged
    ones; or the file (JSON lines) that rubric/translated_texts made, which an earlier stage may write, and which has
    translations of rubrics, too"""
    trained: Field_ | None = None
    """the folder of the trained judge: layout, strategy, template, rubric and max_tokens are those of the rows of
    rubric/distilled that it was trained on, and one that is given must be too"""
    max_tokens: PositiveInt | None = None
    """the most tokens of the judge's reply, thoughts included; null: the judge's own"""

    @model_validator(mode="before")
    @classmethod
    def _as_trained(cls, options: Any) -> Any:
        from rewardlab_rubric.asked import as_trained

        return as_trained(options, cls.asks) if isinstance(options, dict) and options.get("trained") else options

    @property
    def rows(self) -> "Trained | None":
        """The questions of the judge's training rows; None if the recipe names no folder."""
        from rewardlab_rubric.asked import trained

        return None if self.trained is None else trained(self.trained, self.asks)

    @property
    def applied(self) -> Any:
        """The rubric as the recipe has it, or else as a trained judge's rows had it; None for the packaged one."""
        return self.rubric if self.rubric is not None or self.rows is None else self.rows.rubric

    @property
    def asked(self) -> "list[RubricOptions]":
        """The options of the questions: these."""
        return [self]

    @property
    def needs(self) -> list[str]:
        """The fields that each row must have."""
        from rewardlab_rubric.rubrics import field_of

        field = field_of(self.applied)
        part = self.layout.part if isinstance(self.layout, PublishedLayout) else None
        named = [field, part.field if isinstance(part, PartByField) else None]
        named += [] if self.strategy == "eng-eng" else [self.language]
        return [name for name in named if name is not None]

    @property
    def sections(self) -> Literal["r3", "mr3"]:
        """The layout that the prompt has."""
        if self.strategy != "eng-eng" or (isinstance(self.layout, PublishedLayout) and self.layout.of_mr3):
            return "mr3"
        if isinstance(self.layout, PublishedLayout):
            return "r3"
        return self.layout or ("mr3" if self.profile == "mr3_official" else "r3")

    @property
    def packaged(self) -> str | None:
        """The name of the packaged rubric that is the default; None if a rubric is required."""
        return None

    @property
    def with_ties(self) -> bool:
        """Whether the packaged rubric has the levels Tie and Both Bad."""
        return False

    @model_validator(mode="after")
    def _check_files(self) -> "RubricOptions":
        from rewardlab_rubric.golden_groups import golden_groups
        from rewardlab_rubric.replies.reading import unreadable
        from rewardlab_rubric.strategies.questions import known_rubrics, rubrics_of, template_of

        self._check_strategy()
        self._check_published()
        template_of(self)
        for variant in known_rubrics(self):
            if (label := unreadable(variant.levels, self.profile)) is not None:
                raise ValueError(f"profile {self.profile} cannot read the level {label!r}; take strict for this rubric")
            if self.rows is not None and self.rubric is not None:
                self.rows.check_levels(list(variant.levels.texts))
        rubrics_of(self)
        golden_groups(self)
        return self

    def _check_published(self) -> None:
        layout = self.layout if isinstance(self.layout, PublishedLayout) else None
        if layout is None or not layout.of_mr3:
            if self.applied is None and (self.packaged is None or layout is not None):
                raise ValueError("rubric is missing: a file, a mapping of levels, or {field: NAME}")
        elif self.rubric is not None:
            raise ValueError(f"layout: {layout.texts} has the rubrics; leave `rubric` out")
        if layout is not None and (self.template, self.texts) != (None, None):
            raise ValueError("layout names a published prompt; leave `template` and `texts` out")

    def _check_strategy(self) -> None:
        from rewardlab_rubric.rubrics import is_in_rows_language

        if self.strategy == "eng-eng":
            if is_in_rows_language(self.rubric):
                raise ValueError("rubric is in each row's language (`language: row`), and strategy eng-eng is English")
            if self.texts is not None:
                raise ValueError("texts of other languages serve strategy tgt-eng or tgt-tgt; this is eng-eng")
            return
        if self.layout == "r3" or (isinstance(self.layout, PublishedLayout) and not self.layout.of_mr3):
            raise ValueError(f"layout r3 is in English alone; leave it out for strategy {self.strategy}")
        if self.template is not None:
            raise ValueError(f"a template is in one language; for strategy {self.strategy} give `texts` in its place")


class PointwiseOptions(RubricOptions):
    """Options of rubric/pointwise."""

    kinds: ClassVar[tuple[Any, ...]] = ("scale",)
    asks: ClassVar[str] = "pointwise"

    read: Literal["response", "all"] = "response"
    """the judged part. response: the text after the last `</think>`, and nothing of thoughts that do not end. all: the
    whole completion"""


class BinaryOptions(PointwiseOptions):
    """Options of rubric/binary."""

    kinds: ClassVar[tuple[Any, ...]] = ("binary",)
    asks: ClassVar[str] = "binary"

    @property
    def packaged(self) -> str | None:
        """The rubric for right and wrong."""
        return "binary"


class PairOptions(RubricOptions, PairwiseOptions):
    """Options of rubric/pairwise."""

    kinds: ClassVar[tuple[Any, ...]] = ("pair", "scale")
    asks: ClassVar[str] = "pairwise"
    sort: ClassVar[Literal["single", "pair"]] = "pair"

    ties: bool = False
    """whether the packaged rubric of layout mr3 has the levels Tie and Both Bad, as mR3's rows to train on do; its
    evaluations have two levels"""
    both_bad: Literal["zero", "half", "drop"] = "zero"
    """the value of Both Bad. zero: neither answer gets anything. half: a tie. drop: nothing; the other order decides,
    else the comparison is missing"""

    @property
    def packaged(self) -> str | None:
        """The rubric for the better of two."""
        return "pairwise_mr3" if self.sections == "mr3" else "pairwise"

    @property
    def with_ties(self) -> bool:
        """Whether the packaged rubric has the levels Tie and Both Bad."""
        return self.ties

    @model_validator(mode="after")
    def _check_ties(self) -> "PairOptions":
        if self.ties and (self.rubric is not None or self.sections != "mr3"):
            raise ValueError(
                "ties goes with the packaged rubric of layout mr3; give your own rubric such levels itself"
            )
        return self


class VerdictOptions(Config):
    """Options of rubric/verdict."""

    gold: Field_ = "score"
    """the field with the right score, a number, a text, or true or false"""
    profile: Profile = "strict"
    """how the policy's score is read; see rubric/pointwise"""


class TranslatedTextsOptions(Config):
    """Options of rubric/translated_texts."""

    translator: Field_
    """the judge under `judges` that translates"""
    language: Field_ = "language"
    """the field of the source's rows with their language, as a code or a tag such as eu-ES"""
    names: dict[str, str] = Field(default_factory=dict)
    """code -> English name, for the translator, and for rows that name their language: {eu: Basque}"""
    rubric: str | dict[str, Any] | None = None
    """a rubric (in English) to be translated as well, also into the languages with packaged texts: a file, or
    {field: NAME} for those that rows have, each of which is translated once a language"""
    most_rubrics: int = Field(default=50, ge=1)
    """different rubrics of rows at most, as for `most`"""
    least_share: float = Field(default=0.5, ge=0.0, le=1.0)
    """of the words of an answer that must be in the language; another is asked for. Of a language that lingua does not
    know, English words must not be as many. Short answers are not looked at. 0: nor any other"""
    tries: int = Field(default=3, ge=1, le=20)
    """answers about one language's texts before it is left out; each must keep keys, levels and placeholders"""
    most: int = Field(default=200, ge=1)
    """languages at most; more are taken for a wrong field"""
    max_dropped: float = Field(default=0.5, ge=0.0, le=1.0)
    """share of at least 50 languages that may be left out before the job stops"""

    @model_validator(mode="after")
    def _check_rubric(self) -> "TranslatedTextsOptions":
        from rewardlab_rubric.rubrics import is_in_rows_language, known_variants
        from rewardlab_rubric.strategies.language_file import code_of

        if is_in_rows_language(self.rubric):
            raise ValueError("rubric is in each row's language, and needs no translation; leave `language: row` out")
        if wrong := [code for code in self.names if code_of(code) != code]:
            raise ValueError(f"names: {wrong[0]!r} is not a language code, such as eu or sr-Latn")
        if self.rubric is not None:
            known_variants(self.rubric, ("scale", "binary", "pair"))
        return self
