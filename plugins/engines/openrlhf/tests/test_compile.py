"""Every number of a stage is an argument of OpenRLHF's."""

import itertools
import math
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.each_case import each_case
from rewardlab.errors import UserError
from rewardlab.recipe import load
from rewardlab_openrlhf.compile import compile_stage
from rewardlab_openrlhf.compile.clipping import clip_range
from rewardlab_openrlhf.compile.command import Command, render_arguments
from rewardlab_openrlhf.compile.optimiser import warm_up_ratio
from rewardlab_openrlhf.stage_files import StageFiles
from rewardlab_training import check_recipe

RECIPE = """
    version: 1
    name: made
    seed: 7
    model: org/model
    dataset: {use: toy/counting, with: {rows: 32}, holdout: 0.2}
    reward:
      components: {brevity: {use: toy/brevity}}
      total: 2 * brevity - 1
    stages:
      - {use: sft, steps: 10, batch_size: 16, schedule: linear, warmup_steps: 3}
      - use: rl
        algorithm: dr_grpo
        group_size: 4
        batch_size: 8
        steps: 5
        max_new_tokens: 12
        clip: [0.2, 0.28]
        weight_decay: 0.1
        adam_beta2: 0.95
        max_grad_norm: 0.5
        temperature: 0.7
    backend: {use: openrlhf, gpus_per_node: 4}
"""
FOLDER = Path("/shared/runs/made-1/engine/1-rl")


@pytest.fixture
def plan(toy, write):
    """The plan of the recipe with some overrides."""
    path = write("r.yaml", RECIPE)
    return lambda *overrides: check_recipe(load(path, overrides))


@pytest.fixture
def files():
    """Of a stage of 5 steps; `files(resume=True)` changes some."""

    def made(**changed):
        given = {
            "model": "org/model",
            "folder": FOLDER,
            "output": FOLDER / "model",
            "checkpoints": Path("/shared/runs/made-1/checkpoints/1-rl"),
            "tensorboard": None,
            "run_name": "made-1-rl",
            "steps": 5,
            "rows": 40,
            "longest_prompt": 20,
        }
        return StageFiles(**{**given, **changed})

    return made


@pytest.fixture
def arguments(plan, files):
    """The arguments of the rl stage, by name, each as a text; a bare flag is ""."""

    def made(*overrides, index=1, **changed):
        return named(compile_stage(plan(*overrides), index, files(**changed)))

    return made


def named(command):
    found, name = {}, None
    for token in command.arguments:
        if token.startswith("--"):
            name = token[2:]
            assert name not in found, f"{name} is given twice"
            found[name] = ""
        else:
            found[name] = f"{found[name]} {token}".strip()
    return found


class TestRl:
    def test_the_program_starts_its_own_processes(self, plan, files):
        command = compile_stage(plan(), 1, files())
        assert (command.module, command.ranks) == ("openrlhf.cli.train_ppo_ray", None)

    def test_what_decides_learning(self, arguments):
        found = arguments()
        wanted = {
            "algo.advantage.estimator": "dr_grpo",
            "actor.eps_clip_low_high": "0.2 0.28",
            "algo.kl.init_coef": "0.0",
            "actor.adam.lr": "1e-05",
            "actor.adam.betas": "0.9 0.95",
            "actor.adam.weight_decay": "0.1",
            "actor.max_norm": "0.5",
            "actor.lr_scheduler": "constant",
            "actor.lr_warmup_ratio": "0.0",
            "rollout.temperature": "0.7",
            "rollout.top_p": "1.0",
            "rollout.batch_size": "8",
            "rollout.n_samples_per_prompt": "4",
            "rollout.max_new_tokens": "12",
            "train.batch_size": "32",
            "train.max_epochs": "1",
            "train.num_episodes": "1",
            "train.seed": "7",
            "data.max_len": "32",
        }
        assert {name: found[name] for name in wanted} == wanted

    @each_case(
        "algorithm, estimator, loss",
        [
            ("grpo", "dr_grpo", "seq-mean-token-mean"),
            ("dr_grpo", "dr_grpo", "token-mean"),
            ("rloo", "dr_grpo", "token-mean"),
            ("reinforce_baseline", "dr_grpo", "token-mean"),
            ("ppo", "gae", "token-mean"),
        ],
    )
    def test_an_algorithm_names_the_estimator_and_the_nearest_loss(self, arguments, algorithm, estimator, loss):
        found = arguments(f"stages.1.algorithm={algorithm}")
        assert (found["algo.advantage.estimator"], found["actor.loss_agg_mode"]) == (estimator, loss)

    def test_an_explicit_loss_is_taken(self, arguments):
        assert arguments("stages.1.loss=seq_mean")["actor.loss_agg_mode"] == "seq-mean-token-mean"

    def test_ratios_of_whole_completions_and_entropy(self, arguments):
        stage = "stages.1={use: rl, preset: gspo, batch_size: 8, steps: 4, entropy_coef: 0.001, dual_clip: 3}"
        found = arguments(stage)
        names = ("policy_loss_type", "loss_agg_mode", "eps_clip_low_high", "entropy_coef", "dual_clip")
        assert [found[f"actor.{name}"] for name in names] == [
            "gspo",
            "seq-mean-token-mean",
            "0.0003 0.0004",
            "0.001",
            "3.0",
        ]
        assert not {"actor.policy_loss_type", "actor.entropy_coef", "actor.dual_clip"} & arguments().keys()

    def test_steps_are_rows(self, arguments):
        assert arguments(rows=40)["data.max_samples"] == "40"

    def test_rows_to_evaluate_on_are_not_cut_by_the_number_of_training_rows(self, arguments):
        assert arguments(rows=40, evaluation_rows=41)["data.max_samples"] == "41"

    def test_prompts_are_rendered_already(self, arguments):
        found = arguments()
        assert (found["data.input_key"], found["data.label_key"]) == ("input", "label")
        assert not {"data.apply_chat_template", "data.input_template"} & set(found)
        assert found["data.prompt_dataset"] == str(FOLDER / "rows.jsonl")
        assert found["train.agent_func_path"] == str(FOLDER / "agent.py")

    def test_updates_split_the_completions_over_all_ranks(self, arguments):
        found = arguments("stages.1.updates_per_batch=2", "backend.engine={packing: false, attention: sdpa}")
        assert (found["train.batch_size"], found["train.micro_batch_size"]) == ("16", "4")
        found = arguments("stages.1.updates_per_batch=2", "stages.1.micro_batch_size=2")
        assert (found["train.micro_batch_size"], found["rollout.micro_batch_size"]) == ("2", "2")
        found = arguments("stages.1.micro_batch_size=2", "backend.engine.rollout_micro_batch_size=4")
        assert (found["train.micro_batch_size"], found["rollout.micro_batch_size"]) == ("2", "4")

    def test_tokens_decide_micro_batches_where_the_recipe_gives_no_rows(self, arguments):
        assert arguments()["train.max_tokens_per_gpu"] == "8192"
        found = arguments("backend.engine.tokens_per_gpu=4096")
        assert found["train.dynamic_batch_enable"] == ""
        assert found["train.max_tokens_per_gpu"] == found["rollout.max_tokens_per_gpu"] == "4096"
        assert found["train.micro_batch_size"] == found["rollout.micro_batch_size"] == "1"

    def test_passes_over_a_batch_are_openrlhfs_epochs(self, arguments):
        found = arguments("stages.1.epochs_per_batch=3", "stages.1.updates_per_batch=2")
        assert (found["train.max_epochs"], found["train.batch_size"]) == ("3", "16")

    def test_a_nucleus(self, arguments):
        assert arguments("stages.1.top_p=0.9")["rollout.top_p"] == "0.9"

    def test_a_kl_in_the_loss(self, arguments):
        found = arguments("stages.1.kl={coef: 0.01}")
        assert (found["algo.kl.init_coef"], found["algo.kl.estimator"], found["algo.kl.use_loss"]) == ("0.01", "k3", "")
        assert (found["ref.num_nodes"], found["ref.num_gpus_per_node"]) == ("1", "4")

    def test_a_kl_in_the_reward(self, arguments):
        found = arguments("stages.1.kl={coef: 0.01, in: reward}")
        assert found["algo.kl.estimator"] == "k1", "k3, the default in the loss, has another gradient there"
        assert "algo.kl.use_loss" not in found
        assert arguments("stages.1.kl={coef: 0.01, in: reward, estimator: k2}")["algo.kl.estimator"] == "k2"

    def test_without_a_kl_there_is_no_reference(self, arguments):
        assert not [name for name in arguments() if name.startswith("ref.")]

    def test_ppo_has_a_critic_from_the_policy(self, arguments):
        critic = "stages.1.critic={learning_rate: 2e-6, warmup_steps: 2, value_clip: 0.3, lambda: 0.95, gamma: 0.99}"
        found = arguments("stages.1.algorithm=ppo", critic)
        assert found["critic.model_name_or_path"] == found["actor.model_name_or_path"] == "org/model"
        assert (found["critic.adam.lr"], found["critic.value_clip"]) == ("2e-06", "0.3")
        assert (found["algo.advantage.lambd"], found["algo.advantage.gamma"]) == ("0.95", "0.99")
        assert found["critic.lr_scheduler"] == "constant_with_warmup"
        assert math.ceil(5 * float(found["critic.lr_warmup_ratio"])) == 2
        assert found["critic.num_gpus_per_node"] == "4"

    def test_no_other_algorithm_has_one(self, arguments):
        assert not [name for name in arguments() if name.startswith("critic.")]

    def test_evaluation_has_numbers_of_its_own(self, arguments):
        found = arguments("stages.1.eval={samples: 3, temperature: 0}", "stages.1.eval_every=2", evaluation_rows=6)
        assert found["eval.dataset"] == str(FOLDER / "evaluation.jsonl")
        assert (found["eval.steps"], found["eval.n_samples_per_prompt"], found["eval.temperature"]) == ("2", "3", "0.0")

    def test_evaluation_without_an_interval_is_after_the_last_step(self, arguments):
        found = arguments("stages.1.eval={}", evaluation_rows=6)
        assert (found["eval.steps"], found["eval.temperature"]) == ("5", "0.7")

    def test_without_evaluation_there_is_none(self, arguments):
        assert not [name for name in arguments() if name.startswith("eval.")]

    def test_the_longest_prompt_is_not_known_before_the_rows_are_read(self, arguments):
        assert arguments(longest_prompt=None)["data.max_len"] == "MAX_PROMPT_LENGTH+12"

    def test_engines_may_read_more_than_the_policys_own_texts(self, arguments):
        assert arguments("backend.engine.context=500")["data.max_len"] == "500"
        with pytest.raises(UserError, match=r"context 31 is less than the longest prompt of 20 tokens"):
            arguments("backend.engine.context=31")

    def test_other_prompts_take_the_place_of_groups_whose_scores_are_0(self, arguments):
        """The scorers give a group that teaches both 0 and 1, and any other 0 alone, whatever its bounds are."""
        teach = "reward.teach={flat: replace, by: brevity, between: [0, 0.9]}"
        found = arguments(teach, "backend.engine.rollout_micro_batch_size=1")
        assert found["algo.dynamic_filtering_enable"] == ""
        assert found["algo.dynamic_filtering_range"] == "0.0 1.0"

    def test_correction(self, arguments):
        found = arguments("backend.engine.correction={level: seq, gating: tv, bounds: [0.1]}")
        shown = [found[f"algo.advantage.is_correction_{name}"] for name in ("level", "mode", "gating", "threshold")]
        assert shown == ["seq", "mask", "tv", "0.1"]


class TestPlacement:
    def test_colocated_engines_and_trainer_sleep_in_turn(self, arguments):
        found = arguments("stages.1.kl.coef=0.1")
        assert {"train.colocate_all", "vllm.enable_sleep", "ds.enable_sleep"} <= set(found)
        assert "train.colocate_actor_ref" not in found
        assert (found["vllm.num_engines"], found["vllm.gpu_memory_utilization"]) == ("4", "0.6")

    def test_sleep_can_be_left(self, arguments):
        assert not {"vllm.enable_sleep", "ds.enable_sleep"} & set(arguments("backend.engine.sleep=false"))

    def test_apart_the_reference_shares_the_policys_gpus(self, arguments):
        found = arguments("backend.engine.colocate=false", "stages.1.kl.coef=0.1")
        assert not {"train.colocate_all", "vllm.enable_sleep", "ds.enable_sleep"} & set(found)
        assert found["train.colocate_actor_ref"] == ""
        assert (found["vllm.num_engines"], found["actor.num_gpus_per_node"]) == ("2", "2")
        assert found["vllm.gpu_memory_utilization"] == "0.9"

    def test_nodes(self, arguments):
        found = arguments("backend.nodes=2", "backend.engine.tensor_parallel=2")
        assert (found["actor.num_nodes"], found["actor.num_gpus_per_node"]) == ("2", "4")
        assert (found["vllm.num_engines"], found["vllm.tensor_parallel_size"]) == ("4", "2")

    def test_asynchronous(self, arguments):
        found = arguments(
            "backend.engine={colocate: false, asynchronous: {queue: 2, partial_rollouts: true}, generate_batch: 12}"
        )
        assert {"train.async_enable", "train.partial_rollout_enable"} <= set(found)
        assert (found["train.async_queue_size"], found["rollout.vllm_generate_batch_size"]) == ("2", "12")

    def test_in_turn_there_is_no_queue(self, arguments):
        assert not [name for name in arguments() if "async" in name or "generate_batch" in name]

    def test_speed_and_memory(self, arguments):
        found = arguments(
            "backend.gradient_checkpointing=true",
            "backend.engine={zero_stage: 3, offload_optimizer: true, prefix_caching: true, eager: true, "
            "gpu_memory: 0.5, ring_attention: 2, attention: flash_attention_3}",
        )
        flags = {"actor.gradient_checkpointing_enable", "ds.adam_offload", "ds.packing_samples"}
        assert flags | {"vllm.enable_prefix_caching", "vllm.enforce_eager"} <= set(found)
        assert (found["ds.zero_stage"], found["ds.ring_attn_size"]) == ("3", "2")
        assert found["ds.attn_implementation"] == "flash_attention_3"
        assert found["vllm.gpu_memory_utilization"] == "0.5"

    def test_an_offloaded_reference(self, arguments):
        assert "ref.offload" in arguments(
            "backend.engine={zero_stage: 3, offload_reference: true}", "stages.1.kl.coef=0.1"
        )


class TestTexts:
    def test_sft(self, plan, files):
        command = compile_stage(plan(), 0, files(steps=10, rows=160))
        assert (command.module, command.ranks) == ("openrlhf.cli.train_sft", 4)
        found = named(command)
        wanted = {
            "data.dataset": str(FOLDER / "rows.jsonl"),
            "data.input_key": "input",
            "data.output_key": "output",
            "data.input_template": "",
            "data.max_samples": "160",
            "data.max_len": "20",
            "train.batch_size": "16",
            "train.micro_batch_size": "4",
            "train.max_epochs": "1",
            "lr_scheduler": "linear",
            "lr_warmup_ratio": "0.3",
            "adam.betas": "0.9 0.999",
            "max_norm": "1.0",
        }
        assert {name: found[name] for name in wanted} == wanted
        template = command.arguments.index("--data.input_template")
        assert command.arguments[template + 1] == ""

    def test_whole_nodes(self, plan, files):
        command = compile_stage(plan("backend.nodes=4", "stages.0.batch_size=8"), 0, files(steps=10, rows=160))
        assert (command.ranks, command.nodes) == (8, 2)
        assert named(command)["train.micro_batch_size"] == "1"
        launcher = "torch.distributed.run --nnodes 2 --node-rank NODE --master-addr FIRST --master-port PORT"
        assert next(command.lines()) == f"python -m {launcher} --nproc-per-node 4 -m openrlhf.cli.train_sft"

    def test_dpo_refers_to_the_model_that_it_starts_from(self, arguments, write):
        pairs = write("pairs.jsonl", [{"id": "a", "prompt": "1+1?", "chosen": "2", "rejected": "3"}])
        dataset = f"dataset: {{use: data/jsonl, with: {{path: {pairs}}}}}"
        stage = f"stages.0={{use: dpo, steps: 10, beta: 0.3, max_tokens: 64, schedule: cosine, {dataset}}}"
        found = arguments(stage, index=0)
        assert found["ref.model_name_or_path"] == found["model.model_name_or_path"] == "org/model"
        assert (found["model.beta"], found["data.max_len"], found["lr_scheduler"]) == ("0.3", "64", "cosine")
        columns = ["prompt", "chosen", "rejected"]
        assert [found[f"data.{column}_key"] for column in columns] == columns

    def test_lora(self, arguments):
        lora = "backend.engine.lora={rank: 8, alpha: 32, dropout: 0.1, targets: [q_proj, v_proj]}"
        found = arguments("stages=[{use: sft, steps: 5}]", lora, index=0)
        shown = [found[f"ds.lora.{name}"] for name in ("rank", "alpha", "dropout", "target_modules")]
        assert shown == ["8", "32", "0.1", "q_proj v_proj"]

    def test_lora_of_all_layers_is_openrlhfs_default(self, arguments):
        found = arguments("stages=[{use: sft, steps: 5}]", "backend.engine.lora={rank: 8}", index=0)
        assert found["ds.lora.rank"] == "8"
        assert "ds.lora.target_modules" not in found


class TestRun:
    @pytest.mark.parametrize("index", [0, 1])
    def test_checkpoints(self, arguments, index):
        found = arguments(f"stages.{index}.save_every=2", "backend.engine.keep_checkpoints=5", index=index)
        assert (found["ckpt.save_steps"], found["ckpt.max_num"]) == ("2", "5")
        assert found["ckpt.path"] == "/shared/runs/made-1/checkpoints/1-rl"
        assert found["ckpt.output_dir"] == str(FOLDER / "model")
        assert "ckpt.load_enable" not in found

    def test_without_an_interval_none_are_kept_nor_a_best_one(self, arguments):
        assert arguments()["ckpt.save_steps"] == "-1"
        assert arguments()["ckpt.best_metric_key"] == "none"

    @pytest.mark.parametrize("index", [0, 1])
    def test_resume_loads_the_last_one(self, arguments, index):
        assert "ckpt.load_enable" in arguments(index=index, resume=True)

    def test_tensorboard(self, arguments):
        found = arguments(tensorboard=Path("/shared/tb"))
        assert (found["logger.tensorboard_dir"], found["logger.wandb.run_name"]) == ("/shared/tb", "made-1-rl")
        assert "logger.tensorboard_dir" not in arguments()

    @each_case("mark", [",", "@", "*", "?", "[", "]", "::"])
    def test_a_path_that_openrlhf_would_read_as_something_else_is_an_error(self, arguments, mark):
        with pytest.raises(UserError, match="in a path has a meaning of its own"):
            arguments(folder=Path(f"/shared/a{mark}b"))

    def test_the_key_of_a_tracker_is_nowhere_in_the_command(self, plan, files):
        command = compile_stage(plan("backend.engine.wandb=project"), 1, files())
        assert named(command)["logger.wandb.project"] == "project"
        assert "s3cret" not in " ".join(command.with_secrets("s3cret"))
        assert named(command)["logger.wandb.key"] == "WANDB_API_KEY"  # truthy, which is all that OpenRLHF asks

    @pytest.mark.parametrize("key", [None, ""])
    def test_a_tracker_without_its_key_is_an_error(self, plan, files, key):
        command = compile_stage(plan("backend.engine.wandb=project"), 1, files())
        with pytest.raises(UserError, match="WANDB_API_KEY"):
            command.with_secrets(key)

    def test_without_a_tracker_no_key_is_needed(self, plan, files):
        command = compile_stage(plan(), 1, files())
        assert command.with_secrets(None) == command.arguments

    def test_further_arguments_go_to_the_programs_that_take_them(self, arguments):
        given = "backend.engine.arguments={actor.entropy_coef: 0.001, adam.eps: 1.0e-6, ds.overlap_comm: true}"
        rl, sft = arguments(given), arguments(given, index=0)
        assert (rl["actor.entropy_coef"], rl["ds.overlap_comm"]) == ("0.001", "")
        assert (sft["adam.eps"], sft["ds.overlap_comm"]) == ("1e-06", "")
        assert "adam.eps" not in rl
        assert "actor.entropy_coef" not in sft


class TestSchedule:
    def test_warm_up_counts_optimizer_updates(self, arguments):
        found = arguments("stages.1.updates_per_batch=4", "stages.1.warmup_steps=2", "stages.1.schedule=cosine")
        assert found["actor.lr_scheduler"] == "cosine"
        assert math.ceil(5 * 4 * float(found["actor.lr_warmup_ratio"])) == 2 * 4

    def test_warm_up_counts_the_updates_of_every_pass(self, arguments):
        found = arguments("stages.1.epochs_per_batch=3", "stages.1.updates_per_batch=2", "stages.1.warmup_steps=2")
        assert math.ceil(5 * 6 * float(found["actor.lr_warmup_ratio"])) == 2 * 6

    @pytest.mark.parametrize(("ratio", "steps"), [(0.4, 2), (0.3, 2), (0.0, 0)])
    def test_a_share_of_the_steps_is_warm_up(self, arguments, ratio, steps):
        found = arguments("stages.1.updates_per_batch=4", f"stages.1.warmup_ratio={ratio}")
        assert math.ceil(5 * 4 * float(found["actor.lr_warmup_ratio"])) == steps * 4

    @pytest.mark.parametrize("index", [0, 1])
    def test_a_cosine_may_end_above_zero(self, arguments, index):
        stage = f"stages.{index}"
        given = f"{stage}.schedule=cosine", f"{stage}.learning_rate=4.0e-6", f"{stage}.min_learning_rate=1.0e-6"
        found, prefix = arguments(*given, index=index), ("", "actor.")[index]
        assert (found[f"{prefix}lr_scheduler"], found[f"{prefix}min_lr_ratio"]) == ("cosine_with_min_lr", "0.25")

    def test_a_critic_ends_at_the_same_share_of_its_own_rate(self, arguments):
        given = "stages.1.algorithm=ppo", "stages.1.schedule=cosine", "stages.1.min_learning_rate=1.0e-6"
        assert float(arguments(*given)["critic.min_lr_ratio"]) == pytest.approx(0.1)

    def test_without_a_minimum_openrlhf_is_told_none(self, arguments):
        assert "actor.min_lr_ratio" not in arguments("stages.1.schedule=cosine")

    def test_a_constant_rate_with_warm_up_has_a_name_of_its_own(self, arguments):
        assert arguments("stages.1.warmup_steps=2")["actor.lr_scheduler"] == "constant_with_warmup"

    def test_openrlhf_rounds_the_ratio_to_exactly_the_steps_asked_for(self):
        for updates in (*range(1, 130), 500, 997, 12_345, 1_000_000):
            for warm_up in {0, 1, 2, 3, 7, updates // 3, updates - 1, updates, updates + 5}:
                ratio = float(str(warm_up_ratio(warm_up, updates)))
                assert math.ceil(updates * ratio) == warm_up, (warm_up, updates)


class TestClipRange:
    """What OpenRLHF's estimators make of the worst groups lies within the bounds."""

    @staticmethod
    def estimates(algorithm, rewards):
        size = len(rewards)
        mean = sum(rewards) / size
        if algorithm == "grpo":
            deviation = math.sqrt(sum((r - mean) ** 2 for r in rewards) / (size - 1))
            return [(r - mean) / (deviation + 1e-9) for r in rewards]
        if algorithm == "rloo":
            return [r - (sum(rewards) - r) / (size - 1) for r in rewards]
        if algorithm == "reinforce_baseline":  # of a step whose other seven groups are flat
            squares = sum((r - mean) ** 2 for r in rewards)
            return [(r - mean) / (math.sqrt(squares / (8 * size)) + 1e-9) for r in rewards]
        return list(rewards) if algorithm == "ppo" else [r - mean for r in rewards]

    @pytest.mark.parametrize("algorithm", ["grpo", "dr_grpo", "rloo", "reinforce_baseline", "ppo"])
    @each_case("size", [2, 4, 8])
    @each_case("total", ["2 * brevity - 1", "100 * brevity + 40", "0.001 * brevity", "0 * brevity - 3"])
    def test_no_group_is_clipped(self, plan, algorithm, size, total):
        made = plan(f"stages.1.algorithm={algorithm}", f"stages.1.group_size={size}", f"reward.total='{total}'")
        low, high = clip_range(made, made.recipe.stages[1])
        for rewards in itertools.product(made.total_range, repeat=size):
            found = self.estimates(algorithm, rewards)
            assert low < min(found)
            assert max(found) < high

    def test_a_truncated_completion_may_get_a_0_that_the_total_never_gives(self, plan):
        made = plan("reward.total='brevity + 9'", "stages.1.on_truncated=zero")
        assert clip_range(made, made.recipe.stages[1])[1] > 10
        made = plan("reward.total='brevity + 9'")
        assert clip_range(made, made.recipe.stages[1])[1] < 2

    def test_shaped_rewards_count_not_totals(self, plan):
        made = plan("reward.normalize=[normalize/std]", "stages.1.group_size=8")
        shaped = made.shaped_range(8)
        assert clip_range(made, made.recipe.stages[1])[1] >= max(shaped) > 2, "no mean is taken off again"

    def test_it_reaches_the_command_as_plain_numbers(self, arguments):
        assert arguments()["reward.clip_range"] == "-2.02 2.02"
        low = arguments("reward.total='0.00001 * brevity'")["reward.clip_range"].split()[0]
        assert low.startswith("-0.0")
        assert "e" not in low

    def test_an_unknown_range_is_none(self, plan):
        made = replace(plan(), total_range=None)
        assert clip_range(made, made.recipe.stages[1]) is None


class TestCommand:
    def test_what_is_off_is_left_out(self):
        assert render_arguments({"a": True, "b": False, "c": None, "d": "", "e": [1, 2.5], "f": -1e-05}) == (
            *("--a", "--d", "", "--e", "1", "2.5"),
            *("--f", "-0.00001"),
        )

    def test_a_shell_reads_it_as_it_is(self):
        command = Command(module="openrlhf.cli.train_sft", arguments=("--a", "x y", "--b", "", "--c"), ranks=2)
        assert list(command.lines()) == [
            "python -m torch.distributed.run --standalone --nproc-per-node 2 -m openrlhf.cli.train_sft",
            "--a 'x y'",
            "--b ''",
            "--c",
        ]
