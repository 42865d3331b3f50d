"""What the trl backend says of a recipe before anything is loaded: `check`, and `run --dry-run`."""

import json
import sys
from importlib.util import find_spec

import pytest
from helpers.each_case import each_case

RECIPE = """
    version: 1
    model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64, context: 256}
    dataset: {use: toy/counting, with: {rows: 32}, holdout: 0.2}
    reward:
      components: {brevity: {use: toy/brevity}}
      total: brevity
    stages:
      - {use: sft, steps: 2, batch_size: 8}
      - {use: rl, algorithm: dr_grpo, group_size: 4, batch_size: 6, steps: 2, max_new_tokens: 12, eval: {}}
"""


def test_the_recipe_itself_is_fine(problems):
    assert problems() == {}


@each_case(
    "overrides, path, what",
    [
        (
            ["stages.0.micro_batch_size=3"],
            "stages.0.micro_batch_size",
            "8 rows do not divide into micro-batches of 3",
        ),
        (["stages.0.micro_batch_size=16"], "stages.0.micro_batch_size", "8 divides by 1, 2, 4, 8"),
        (
            ["stages.1.updates_per_batch=5"],
            "stages.1.updates_per_batch",
            "6 prompts x 4 = 24 completions do not divide",
        ),
        (
            ["stages.1.micro_batch_size=5"],
            "stages.1.micro_batch_size",
            "24 completions do not divide",
        ),
        (
            ["stages.1.updates_per_batch=2", "stages.1.micro_batch_size=8"],
            "stages.1.micro_batch_size",
            "12 completions an update do not divide into micro-batches of 8; 12 divides by 1, 2, 3, 4, 6, 12",
        ),
        (["stages.1.group_size=1"], "stages.1.group_size", "every advantage would be 0"),
        (["stages.1.algorithm=ppo"], "stages.1.algorithm", "the backend trl has no ppo; use grpo, dr_grpo, rloo"),
        (["stages.1.kl={coef: 0.1, in: reward}"], "stages.1.kl.in", "use `in: loss`"),
        (["stages.1.kl={coef: 0.1, estimator: k1}"], "stages.1.kl.estimator", "with k3, not k1"),
        (["stages.1.eval=null", "stages.1.eval_every=1"], "stages.1.eval_every", "needs `eval:`"),
        (["stages.1.eval.benchmark=../x"], "stages.1.eval.benchmark", "cannot be part of a file's name"),
        (
            ["stages.1.max_new_tokens=256"],
            "stages.1.max_new_tokens",
            "no room for a prompt in the model's context of 256",
        ),
        (["stages.0.max_tokens=257"], "stages.0.max_tokens", "257 is more than the model's context of 256"),
        (["model.heads=3"], "model.heads", "hidden_size 32 does not divide into 3 heads"),
        (["model.heads=32"], "model.heads", "32 heads of 1: the size of a head must be even"),
        (["backend.nodes=2"], "backend.nodes", "say it by accelerate: {num_machines: 2,"),
        (["backend.secrets=[KEY]"], "backend.secrets", "is for openrlhf"),
        (["backend={device: cpu, precision: bf16}"], "backend.precision", "use fp32 on a CPU"),
        (["backend={quantization: {bits: 4}}"], "backend.quantization", "add `lora`, whose adapters are trained"),
        (["backend={lora: {rank: 8}, quantization: {}}"], "backend.quantization.bits", "missing"),
        (["backend={lora: {rank: 8}, quantization: {bits: 3}}"], "backend.quantization.bits", "expected 4, found 3"),
        (["backend={attention: flash}"], "backend.attention", "there are 'eager', 'flash_attention_2', 'sdpa'"),
        (["backend={device: cpu, attention: flash_attention_2}"], "backend.attention", "sdpa and eager do without"),
        (["backend={precision: fp32, attention: flash_attention_2}"], "backend.precision", "computes in bf16 only"),
        (["backend.lora={rank: 8, targets: []}"], "backend.lora.targets", "lists no layer"),
        (["backend.lora={rank: 8, targets: [all-linear, q_proj]}"], "backend.lora.targets", "goes with no other name"),
        (
            [
                "backend.lora={rank: 8, dropout: 0.1}",
                "stages=[{use: rl, algorithm: grpo, max_new_tokens: 8, dataset: {use: toy/counting}}]",
            ],
            "backend.lora.dropout",
            "rl trains without dropout",
        ),
        (["stages.1.loss=cispo", "stages.1.clip=[0.2, 4]"], "stages.1.clip", "write clip: [1, 4]"),
        (
            ["stages.1.kl={coef: 0.1, sync_every: 8}", "backend.lora={rank: 8}"],
            "stages.1.kl.sync_every",
            "the reference is the model without them",
        ),
        (
            ["backend={device: cpu, generation: {engine: vllm}}"],
            "backend.generation.engine",
            "vLLM generates on a GPU",
        ),
        (
            ["backend.generation={engine: vllm, quantization: fp8}"],
            "backend.generation",
            "TRL sets vLLM's quantization itself: that of the weights which train",
        ),
        (["backend.generation={engine: vllm, mode: server}"], "backend.generation.url", "where `trl vllm-serve`"),
        (["backend.generation={engine: vllm, url: 'http://x'}"], "backend.generation.url", "is of mode: server"),
        (
            ["backend.generation={engine: vllm, mode: server, url: 'http://x', gpu_memory: 0.5}"],
            "backend.generation.gpu_memory",
            "is of mode: colocate",
        ),
        (
            ["backend.generation={engine: vllm, tensor_parallel: 2}"],
            "backend.generation.tensor_parallel",
            "the 1 processes do not divide into engines of 2",
        ),
        (
            ["backend.generation={engine: vllm, correction: {bounds: [5, 2]}}"],
            "backend.generation.correction.bounds",
            "less than the high one",
        ),
        (["stages.0.chat.template='{% if %}'"], "stages.0.chat.template", "line 1: TemplateSyntaxError"),
    ],
)
def test_what_trl_cannot_do_is_found_by_check(problems, overrides, path, what):
    found = problems(*overrides)
    assert list(found) == [path]
    assert what in found[path]


@each_case(
    "stage, given, what",
    [
        (1, "adam_epsilom: 1.0e-6", "TRL 1.16.0 has no GRPOConfig.adam_epsilom; did you mean 'adam_epsilon'?"),
        (1, "adam_epsilon: small", "must be number, not 'small'"),
        (1, "adam_epsilon: true", "must be number, not True"),
        (1, "cast_lm_head_to_fp32: 1", "must be true | false, not 1"),
        (1, "optim: adamw_torhc", "'adamw_torhc' is not known to TRL; did you mean 'adamw_torch"),
        (1, "learning_rate: 1.0e-6", "the recipe says it elsewhere: learning_rate"),
        (1, "num_generations: 4", "the recipe says it elsewhere: group_size"),
        (1, "chat_template_kwargs: {a: 1}", "the recipe says it elsewhere: chat.arguments"),
        (1, "vllm_server_host: x", "the recipe says it elsewhere: backend.generation.url"),
        (1, "scale_rewards: batch", "advantages are rewardlab's"),
        (1, "reward_weights: [1.0]", "advantages are rewardlab's"),
        (1, "shuffle_dataset: true", "the rows are in the recipe's order"),
        (1, "vllm_model_impl: vllm", "has no effect without backend.generation"),
        (1, "ld_alpha: 0.5", "is a field of TRL's DPOConfig, not of GRPOConfig"),
        (1, "sapo_temperature_pos: 1.0", "of a loss that `loss` has not"),
        (0, "packing: true", "a step's rows are the recipe's"),
        (0, "max_length: 12", "the recipe says it elsewhere: max_tokens"),
        (0, "top_entropy_quantile: 0.5", "is a field of TRL's GRPOConfig, not of SFTConfig"),
    ],
)
def test_an_argument_that_is_not_passed_on_is_refused(problems, stage, given, what):
    found = problems(f"stages.{stage}.arguments={{{given}}}")
    (path,) = found
    assert path == f"stages.{stage}.arguments.{given.partition(':')[0]}"
    assert what in found[path]


def test_arguments_that_are_fields_of_trl_are_fine(problems):
    rl = "{adam_epsilon: 1, optim: adamw_torch, optim_target_modules: [q, k], liger_kernel_config: {rope: true}}"
    assert problems("stages.0.arguments={loss_type: dft, neftune_noise_alpha: 5}", f"stages.1.arguments={rl}") == {}


def test_the_dry_run_shows_them_and_the_settings_of_the_loss(toy, write, command, tmp_path):
    write("r.yaml", RECIPE)
    more = [
        "stages.1.arguments={top_entropy_quantile: 0.2}",
        "stages.1.importance_sampling_level=sequence",
        "stages.1.entropy_coef=0.01",
        "stages.1.kl={coef: 0.04, sync_every: 64}",
        "stages.1.min_p=0.1",
        "stages.1.eval={samples: 3, temperature: 0.6, top_p: 0.95}",
        "backend.generation={engine: vllm, mode: server, url: 'http://h:8000', correction: {mode: clip, bounds: [2]}}",
    ]
    code, out, err = command(tmp_path, "run", "r.yaml", "--dry-run", *more)
    assert code == 0, err
    for line in (
        "GRPOConfig.top_entropy_quantile = 0.2: ρ parameter from Beyond the 80/20 Rule",
        "the ratio is that of a whole completion (GSPO); GSPO's paper averages by seq_mean",
        "entropy bonus 0.01",
        "against a reference that takes on 60% of the policy every 64 steps",
        "at temperature 1, min_p 0.1",
        "3 completions a prompt of toy/counting (held-out rows) at temperature 0.6, top_p 0.95, min_p 0.1",
        "vllm_server_base_url = 'http://h:8000'",
        "vllm_importance_sampling_mode = 'token_truncate', ",
        "vllm_importance_sampling_clip_max = 2.0",
    ):
        assert line in out, line


def test_all_of_it_is_found_at_once(problems):
    found = problems(
        "stages.0.micro_batch_size=3", "stages.1.algorithm=ppo", "stages.1.group_size=1", "backend.nodes=2"
    )
    assert {"stages.0.micro_batch_size", "stages.1.algorithm", "stages.1.group_size", "backend.nodes"} == set(found)


def test_pairs_of_a_step_divide_into_micro_batches(problems):
    found = problems("stages.0.use=dpo", "stages.0.micro_batch_size=3")
    assert found["stages.0.micro_batch_size"].startswith("8 pairs do not divide into micro-batches of 3")


def test_a_kl_of_0_may_say_where_it_would_be(problems):
    assert problems("stages.1.kl={coef: 0, in: reward, estimator: k1}") == {}


def test_templates_may_use_what_transformers_adds_to_jinja(problems):
    template = "{% for m in messages %}{%- generation %}{{ m.content }}{% endgeneration -%}{% break %}{% endfor %}"
    assert problems(f"stages.0.chat.template='{template}'") == {}


@pytest.mark.parametrize(("tracker", "name"), [("wandb", "Weights & Biases"), ("mlflow", "MLflow")])
def test_a_tracker_must_be_installed_to_be_asked_for(problems, monkeypatch, tracker, name):
    monkeypatch.setitem(sys.modules, tracker, None)  # as where it is not installed
    told = problems(f"backend.{tracker}=mine")[f"backend.{tracker}"]
    assert told == f"{name} is not installed; pip install {tracker}"


def test_tensorboard_must_be_installed_to_be_asked_for(problems, monkeypatch):
    if find_spec("tensorboard") is not None:
        assert problems("backend.tensorboard=true") == {}
    monkeypatch.setitem(sys.modules, "tensorboard", None)  # as where it is not installed
    assert "pip install tensorboard" in problems("backend.tensorboard=true")["backend.tensorboard"]


class TestModelFolder:
    @pytest.fixture
    def folder(self, tmp_path):
        """What belongs to a model: two tensors of 8 bytes in one file, a config and a tokenizer."""
        folder = tmp_path / "model"
        folder.mkdir()
        header = json.dumps(
            {
                "__metadata__": {"format": "pt"},
                "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
                "b": {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]},
            }
        ).encode()
        (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(16))
        (folder / "config.json").write_text('{"model_type": "llama", "max_position_embeddings": 64}')
        (folder / "tokenizer.json").write_text("{}")
        return folder

    @pytest.fixture
    def found(self, problems, folder):
        return lambda *more: problems(f"model={folder}", *more).get("model", "")

    def test_a_whole_one_is_fine(self, found):
        assert found() == ""

    def test_its_context_bounds_the_lengths(self, problems, folder):
        assert "64" in problems(f"model={folder}", "stages.1.max_new_tokens=64")["stages.1.max_new_tokens"]

    @pytest.mark.parametrize(
        ("missing", "what"),
        [
            ("config.json", "it has no config.json"),
            ("tokenizer.json", "it has no tokenizer"),
            ("model.safetensors", "it has no weights"),
        ],
    )
    def test_a_part_that_is_missing_is_named(self, found, folder, missing, what):
        (folder / missing).unlink()
        assert what in found()

    def test_a_folder_that_is_not_there(self, problems):
        assert "there is no such folder" in problems("model=./nowhere")["model"]

    def test_an_adapter_is_told_from_a_model(self, found, folder):
        (folder / "config.json").rename(folder / "adapter_config.json")
        assert "merge" in found()

    @pytest.mark.parametrize(
        "damage",
        [
            lambda data: data[:-1],
            lambda data: data + b"x",
            lambda data: b"\xff" * len(data),
            lambda data: data[:8] + b"{" * (len(data) - 8),
            lambda data: b"",
            lambda data: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 4\n",
        ],
        ids=["cut", "longer", "noise", "no JSON", "empty", "a pointer of git lfs"],
    )
    def test_corrupt_weights_are_found_without_loading_them(self, found, folder, damage):
        weights = folder / "model.safetensors"
        weights.write_bytes(damage(weights.read_bytes()))
        assert "model.safetensors is corrupt" in found()

    def test_a_shard_that_is_missing_is_named(self, found, folder):
        (folder / "model.safetensors").rename(folder / "model-1-of-2.safetensors")
        index = {"weight_map": {"a": "model-1-of-2.safetensors", "b": "model-2-of-2.safetensors"}}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
        assert "model-2-of-2.safetensors, which is not there" in found()

    @pytest.mark.parametrize("text", ["{", "[]", ""])
    def test_a_broken_config_is_one_error(self, found, folder, text):
        (folder / "config.json").write_text(text)
        assert "config.json" in found()

    def test_a_name_of_the_hub_is_no_folder(self, problems):
        assert problems("model=Qwen/Qwen2.5-7B") == {}


class TestDryRun:
    @pytest.fixture
    def plan(self, main, write):
        write("r.yaml", RECIPE)

        write("pairs.jsonl", '{"prompt": "2 + 3?", "chosen": "5", "rejected": "6"}')

        def dry_run(*overrides):
            code, out, _ = main("run", "r.yaml", "--dry-run", *overrides)
            assert code == 0
            return out

        return dry_run

    def test_it_starts_nothing(self, plan, tmp_path):
        plan()
        assert not (tmp_path / "runs").exists()

    def test_it_tells_what_trl_will_do(self, plan):
        out = plan("stages.1.updates_per_batch=2", "stages.1.kl.coef=0.1")
        assert "SFTTrainer on toy/counting: 2 steps of 8 rows" in out
        assert "6 prompts x 4 = 24 completions a step, 2 update(s), micro-batches of 12" in out
        assert "KL 0.1 in the loss (k3), against the model as this stage finds it" in out

    def test_it_tells_of_pairs_and_adapters(self, plan):
        pairs = "{use: data/jsonl, with: {path: pairs.jsonl}}"
        dpo = f"stages=[{{use: dpo, dataset: {pairs}, batch_size: 8, steps: 3, beta: 0.2}}]"
        out = plan(dpo, "backend.lora={rank: 4, dropout: 0.1, targets: [q_proj, v_proj]}")
        assert "LoRA of rank 4, alpha 16, dropout 0.1 (none in rl), in q_proj, v_proj, merged at a stage's end" in out
        assert "DPOTrainer on data/jsonl: 3 steps of 8 pairs" in out
        assert "beta 0.2, against the model as this stage finds it" in out

    def test_of_one_stage_alone(self, plan):
        head, _, rest = plan().partition("stage 0: sft\n")
        assert plan("--stage", "1") == head + rest[rest.index("stage 1: rl\n") :]
        assert plan("--stage", "0") == head + "stage 0: sft\n" + rest[: rest.index("stage 1: rl\n")]

    @pytest.mark.parametrize(
        ("algorithm", "loss"),
        [
            ("grpo", "seq_mean"),
            ("dr_grpo", "constant"),
            ("rloo", "constant"),
            ("reinforce_baseline", "token_mean"),
        ],
    )
    def test_a_loss_left_open_is_the_nearest_to_the_paper_and_said(self, plan, algorithm, loss):
        assert f"loss {loss} (TRL's " in plan(f"stages.1.algorithm={algorithm}")
        assert ", the nearest to its paper" in plan(f"stages.1.algorithm={algorithm}")

    def test_an_explicit_loss_is_taken(self, plan):
        out = plan("stages.1.loss=token_mean")
        assert "loss token_mean (TRL's dapo); clip" in out

    def test_a_clip_without_effect_is_said(self, plan):
        assert "without effect: one update a batch" in plan()
        assert "without effect" not in plan("stages.1.updates_per_batch=2")
