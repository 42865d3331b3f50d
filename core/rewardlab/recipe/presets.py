"""Named settings of an rl stage: `preset: dapo` stands for the keys of a paper, before which a stage's own keys go."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Preset(NamedTuple):
    """A paper, by its number at arXiv, its keys, and what else it has that a recipe says elsewhere."""

    paper: str
    keys: Mapping[str, Any]
    beside: str = ""


PRESETS: Mapping[str, Preset] = {
    "dapo": Preset(  # section 4.1
        paper="2503.14476",
        keys={
            "algorithm": "grpo",
            "loss": "token_mean",
            "clip": [0.2, 0.28],
            "group_size": 16,
            "batch_size": 512,
            "updates_per_batch": 16,
            "learning_rate": 1e-6,
            "warmup_steps": 20,
        },
        beside="a right answer is worth 1 and a wrong one -1; max_new_tokens is 20480, with format/overlong of buffer "
        "4096; others take the place of prompts that all or none of a group solve "
        "(reward.teach: {flat: replace} with openrlhf and verl; the nearest of trl is {flat: drop})",
    ),
    "dr_grpo": Preset(  # the script of its repository, sail-sg/understand-r1-zero
        paper="2503.20783",
        keys={
            "algorithm": "dr_grpo",
            "loss": "constant",
            "clip": [0.2, 0.2],
            "group_size": 8,
            "batch_size": 128,
            "updates_per_batch": 8,
            "learning_rate": 1e-6,
        },
        beside="max_new_tokens is 3000",
    ),
    "gspo": Preset(  # section 5.1
        paper="2507.18071",
        keys={
            "algorithm": "grpo",
            "loss": "seq_mean",
            "importance_sampling_level": "sequence",
            "clip": [0.0003, 0.0004],
            "updates_per_batch": 4,
        },
    ),
    "cispo": Preset(  # section 3.1
        paper="2506.13585",
        keys={"algorithm": "grpo", "loss": "cispo", "clip": [1.0, 4.0], "updates_per_batch": 16},
        beside="no lower bound; the upper one, which it does not say, is that of ScaleRL (2510.13786): a weight of 5; "
        "others take the place of prompts that teach nothing, and long completions cost as in DAPO",
    ),
}
"""name -> what it stands for; none has a KL penalty"""
INSTEAD = {"warmup_steps": "warmup_ratio"}
"""key of a preset -> one that a stage may have in its place"""


def with_preset(stage: Any) -> Any:
    """Return a stage as it is written, with the keys of its preset that it does not say itself."""
    preset = PRESETS.get(stage["preset"]) if isinstance(stage, dict) and isinstance(stage.get("preset"), str) else None
    if preset is None:
        return stage
    return {key: value for key, value in preset.keys.items() if INSTEAD.get(key) not in stage} | stage
