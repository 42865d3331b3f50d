"""LoRA adapters as a recipe sets them, alike on every engine that has them."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, PositiveInt

from rewardlab.recipe.validation import Finding
from rewardlab.specs import Config


class Lora(Config):
    """LoRA adapters, trained in place of the whole model and merged into it at the end of a stage."""

    rank: PositiveInt
    """of the two matrices of an adapter: more learns more and takes more memory"""
    alpha: PositiveInt = 16
    """an adapter's output is scaled by alpha / rank"""
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """share of an adapter's inputs that are left out in sft and dpo, in [0, 1); rl leaves out none"""
    targets: list[str] = Field(default_factory=lambda: ["all-linear"])
    """names of the modules that get an adapter, such as q_proj; all-linear: every linear layer"""


def lora_findings(lora: Lora) -> Iterator[Finding]:
    """Yield what is wrong with the names of modules."""
    if "all-linear" in lora.targets and len(lora.targets) > 1:
        yield ("lora", "targets"), "all-linear goes with no other name"
    if not lora.targets:
        yield ("lora", "targets"), "names no layer; all-linear takes all"
