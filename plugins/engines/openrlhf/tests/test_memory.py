"""The arithmetic of a GPU's memory: a model's sizes, each role in a dry run, warnings of what cannot fit."""

import json

import pytest
from helpers.each_case import each_case
from rewardlab.recipe import TinyModel
from rewardlab_openrlhf.layout import StageLayout
from rewardlab_openrlhf.memory import GIB, trained
from rewardlab_openrlhf.options import Engine
from rewardlab_training import model_size, size_of_config

QWEN = {
    "model_type": "qwen2",
    "vocab_size": 152064,
    "hidden_size": 3584,
    "num_hidden_layers": 28,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "intermediate_size": 18944,
    "tie_word_embeddings": False,
}
"""Qwen2.5-7B: 7,615,616,512 parameters"""
MIXTRAL = {
    "model_type": "mixtral",
    "vocab_size": 32000,
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
    "tie_word_embeddings": False,
}
"""Mixtral-8x7B: 46,702,792,704 parameters"""
QWEN3 = {
    "model_type": "qwen3",
    "vocab_size": 151936,
    "hidden_size": 5120,
    "num_hidden_layers": 64,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "intermediate_size": 25600,
    "tie_word_embeddings": False,
}
"""Qwen3-32B, whose heads together are wider than its hidden state: 32,762,123,264 parameters"""
RECIPE = """
    version: 1
    name: made
    model: org/model
    dataset: {use: toy/counting, with: {rows: 32}, fields: {chosen: answer, rejected: response}}
    reward:
      components: {brevity: {use: toy/brevity}}
      total: brevity
      correctness: brevity
    stages:
      - use: rl
        algorithm: dr_grpo
        group_size: 8
        batch_size: 32
        steps: 4
        max_prompt_tokens: 4096
        max_new_tokens: 2048
      - {use: sft, steps: 2, batch_size: 64, max_tokens: 4096}
      - {use: dpo, steps: 2, batch_size: 64, max_tokens: 4096}
    backend: {use: openrlhf, gpus_per_node: 8, gradient_checkpointing: true, engine: {zero_stage: 3}}
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A hub's cache with the config.json of org/name: `cache("org/name", config)`."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))

    def fill(name, config):
        repository = tmp_path / "hub" / f"models--{name.replace('/', '--')}"
        (repository / "refs").mkdir(parents=True)
        (repository / "refs" / "main").write_text("abc")
        (repository / "snapshots" / "abc").mkdir(parents=True)
        (repository / "snapshots" / "abc" / "config.json").write_text(json.dumps(config))
        return name

    return fill


class TestSizes:
    @each_case("config, parameters", [(QWEN, 7_615_616_512), (MIXTRAL, 46_702_792_704), (QWEN3, 32_762_123_264)])
    def test_the_parameters_are_right_to_a_thousandth(self, config, parameters):
        assert size_of_config(config).parameters == pytest.approx(parameters, rel=1e-3)

    def test_tied_embeddings_count_once(self):
        less = size_of_config(QWEN).parameters - size_of_config({**QWEN, "tie_word_embeddings": True}).parameters
        assert less == 152064 * 3584

    def test_of_a_model_that_also_sees_the_part_for_text_counts(self):
        assert size_of_config({"model_type": "vl", "text_config": QWEN}) == size_of_config(QWEN)

    def test_they_are_read_from_the_hubs_cache_or_a_folder(self, cache, tmp_path):
        assert model_size(cache("org/cached", QWEN)) == size_of_config(QWEN)
        (tmp_path / "config.json").write_text(json.dumps(MIXTRAL))
        assert model_size(str(tmp_path)) == size_of_config(MIXTRAL)

    @pytest.mark.parametrize("config", [{}, {"hidden_size": 4}, {**QWEN, "kv_lora_rank": 512}, []])
    def test_an_unusual_model_has_none(self, cache, config):
        assert model_size(cache("org/unusual", config)) is None

    def test_a_tiny_one_is_in_the_recipe(self):
        tiny = model_size(TinyModel(use="tiny", hidden_size=32, layers=3, vocabulary=300))
        assert (tiny.vocabulary, tiny.parameters) == (300, 3 * (4 * 32 * 32 + 3 * 32 * 384) + 2 * 300 * 32)


class TestZero:
    """Rajbhandari et al., "ZeRO", 2020, figure 1: 7.5 billion parameters on 64 GPUs."""

    @each_case("stage, gb", [(0, 120), (1, 31.4), (2, 16.6), (3, 1.9)])
    def test_it_stores_what_its_paper_says(self, stage, gb):
        states = trained(Engine(zero_stage=stage), StageLayout(nodes=8, gpus=64, ranks=64), 7.5e9 / GIB)
        assert states.awake * GIB / 1e9 == pytest.approx(gb, abs=0.05)

    @pytest.mark.parametrize("less", [{"engine": {"offload_optimizer": True}}, {"adapters": True}])
    def test_without_optimizer_states_the_weights_are_left(self, less):
        engine = Engine(zero_stage=3, **less.get("engine", {}))
        states = trained(engine, StageLayout(nodes=1, gpus=8, ranks=8), 8.0, adapters=less.get("adapters", False))
        assert states.awake == states.asleep == 2.0


@pytest.fixture
def command(write, toy, cache, main):
    """What a command prints on both streams for the recipe, whose model is Qwen2.5-7B's like."""
    cache("org/seven", QWEN)
    path = write("r.yaml", RECIPE)

    def printed(*arguments):
        code, out, err = main(arguments[0], str(path), "model=org/seven", *arguments[1:])
        assert code == 0, err
        return out + err

    return printed


class TestDryRun:
    def test_each_role_is_there(self, command):
        out = command("run", "--dry-run", "--stage", "0", "stages.0.algorithm=ppo", "stages.0.kl.coef=0.1")
        roles = "policy 14, critic 14, reference 1.8, rollout engine 14; a micro-batch's logits up to 12;"
        assert f"memory of a GPU in GiB, by arithmetic for 7.62 billion parameters: {roles}" in out

    def test_of_a_model_that_is_not_here_nothing_is_made_up(self, command):
        out = command("run", "--dry-run", "--stage", "0", "model=org/nowhere", "backend.gib_per_gpu=1")
        assert "memory: not counted, since the config.json of org/nowhere can be read neither in a folder nor" in out
        assert "(hf download org/nowhere config.json)" in out
        assert "GiB" not in out

    def test_what_does_not_fit_is_there_too(self, command):
        assert "does not fit: the policy's states" in command(
            "run", "--dry-run", "--stage", "0", "backend.gib_per_gpu=16"
        )


class TestWarnings:
    @each_case(
        "overrides",
        [
            ["backend.gib_per_gpu=80"],
            ["stages.0.micro_batch_size=32"],  # a GPU's memory is not known
            ["backend.gib_per_gpu=16", "model=org/nowhere"],
        ],
    )
    def test_what_fits_or_is_not_known_gives_none(self, command, overrides):
        assert "does not fit" not in command("check", *overrides)

    @each_case(
        "overrides, warning",
        [
            (
                ["backend.gib_per_gpu=80", "backend.engine={zero_stage: 0, sleep: false}"],
                "the policy's states, other models and a micro-batch's logits take 125.1 GiB of a GPU's 80 (11.6 are",
            ),
            (
                ["backend.gib_per_gpu=80", "stages.0.micro_batch_size=8"],
                "take 83.8 GiB of a GPU's 80 (69.6 are logits)",
            ),
            (
                ["backend.gib_per_gpu=24", "backend.engine.gpu_memory=0.5"],
                "a rollout engine's weights take 14.2 GiB, and it has 12.0 (gpu_memory 0.5); a larger tensor_parallel",
            ),
            (
                ["backend.gib_per_gpu=80", "backend.engine={zero_stage: 2, gpu_memory: 0.9}"],
                "a rollout engine's 72.0 GiB (gpu_memory 0.9) and the 14.2 of the models beside it are more",
            ),
            # a critic that sleeps leaves its weights, and else all that it has
            (["backend.gib_per_gpu=16", "stages.0.algorithm=ppo"], "take 27.6 GiB of a GPU's 16"),
            (
                ["backend.gib_per_gpu=16", "stages.0.algorithm=ppo", "backend.engine.sleep=false"],
                "take 40.0 GiB of a GPU's 16",
            ),
        ],
    )
    def test_what_cannot_fit(self, command, overrides, warning):
        assert "backend.gib_per_gpu: stage rl does not fit: " in (found := command("check", *overrides))
        assert warning in found
