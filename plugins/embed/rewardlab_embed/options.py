"""The options of the rewards and of the data step."""

from typing import Annotated, Literal

from pydantic import Field, model_validator
from rewardlab import Config
from rewardlab.text import Part, template_of

Name = Annotated[str, Field(min_length=1)]


class ModelOptions(Config):
    """Options of the embedding model. Components with equal ones share one process."""

    model: Name = "Qwen/Qwen3-Embedding-8B"
    """a sentence-transformers model: its folder, or its name on the hub"""
    max_tokens: Annotated[int, Field(ge=8, strict=True)] | None = None
    """the most tokens of a text that are read; null: as many as the model reads"""
    batch_size: Annotated[int, Field(ge=1, strict=True)] = 32
    """texts embedded at once, half as many where memory does not suffice"""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """the type of the model's weights; auto: as they are stored"""
    trust_remote_code: bool = False
    """run code that comes with the model"""


class CosineOptions(ModelOptions):
    """Options of embed/cosine."""

    part: Part = "reasoning"
    """what is compared. reasoning: the body of the think block. answer: the body of the last `<answer>`. response: what
    follows the last `</think>`"""
    against: Name = "reference"
    """the field with the reference; one with tags is read by the same part, one without is taken whole"""
    clamp: bool = True
    """count a negative cosine as 0"""
    empty: Literal["zero", "fail"] = "zero"
    """what a response without that part, or with a blank one, gets. zero: 0. fail: a failure"""


class Sampling(Config):
    """How a translator samples its answers; what is null is as the judge's own options say."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    """the sampling temperature"""
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    """the share of probability that is sampled from"""


class TranslatedCosineOptions(CosineOptions):
    """Options of embed/translated_cosine."""

    translator: Name
    """the judge that translates, as declared under `judges`"""
    piece: Annotated[int, Field(ge=200, strict=True)] = 4000
    """the most characters of one question to the translator; longer texts are sent in several"""
    on_failure: Literal["untranslated", "missing"] = "untranslated"
    """what becomes of a text whose translation is useless. untranslated: the cosine of the text itself. missing: no
    score"""
    sampling: Sampling = Field(default_factory=Sampling)
    """how the translator samples: greedily, in place of what the judge's options say; {temperature: null} leaves it to
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


class DistinctOptions(ModelOptions):
    """Options of embed/distinct."""

    against: Annotated[tuple[Name, ...], Field(min_length=1)]
    """JSONL files of the evaluation sets that no row may be near to"""
    field: Name = "problem"
    """the field that is compared; where a row has none, the last message of the user in its prompt"""
    threshold: Annotated[float, Field(gt=0, le=1)] = 0.9
    """a row with a cosine of at least this is dropped"""
    within: bool = False
    """also drop rows that are near to a row before them"""
