"""The options of the rewards and of the data step."""

from typing import Annotated, Literal

from pydantic import Field
from rewardlab import Config
from rewardlab.quoting import template_of
from rewardlab.sides import Part

Name = Annotated[str, Field(min_length=1)]


class ModelOptions(Config):
    """Which model embeds, and how. Components with the same of these share one process."""

    model: Name = "Qwen/Qwen3-Embedding-8B"
    """a sentence-transformers model: its folder, or its name on the hub"""
    max_tokens: Annotated[int, Field(ge=8, strict=True)] | None = None
    """what of a text is read, at most; null: as much as the model reads"""
    batch_size: Annotated[int, Field(ge=1, strict=True)] = 32
    """texts embedded at once, and half as many where memory does not suffice"""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """of the model's weights; auto: as they are stored"""
    trust_remote_code: bool = False
    """run code that comes with the model"""


class CosineOptions(ModelOptions):
    part: Part = "reasoning"
    """reasoning: the body of the think block. answer: of the last `<answer>`. response: what follows the last
    `</think>`"""
    against: Name = "reference"
    """the field with the reference; one with tags is read by the same part, one without is taken whole"""
    clamp: bool = True
    """a negative cosine counts 0"""
    empty: Literal["zero", "fail"] = "zero"
    """of a response without that part, or with a blank one: zero earns 0, fail is a failure"""


class TranslatedCosineOptions(CosineOptions):
    translator: Name
    """the judge that translates, as declared under `judges`"""
    piece: Annotated[int, Field(ge=200, strict=True)] = 4000
    """characters of one question to the translator, at most; longer texts go in several"""
    on_failure: Literal["untranslated", "missing"] = "untranslated"
    """a text whose translation is of no use: its own cosine, untranslated, or no score"""
    template: Annotated[str | None, template_of("rewardlab_embed.translation_prompt")] = None
    """a file with your own prompt; null takes the packaged one. See the README for its form"""


class DistinctOptions(ModelOptions):
    against: Annotated[tuple[Name, ...], Field(min_length=1)]
    """JSONL files of the evaluation sets that no row may be near to"""
    field: Name = "problem"
    """what of a row is compared: this field or, where a row has none, the last message of the user in its prompt"""
    threshold: Annotated[float, Field(gt=0, le=1)] = 0.9
    """a row with a cosine of at least this is dropped"""
    within: bool = False
    """also drop rows that are near to a row before them"""
