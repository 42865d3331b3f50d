"""The options of the reward."""

from typing import Annotated, Literal

from pydantic import Field, PositiveFloat
from rewardlab import Config

Name = Annotated[str, Field(min_length=1)]


class ModelOptions(Config):
    """Options of the model. Components with equal ones share one process."""

    model: Name
    """a sequence classifier of transformers: its folder, or its name on the hub"""
    max_tokens: Annotated[int, Field(ge=8, strict=True)] | None = None
    """the most tokens of prompt and response that are read; a longer response is cut (absent: as many as the model
    reads)"""
    batch_size: Annotated[int, Field(ge=1, strict=True)] = 16
    """conversations read at once, half as many if memory does not suffice"""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """the type of the model's weights; auto: as they are stored"""
    trust_remote_code: bool = False
    """run code that comes with the model"""


class ScoreOptions(ModelOptions):
    """Options of reward_model/score."""

    read: Literal["response", "all"] = "response"
    """the scored part. response: the text after the last `</think>`, and nothing of thoughts that do not end. all: the
    whole completion"""
    label: Name | None = None
    """of a classifier with several labels, the one whose probability is the value; one output needs none"""
    center: float = 0.0
    """of one output: the score that becomes 0.5"""
    scale: PositiveFloat = 1.0
    """of one output: a score this much above the center becomes 0.73, one twice as much 0.88"""
