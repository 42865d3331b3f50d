"""The options of the rewards and of the data step."""

from typing import Annotated, Literal

from pydantic import Field, PositiveFloat, model_validator
from rewardlab import Config
from rewardlab_answers import Part, template_of

Name = Annotated[str, Field(min_length=1)]


class EmbedderOptions(Config):
    """Options of the embedding model. Components with equal ones share one process."""

    model: Name = "Qwen/Qwen3-Embedding-8B"
    """a sentence-transformers model: its folder, or its name on the hub"""
    max_tokens: Annotated[int, Field(ge=8, strict=True)] | None = None
    """the most tokens of a text that are read; null: as many as the model reads"""
    batch_size: Annotated[int, Field(ge=1, strict=True)] = 32
    """texts embedded at once, half as many if memory does not suffice"""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """the type of the model's weights; auto: as they are stored"""
    trust_remote_code: bool = False
    """run code that comes with the model"""


class CosineOptions(EmbedderOptions):
    """Options of embed/cosine."""

    part: Part = "reasoning"
    """the compared part. reasoning: the body of the think block. answer: the body of the last `<answer>`. response:
    the text after the last `</think>`. Of thoughts that do not end neither is there"""
    against: Name = "reference"
    """the field with the reference; one with tags is read by the same part, one without is taken whole"""
    clamp: bool = True
    """count a negative cosine as 0"""
    empty: Literal["zero", "fail"] = "zero"
    """what a response without that part, or with a blank one, gets. zero: 0. fail: a failure"""


class TranslatorSampling(Config):
    """The sampling of a translator's answers; the judge's own options set the parameters that are null."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    """the sampling temperature"""
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    """the share of probability that is sampled from"""


class TranslatedCosineOptions(CosineOptions):
    """Options of embed/translated_cosine."""

    translator: Name
    """the judge that translates, as declared under `judges`"""
    piece: Annotated[int, Field(ge=200, strict=True)] = 4000
    """maximum number of characters of one question to the translator; longer texts are sent in several"""
    on_failure: Literal["untranslated", "missing"] = "untranslated"
    """what to do with a text whose translation is unusable. untranslated: the cosine of the text itself. missing: no
    score"""
    sampling: TranslatorSampling = Field(default_factory=TranslatorSampling)
    """how the translator samples: greedily, in place of the judge's options; {temperature: null} leaves it to
    them"""
    prompt: Literal["fenced", "bare"] = "fenced"
    """the packaged prompt. fenced: instructions in a system message, and the text in a fence. bare: one user message
    with the text and its language's name with the region, for models that only translate (Tower-Plus) or take no
    system message; such a text could give the translator orders"""
    template: Annotated[str | None, template_of("rewardlab_embed.translation_prompt")] = None
    """a file with your own prompt; null takes the packaged one. See the README for its form"""

    @model_validator(mode="after")
    def _check_one_prompt(self) -> "TranslatedCosineOptions":
        if self.template is not None and self.prompt != "fenced":
            raise ValueError("template takes the place of the packaged prompt; leave out `prompt` or `template`")
        return self


class DistinctOptions(EmbedderOptions):
    """Options of embed/distinct."""

    against: Annotated[tuple[Name, ...], Field(min_length=1)]
    """JSONL files of the evaluation sets that no row may be near to"""
    field: Name = "problem"
    """the field that is compared; if a row lacks it, the last user message of its prompt"""
    threshold: Annotated[float, Field(gt=0, le=1)] = 0.9
    """a row with a cosine of at least this is dropped"""
    within: bool = False
    """also drop rows that are near to a row before them"""
    nearest: Annotated[int, Field(ge=1, strict=True)] | None = None
    """if no row of a language reaches the threshold for a language of the evaluation sets, drop this many of its
    nearest rows; languages stand in the field `language`. All rows are then read before the first is given"""

    @model_validator(mode="after")
    def _check_one_way(self) -> "DistinctOptions":
        if self.within and self.nearest is not None:
            raise ValueError("within and nearest exclude each other; take two steps, one `from` the other")
        return self


class DiverseOptions(EmbedderOptions):
    """Options of embed/diverse."""

    rows: Annotated[int, Field(ge=1, strict=True)]
    """the number of rows to choose; all of them if there are fewer"""
    field: Name = "problem"
    """the field that is embedded; if a row lacks it, the last user message of its prompt"""
    quotas: dict[Name, Annotated[dict[Name, PositiveFloat], Field(min_length=1)]] = Field(default_factory=dict)
    """a field: its values, each with a weight; 3 beside 1 is three in four of the rows. Weights of several fields
    (subset, language, difficulty) are multiplied; rows with another value are left out. Clusters are of rows with the
    same values. Numbers are written as texts, in quotes"""
    strategy: Literal["paper", "official_code"] = "paper"
    """the defaults of `counts`, `least` and `weight`, and to what relevance is measured: as R3's appendix B.1.1 or as
    its published code has them"""
    counts: Annotated[tuple[Annotated[int, Field(ge=2, le=1000, strict=True)], ...], Field(min_length=1)] | None = None
    """the numbers of clusters to try; the highest mean silhouette decides. null: paper 3 to 10, official_code 3, 4, 5,
    7, 10"""
    least: Annotated[int, Field(ge=0, strict=True)] | None = None
    """minimum number of rows from a cluster, if it has that many. null: paper 10, official_code 1"""
    nearest: Annotated[float, Field(ge=0, le=1)] = 0.25
    """the share of the rows nearest to the centroid, which are chosen first; the others by relevance and unlikeness"""
    nearest_of: Literal["chosen", "cluster"] = "chosen"
    """of what that is a share. chosen: of the rows to choose from a cluster, as the published code has it. cluster: of
    the cluster, as R3's formula is printed; of a large pool all chosen rows are then the nearest"""
    weight: Annotated[float, Field(ge=0, le=1)] | None = None
    """the weight of relevance (lambda); the rest is that of unlikeness to what is chosen. null: paper 0.5,
    official_code 0.7"""
