"""LoRA adapters as a recipe sets them, alike on every engine that has them."""

from typing import Annotated

from pydantic import Field, PositiveInt, field_validator
from rewardlab import Config


class Lora(Config):
    """LoRA adapters, trained in place of the whole model and merged into it at the end of a stage."""

    rank: PositiveInt
    """rank of the two matrices of an adapter: more learns more and takes more memory"""
    alpha: PositiveInt = 16
    """an adapter's output is scaled by alpha / rank"""
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """share of an adapter's inputs that are left out in sft and dpo, in [0, 1); rl leaves out none"""
    targets: list[str] = Field(default_factory=lambda: ["all-linear"])
    """names of the modules that get an adapter, such as q_proj; all-linear: every linear layer"""

    @field_validator("targets")
    @classmethod
    def _name_layers(cls, targets: list[str]) -> list[str]:
        if "all-linear" in targets and len(targets) > 1:
            raise ValueError("all-linear goes with no other name")
        if not targets:
            raise ValueError("lists no layer; all-linear takes all")
        return targets
