"""What a dry run counts of a GPU's memory: models, what trains of them, references and copies."""

import json

import pytest
from helpers.each_case import each_case
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab_trl.describe import describe_stage
from rewardlab_trl.memory import GIB, held

QWEN = {
    "vocab_size": 151936,
    "hidden_size": 896,
    "num_hidden_layers": 24,
    "num_attention_heads": 14,
    "num_key_value_heads": 2,
    "intermediate_size": 4864,
    "tie_word_embeddings": True,
}
"""Qwen2.5-0.5B: 494,032,768 parameters; adapters of rank 16 have 8,798,208 (peft's own count)"""
P, A = 494, 8.798208
STAGE = {"use": "rl", "algorithm": "grpo", "group_size": 4, "batch_size": 4, "steps": 1, "max_new_tokens": 8}


@pytest.fixture
def plan(tmp_path):
    """The plan of a stage of Qwen2.5-0.5B: `plan(stage, backend)`."""
    (tmp_path / "config.json").write_text(json.dumps(QWEN))

    def made(stage, backend):
        recipe = {
            "version": 1,
            "model": str(tmp_path),
            "dataset": {"use": "data/arithmetic"},
            "reward": {"components": {"format": {"use": "format/boxed"}}, "total": "format"},
            "stages": [{**STAGE, **stage}],
            "backend": {"use": "trl", **backend},
        }
        return make_plan(load(recipe, strict=False))

    return made


class TestMemory:
    @each_case(
        "stage, backend, millions_of_bytes",
        [
            ({}, {"precision": "fp32"}, 16 * P),
            ({}, {}, 18 * P),
            ({}, {"gradient_checkpointing": True}, 16 * P),
            ({"kl": {"coef": 0.1}}, {}, 22 * P),
            ({}, {"lora": {"rank": 16}}, 6 * P + 16 * A),
            ({"kl": {"coef": 0.1}}, {"lora": {"rank": 16}}, 6 * P + 16 * A),
            ({}, {"lora": {"rank": 16, "targets": ["q_proj"]}}, 6 * P + 16 * 16 * 24 * (896 + 896) / 1e6),
            ({}, {"device": "cpu"}, 0),
        ],
    )
    def test_counts(self, plan, stage, backend, millions_of_bytes):
        assert sum(held(plan(stage, backend), 0).values()) * GIB / 1e6 == pytest.approx(millions_of_bytes, rel=2e-3)

    def test_a_dry_run_says_it(self, plan):
        said = "\n".join(describe_stage(plan({}, {"lora": {"rank": 16}}), 0))
        assert "memory of a GPU in GiB, by arithmetic: weights 1.8, gradients and averages 0.098, " in said
        assert "adapters 0.033, copies in bf16 0.92; activations and caches come on top" in said
