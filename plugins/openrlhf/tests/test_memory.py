"""The arithmetic of a GPU's memory: a model's sizes, the default of micro-batches, each role in a dry run, warnings."""

import json
import re

import pytest
from helpers.each_case import each_case
from rewardlab.recipe import TinyModel, load
from rewardlab_openrlhf.layout import layout_of
from rewardlab_openrlhf.memory.batches import batches
from rewardlab_openrlhf.memory.controller_cost import MAX_MS, controller_ms
from rewardlab_openrlhf.memory.micro_batches import GIB, largest_divisor
from rewardlab_openrlhf.memory.model_sizes import ASSUMED, model_sizes, sizes_of_config
from rewardlab_openrlhf.memory.stage_memory import adapter_parameters, stage_memory, trainer_states
from rewardlab_openrlhf.memory.token_costs import (
    forward_bytes,
    layer_activations,
    training_activations,
    training_bytes,
)
from rewardlab_openrlhf.options import Engine, options_of
from rewardlab_training import Lora, check_recipe

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


@pytest.fixture
def plan(toy, write, cache):
    """The plan of the recipe, whose model is Qwen2.5-7B's like, with some overrides."""
    name = cache("org/seven", QWEN)
    path = write("r.yaml", RECIPE)
    return lambda *overrides: check_recipe(load(path, [f"model={name}", *overrides]))


@pytest.fixture
def sizes(plan):
    """The batches of stage `index`."""

    def found(*overrides, index=0, longest=None):
        made = plan(*overrides)
        stage = made.recipe.stages[index]
        return batches(made, stage, layout_of(options_of(made), stage), longest)

    return found


@pytest.fixture
def memory(plan):
    def found(*overrides, index=0):
        made = plan(*overrides)
        stage = made.recipe.stages[index]
        return stage_memory(made, stage, layout_of(options_of(made), stage))

    return found


@pytest.fixture
def warnings(plan, main):
    """The warnings of `check`, without that of an engine that is not installed."""

    def found(*overrides):
        plan()
        code, _, err = main("check", "r.yaml", "model=org/seven", *overrides)
        assert code == 0, err
        return [line for line in err.splitlines() if "is not installed here" not in line]

    return found


class TestSizes:
    @pytest.mark.parametrize(
        ("config", "parameters"), [(QWEN, 7_615_616_512), (MIXTRAL, 46_702_792_704), (QWEN3, 32_762_123_264)]
    )
    def test_the_parameters_are_right_to_a_thousandth(self, config, parameters):
        assert sizes_of_config(config).parameters == pytest.approx(parameters, rel=1e-3)

    def test_of_experts_a_token_passes_through_some(self):
        assert sizes_of_config(MIXTRAL).active == 2 * 14336

    def test_tied_embeddings_count_once(self):
        less = sizes_of_config(QWEN).parameters - sizes_of_config({**QWEN, "tie_word_embeddings": True}).parameters
        assert less == 152064 * 3584

    def test_of_a_model_that_also_sees_the_part_for_text_counts(self):
        assert sizes_of_config({"model_type": "vl", "text_config": QWEN}) == sizes_of_config(QWEN)

    def test_they_are_read_from_the_hubs_cache_or_a_folder(self, cache, tmp_path):
        assert model_sizes(cache("org/cached", QWEN)) == sizes_of_config(QWEN)
        (tmp_path / "config.json").write_text(json.dumps(MIXTRAL))
        assert model_sizes(str(tmp_path)) == sizes_of_config(MIXTRAL)

    @pytest.mark.parametrize("config", [{}, {"hidden_size": 4}, {**QWEN, "kv_lora_rank": 512}, []])
    def test_of_an_unusual_model_another_ones_are_assumed(self, cache, config):
        assert model_sizes(cache(f"org/unusual-{len(config)}", config)) == ASSUMED

    def test_of_a_model_that_is_nowhere_here_another_ones_are_assumed(self, cache):
        assert model_sizes("org/nowhere").assumed

    def test_a_tiny_one_is_in_the_recipe(self):
        tiny = model_sizes(TinyModel(use="tiny", hidden_size=32, layers=3, vocabulary=300))
        assert (tiny.hidden, tiny.layers, tiny.vocabulary, tiny.assumed) == (32, 3, 300, False)


UNPACKED = ["backend.engine={packing: false, attention: sdpa}"]


class TestMicroBatches:
    """A quarter of a GPU is for what a micro-batch adds, were all its rows as long as can be."""

    def test_sp3fs_is_not_a_ranks_whole_share(self, sizes):
        """Of 32 completions a rank, 6,144 tokens each: one is 12 GB, and all of them 120 GB of float32 logits alone."""
        one = 6144 * training_bytes(sizes_of_config(QWEN), checkpointing=True)
        assert one < 20 * GIB < 2 * one
        assert sizes().micro == 1

    def test_without_gradients_more_rows_fit_which_divide_a_ranks_share(self, sizes):
        one = 6144 * forward_bytes(sizes_of_config(QWEN))
        assert 3 * one < 20 * GIB < 4 * one
        assert sizes(*UNPACKED).rollout_micro == 2

    def test_where_few_long_rows_fit_short_ones_share_a_micro_batch(self, sizes):
        """OpenRLHF's trainer process takes 8.5 us for each token of a micro-batch, while all GPUs wait."""
        found = sizes()
        assert controller_ms(4096, 2) > MAX_MS > controller_ms(2048, 8)
        assert found.tokens.training * training_bytes(sizes_of_config(QWEN), checkpointing=True) <= 20 * GIB
        assert 2 * found.tokens.forward * forward_bytes(sizes_of_config(QWEN)) <= 20 * GIB, "OpenRLHF rounds down"
        assert sizes("stages.0.max_prompt_tokens=512", "stages.0.max_new_tokens=512").tokens is None

    @pytest.mark.parametrize(
        "own",
        [
            UNPACKED,
            ["stages.0.micro_batch_size=1"],
            ["backend.engine.rollout_micro_batch_size=1"],
            ["backend.engine.dynamic_filtering=[0, 1]", "backend.gpus_per_node=2"],
        ],
    )
    def test_by_rows_where_the_recipe_says_so_and_where_openrlhf_needs_it(self, sizes, own):
        assert sizes(*own).tokens is None

    def test_the_recipes_own_settings_win(self, sizes):
        assert sizes("stages.0.micro_batch_size=16").micro == 16
        assert sizes("stages.0.micro_batch_size=16").rollout_micro == 16, "absent, it is the same as before"
        both = sizes("stages.0.micro_batch_size=4", "backend.engine.rollout_micro_batch_size=8")
        assert (both.micro, both.rollout_micro) == (4, 8)
        assert sizes("backend.engine.rollout_micro_batch_size=8").micro == 1

    def test_more_memory_and_shorter_rows_take_more(self, sizes):
        assert sizes("backend.gib_per_gpu=192").micro == 4
        assert sizes("stages.0.max_prompt_tokens=512", "stages.0.max_new_tokens=512").micro == 8
        assert sizes(longest=10).micro == 4, "once the prompts are read, the longest one counts"

    def test_where_one_row_is_too_long_it_is_alone(self, sizes):
        assert sizes("stages.0.max_new_tokens=100000").micro == 1

    def test_small_models_still_take_the_whole_share(self, sizes):
        assert sizes("model={use: tiny, context: 8192}").micro == 32

    def test_sft_and_dpo_have_theirs(self, sizes):
        assert sizes(index=1).micro == 2
        assert sizes(index=2).micro == 1, "both responses of a pair go through the model together"
        assert sizes("backend.engine.ring_attention=2", index=1).micro == 4

    def test_with_dynamic_filtering_the_last_batch_of_one_group_divides(self, sizes):
        filtering = "backend.engine.dynamic_filtering=[0, 1]"
        assert sizes(filtering, "backend.gpus_per_node=2").rollout_micro == 2
        assert sizes(filtering, "model={use: tiny, context: 8192}", "backend.gpus_per_node=2").rollout_micro == 4

    @each_case("share, most, rows", [(32, 5, 4), (30, 7, 6), (7, 6, 1), (8, 99, 8), (9, 1, 1)])
    def test_all_are_of_the_same_size(self, share, most, rows):
        assert largest_divisor(share, most) == rows


class TestRoles:
    """Rajbhandari et al., "ZeRO", 2020, figure 1: 7.5 billion parameters on 64 GPUs."""

    @each_case("stage, gb", [(0, 120), (1, 31.4), (2, 16.6), (3, 1.9)])
    def test_zero_stores_what_its_paper_says(self, stage, gb):
        model = sizes_of_config(QWEN)
        of_paper = 7.5e9 / model.parameters
        states = trainer_states(model, Engine(zero_stage=stage), 64, None)
        assert states.total * of_paper / 1e9 == pytest.approx(gb, abs=0.05)

    def test_offloaded_optimizer_states_leave_the_weights(self):
        model = sizes_of_config(QWEN)
        states = trainer_states(model, Engine(zero_stage=3, offload_optimizer=True), 8, None)
        assert (states.total, states.weights) == (states.weights, 2 * model.parameters / 8)

    def test_adapters_train_alone(self):
        model, lora = sizes_of_config(QWEN), Lora(rank=16)
        assert adapter_parameters(model, lora) == 40_370_176  # peft's print_trainable_parameters for all-linear
        states = trainer_states(model, Engine(zero_stage=2), 8, lora)
        assert states.optimizer == 12 * 40_370_176 / 8
        assert states.weights == pytest.approx(2 * model.parameters, rel=0.01)

    def test_the_reference_is_split_only_with_zero_3(self, memory):
        kl = "stages.0.kl.coef=0.1"
        whole = 2 * sizes_of_config(QWEN).parameters
        assert memory().reference is None
        assert memory(kl).reference.weights == whole / 8
        assert memory(kl, "backend.engine.zero_stage=2").reference.weights == whole
        assert memory(kl, "backend.engine.offload_reference=true").reference.weights == 0
        assert memory(index=2).reference.weights == whole / 8, "dpo's"

    def test_the_cache_is_two_numbers_a_layer_and_head(self, memory):
        engine = memory("backend.engine.tensor_parallel=4").engine
        assert engine.cache_of_token == 2 * 2 * 28 * 512 / 4
        assert (engine.tokens, engine.share) == (6144, 0.6)

    def test_an_engine_with_a_longer_context_has_a_cache_for_it(self, memory):
        assert memory("backend.engine.context=32768").engine.tokens == 32768
        assert memory().engine.tokens == 6144

    def test_tokens_per_gpu_decide_where_they_are_given(self, memory):
        found = memory("backend.engine.tokens_per_gpu=16384").training
        assert found.logits == 16384 * 10 * 152064


class TestDryRun:
    @pytest.fixture
    def lines(self, plan, main):
        def found(*overrides, model="org/seven"):
            plan()
            code, out, err = main("run", "r.yaml", "--dry-run", "--stage", "0", f"model={model}", *overrides)
            assert code == 0, err
            return out

        return found

    def test_each_role_is_there(self, lines):
        out = lines("stages.0.algorithm=ppo", "stages.0.kl.coef=0.1")
        assert "memory of a GPU in GiB, by arithmetic for 7.62 billion parameters and the longest rows" in out
        assert "policy (ZeRO 3 over 8 ranks): 1.8 weights + 1.8 gradients + 10.6 optimizer = 14.2" in out
        assert "an update adds 15.6 logits + about 4.4 activations (micro-batch of up to 11031 tokens)" in out
        assert "log-probabilities (policy or reference) add 10.0 logits (micro-batch of up to 11768 tokens)" in out
        assert re.search(r"^ +reference: 1.8 weights$", out, re.M)
        assert re.search(
            r"^ +critic \(ZeRO 3 over 8 ranks\): .* = 14.2; an update adds up to 4.4 activations", out, re.M
        )
        assert "rollout engine of 1 GPU(s): 14.2 weights, and 56 KiB of cache a token: 0.3 for a completion of" in out
        assert "micro-batches of up to 11031 tokens (11768 for log-probabilities)" in out

    def test_of_a_model_that_is_not_here_nothing_is_made_up(self, lines):
        out = lines(model="org/nowhere")
        assert "memory: not counted, since the config.json of org/nowhere can be read neither in a folder nor" in out
        assert "(hf download org/nowhere config.json)" in out
        assert "GiB" not in out

    def test_what_does_not_fit_is_there_too(self, lines):
        assert "does not fit: the policy takes" in lines("backend.gib_per_gpu=16")


class TestWarnings:
    def test_what_fits_gives_none(self, warnings):
        assert warnings("backend.gib_per_gpu=80") == []

    def test_without_a_gpus_memory_nothing_is_compared(self, warnings):
        assert warnings("stages.0.micro_batch_size=32") == []

    def test_a_policy_that_does_not_fit(self, warnings):
        found = warnings("backend.gib_per_gpu=80", "backend.engine.zero_stage=0", "backend.engine.sleep=false")
        assert "backend.gib_per_gpu: stage rl does not fit: the policy takes 129.1 GiB of a GPU's 80" in found[0]
        assert "zero_stage: 3, offload_optimizer: true or more GPUs take less" in found[0]

    def test_logits_that_do_not_fit(self, warnings):
        (found,) = warnings("backend.gib_per_gpu=80", "stages.0.micro_batch_size=8")
        assert "the policy takes 83.8 GiB of a GPU's 80" in found
        assert found.endswith("; a smaller micro_batch_size")

    def test_an_engine_without_room_for_its_weights_or_beside_the_others(self, warnings):
        weights, *_ = warnings("backend.gib_per_gpu=24", "backend.engine.gpu_memory=0.5")
        assert "take 14.5 GiB, and it has 12.0 (gpu_memory 0.5); a larger tensor_parallel or gpu_memory" in weights
        found = warnings("backend.gib_per_gpu=80", "backend.engine={zero_stage: 2, gpu_memory: 0.9}")
        assert any(
            "a rollout engine takes 72.0 GiB of a GPU's 80.0" in line and "14.2 beside it" in line for line in found
        )

    @pytest.mark.parametrize(("sleep", "critic"), [("true", "1.8"), ("false", "14.2")])
    def test_a_critic_that_sleeps_leaves_its_weights_and_else_all_that_it_has(self, warnings, sleep, critic):
        sixteen = ("backend.gib_per_gpu=16", f"backend.engine={{zero_stage: 3, sleep: {sleep}}}")
        policy, *_ = warnings("stages.0.algorithm=ppo", *sixteen)
        assert "the policy takes 22.9 GiB of a GPU's 16 with" in policy
        assert f"logits, and other models {critic} beside it" in policy

    def test_of_assumed_sizes_none_is_given(self, warnings):
        assert warnings("backend.gib_per_gpu=16", "model=org/nowhere") == []


@pytest.mark.slow
class TestTransformers:
    """What autograd really keeps of a token in a layer, of transformers' own models in bf16."""

    def kept(self, kind, layers, checkpointing=False):
        """Return (our sizes, bytes that are kept of a token by all layers and the head)."""
        torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
        shape = {"hidden_size": 256, "num_hidden_layers": layers, "num_attention_heads": 8, "head_dim": 32}
        shape |= {"num_key_value_heads": 2, "intermediate_size": 704, "vocab_size": 64, "use_cache": False}
        config = transformers.AutoConfig.for_model(kind, **shape)
        model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="sdpa").to(torch.bfloat16)
        model.train()
        if checkpointing:
            model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        own = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
        found = {}

        def keep(tensor):
            storage = tensor.untyped_storage()
            if storage.data_ptr() not in own:
                found[storage.data_ptr()] = (storage.nbytes(), tensor)
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            model(torch.zeros(1, 128, dtype=torch.long))
        sizes = sizes_of_config({**config.to_dict(), "model_type": kind})
        return sizes, sum(size for size, _ in found.values()) / 128

    @pytest.mark.parametrize("kind", ["llama", "qwen2", "qwen3"])
    def test_a_layer_keeps_what_is_counted(self, kind):
        (sizes, four), (_, two) = self.kept(kind, 4), self.kept(kind, 2)
        assert layer_activations(sizes) == pytest.approx((four - two) / 2, rel=0.02)

    def test_with_checkpointing_its_input_only(self):
        (sizes, four), (_, two) = self.kept("llama", 4, checkpointing=True), self.kept("llama", 2, checkpointing=True)
        assert four - two == 2 * 2 * sizes.hidden
        assert training_activations(sizes, checkpointing=True) == 4 * 2 * sizes.hidden + layer_activations(sizes)
