"""Every number of a stage is a setting of verl's, under a name and with a value that its own configuration has."""

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from rewardlab.recipe import load
from rewardlab_training import check_recipe
from rewardlab_verl.compile import VerlFiles, compile_stage
from rewardlab_verl.compile.command import render
from rewardlab_verl.engine_settings.beside_us import refusal

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
      - {use: sft, steps: 10, batch_size: 16, schedule: cosine, min_learning_rate: 1e-6, warmup_steps: 3}
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
    backend: {use: verl, gpus_per_node: 4}
"""
ACTOR, ROLLOUT = "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
FILES = VerlFiles(
    model="org/model",
    folder=Path("/runs/made-1/engine/1-rl"),
    checkpoints=Path("/runs/made-1/checkpoints/1-rl"),
    run_name="made-1-rl",
    job="made-1/1-rl/0",
    steps=5,
    longest=20,
    ends=(2, 5),
)
VARIANTS = {
    "as it is": (),
    "sglang": ("backend.engine.rollout=sglang", "backend.engine.tensor_parallel=2"),
    "kl in the loss": ("stages.1.kl={coef: 0.1, estimator: k2}",),
    "kl in the reward": ("stages.1.kl={coef: 0.1, in: reward}",),
    "grpo, several updates": ("stages.1.algorithm=grpo", "stages.1.updates_per_batch=2", "stages.1.epochs_per_batch=3"),
    "rloo, rows": ("stages.1.algorithm=rloo", "stages.1.micro_batch_size=4", "stages.0.micro_batch_size=2"),
    "reinforce_baseline, tokens": ("stages.1.algorithm=reinforce_baseline", "stages.1.loss=token_mean"),
    "ppo": ("stages.1.algorithm=ppo", "stages.1.critic={warmup_steps: 3, lambda: 0.95}", "stages.1.micro_batch_size=8"),
    "gspo": ("stages.1={use: rl, preset: gspo, group_size: 4, batch_size: 16, steps: 5, max_new_tokens: 12}",),
    "cispo": ("stages.1={use: rl, preset: cispo, group_size: 4, batch_size: 16, steps: 5, max_new_tokens: 12}",),
    "dr_grpo by name": ("stages.1={use: rl, preset: dr_grpo, steps: 5, max_new_tokens: 12}",),
    "dapo by name": ("stages.1={use: rl, preset: dapo, steps: 5, max_new_tokens: 12}",),
    "entropy": ("stages.1.entropy_coef=0.001", "stages.1.eval={samples: 2, top_p: 0.7, top_k: 50}"),
    "dual clip": ("stages.1.dual_clip=3",),
    "evaluation": ("stages.1.eval={samples: 2, temperature: 0}", "stages.1.eval_every=2", "stages.1.top_p=0.9"),
    "a stage eval": ("stages.1={use: eval, samples: 2, max_new_tokens: 12}",),
    "groups left out": ("reward.teach={flat: replace, by: brevity}", "stages.1.eval={samples: 2}"),
    "turns": ("stages.1.agent={tools: [own.yaml], max_turns: 3}",
              "stages.1.chat={thinking: false, template: '{{ tools }}{{ enable_thinking }}'}",
              "backend.engine.arguments={actor_rollout_ref.rollout.multi_turn.format: hermes}"),
    "lora": ("backend.engine.lora={rank: 8}",),
    "lora of some": ("backend.engine.lora={rank: 8, targets: [q_proj, v_proj]}",),
    "drawn otherwise": ("stages.1.min_p=0.1", "stages.1.repetition_penalty=1.1"),
    "evaluated otherwise": ("stages.1.eval={samples: 2, top_p: 0.5, top_k: 7}", "stages.1.top_k=20"),
    "stop": ("stages.1.stop=[it's, '\\${a}', 'b\\']", "stages.1.top_k=20"),
    "megatron": ("backend.engine.strategy=megatron", "backend.engine.megatron.tensor_parallel=2"),
    "megatron, ppo": ("backend.engine.strategy=megatron", "stages.1.algorithm=ppo", "stages.0.schedule=linear",
                      "stages.0.min_learning_rate=0"),
    "offloaded, shared": ("backend.engine.offload_optimizer=true", "backend.engine.sequence_parallel=2",
                          "backend.gradient_checkpointing=true"),
    "fp32": ("backend.precision=fp32", "backend.engine.attention=sdpa", "backend.engine.packing=false"),
    "trackers": ("backend.tensorboard=true", "backend.engine.wandb=made"),
    "arguments": ("backend.engine.arguments={trainer.balance_batch: false}",
                  "backend.engine.sft_arguments={data.balance_dp_token: true}"),
    "vllm's own": ("backend.engine.arguments={actor_rollout_ref.rollout.max_num_seqs: 256, "
                   "actor_rollout_ref.rollout.max_num_batched_tokens: 16384, "
                   "actor_rollout_ref.rollout.quantization: fp8, "
                   "+actor_rollout_ref.rollout.engine_kwargs.vllm.swap_space: 8}",),
}  # fmt: skip


@pytest.fixture
def command(toy, write):
    """The command of a stage of the recipe with some overrides; `command(*overrides, index=1, steps=3)`."""
    path = write("r.yaml", RECIPE)

    def made(*overrides, index=1, **changed):
        plan = check_recipe(load(path, overrides))
        rows = 2 if any("eval=" in override or "use: eval" in override for override in overrides) else 0
        return compile_stage(plan, index, replace(FILES, evaluation_rows=rows, **changed))

    return made


class TestWhatDecidesLearning:
    def test_dr_grpo_divides_by_its_constant(self, command):
        settings = command().settings
        assert settings[f"{ACTOR}.loss_agg_mode"] == "seq-mean-token-sum-norm"
        assert settings[f"{ACTOR}.loss_scale_factor"] == 12
        assert "loss_scale_factor" not in str(command("stages.1.loss=token_mean").settings)

    def test_advantages_are_those_of_the_actors_that_score(self, command):
        assert command().settings["algorithm.adv_estimator"] == "rewardlab"
        assert command("stages.1.algorithm=ppo").settings["algorithm.adv_estimator"] == "gae"

    def test_the_ratio_is_a_completions_own_or_its_tokens(self, command):
        of_tokens = command().settings
        assert f"{ACTOR}.policy_loss.loss_mode" not in of_tokens
        gspo, cispo = (command(*VARIANTS[name]).settings for name in ("gspo", "cispo"))
        names = ("policy_loss.loss_mode", "loss_agg_mode", "clip_ratio_low", "clip_ratio_high")
        assert [gspo[f"{ACTOR}.{name}"] for name in names] == ["gspo", "seq-mean-token-mean", 0.0003, 0.0004]
        assert [cispo[f"{ACTOR}.{name}"] for name in names] == ["cispo", "token-mean", 1.0, 4.0]

    def test_entropy_and_the_sampling_of_evaluations_are_what_the_stage_says(self, command):
        settings = command(*VARIANTS["entropy"]).settings
        assert settings[f"{ACTOR}.entropy_coeff"] == 0.001
        sampling = "actor_rollout_ref.rollout.val_kwargs"
        assert [settings[f"{sampling}.{name}"] for name in ("top_p", "top_k")] == [0.7, 50]
        assert f"{ACTOR}.entropy_coeff" not in command().settings

    def test_an_update_is_counted_in_prompts(self, command):
        settings = command("stages.1.updates_per_batch=4", "stages.1.epochs_per_batch=2").settings
        assert (settings["data.train_batch_size"], settings[f"{ACTOR}.ppo_mini_batch_size"]) == (8, 2)
        assert settings[f"{ACTOR}.ppo_epochs"] == 2

    def test_groups_are_left_out_by_the_outcome_that_the_recipe_names(self, command):
        """By its own component, else by `correctness`."""
        buffer = "trainer.v1.sampler"
        replaced = "reward.teach={flat: replace, by: brevity}"
        settings = command(replaced, "backend.engine.refill={max_batches: 4}").settings
        wanted = {"outcome": "brevity", "batch_size": 8, "max_batches": 4, "at_once": 1, "job": "made-1/1-rl/0"}
        assert {name: settings[f"+{buffer}.sampler_kwargs.{name}"] for name in wanted} == wanted
        assert settings["algorithm.filter_groups.enable"] is True
        named = command("reward.correctness=brevity", "reward.teach={flat: replace}").settings
        assert named[f"+{buffer}.sampler_kwargs.outcome"] == "brevity"
        assert not any("sampler" in name or "filter_groups" in name for name in command().settings)

    def test_verls_own_loops_go_on_from_the_recipes_prompt(self, command):
        """With its template and its variables, and as many turns as it says."""
        turns = f"{ROLLOUT}.multi_turn"
        settings = command(
            "stages.1.agent={use: tool_agent, tools: [own.yaml], max_turns: 3}",
            "stages.1.chat={thinking: false, template: '{{ enable_thinking }}'}",
        ).settings
        assert (settings[f"{turns}.enable"], settings[f"{turns}.max_assistant_turns"]) == (True, 3)
        assert settings[f"{turns}.tool_config_path"] == str(Path("own.yaml").absolute())
        assert settings[f"{turns}.function_tool_path"] is None
        assert settings["+data.apply_chat_template_kwargs.enable_thinking"] is False
        assert settings["actor_rollout_ref.model.custom_chat_template"] == "{{ enable_thinking }}"
        assert not any("multi_turn" in name for name in command().settings)

    def test_the_clip_is_the_recipes_alone(self, command):
        settings = command().settings
        assert [settings[f"{ACTOR}.clip_ratio_{end}"] for end in ("low", "high")] == [0.2, 0.28]
        assert settings[f"{ACTOR}.clip_ratio_c"] >= 1e6, "beyond every ratio: no dual clip"
        assert command("stages.1.dual_clip=3").settings[f"{ACTOR}.clip_ratio_c"] == 3

    def test_the_penalty_stands_where_the_recipe_has_it(self, command):
        in_loss = command("stages.1.kl={coef: 0.1, estimator: k2}").settings
        assert (in_loss[f"{ACTOR}.kl_loss_coef"], in_loss[f"{ACTOR}.kl_loss_type"]) == (0.1, "k2")
        in_reward = command("stages.1.kl={coef: 0.1, in: reward}").settings
        assert (in_reward["algorithm.kl_ctrl.kl_coef"], in_reward["algorithm.kl_penalty"]) == (0.1, "k1")
        assert f"{ACTOR}.use_kl_loss" not in in_reward

    @pytest.mark.parametrize(("precision", "dtype"), [("bf16", "bfloat16"), ("fp32", "float32")])
    def test_each_model_computes_in_the_recipes_precision(self, command, precision, dtype):
        """FSDP2 has it under `mixed_precision`, and Megatron under `dtype`; each passes over the other's."""
        sdpa = "backend.engine.attention=sdpa", "backend.engine.packing=false", f"backend.precision={precision}"
        settings = command(*sdpa).settings
        for model in (ACTOR, "actor_rollout_ref.ref"):
            assert settings[f"+{model}.fsdp_config.mixed_precision.param_dtype"] == precision
        assert command(*sdpa, index=0).settings["+engine.mixed_precision.param_dtype"] == precision
        settings = command(*sdpa, "backend.engine.strategy=megatron").settings
        assert settings[f"{ACTOR}.megatron.dtype"] == dtype

    def test_an_evaluation_is_drawn_as_it_says_itself(self, command):
        settings = command("stages.1.eval={samples: 2, top_p: 0.5, top_k: 7}", "stages.1.top_k=20").settings
        rollout = "actor_rollout_ref.rollout"
        assert (settings[f"{rollout}.top_p"], settings[f"{rollout}.top_k"]) == (1.0, 20)
        assert [settings[f"{rollout}.val_kwargs.{name}"] for name in ("n", "top_p", "top_k")] == [2, 0.5, 7]

    def test_all_completions_that_wait_for_their_groups_have_a_place_in_a_reward_worker(self, command):
        """Ray lets each of these hold 1,000 calls, and verl picks them at random."""

        def workers(*overrides, **changed):
            return command(*overrides, **changed).settings["reward.num_workers"]

        large = ("stages.1.batch_size=1024", "stages.1.group_size=16")
        assert workers() == workers("stages.1.batch_size=800", "stages.1.group_size=8") == 8
        assert workers(*large) == 21
        assert workers(*large, "backend.engine.reward_workers=30") == 30
        assert workers(*large, "reward.teach={flat: replace, by: brevity}", "backend.engine.refill.at_once=2") == 41
        assert workers("stages.1.eval={samples: 6401}") == 17, "two rows, which verl evaluates at once"

    def test_what_verl_has_no_setting_for_reaches_the_agent_loop(self, command):
        settings = command("stages.1.min_p=0.1", "stages.1.repetition_penalty=1.1").settings
        assert [settings[f"+algorithm.rewardlab.{name}"] for name in ("min_p", "repetition_penalty")] == [0.1, 1.1]
        assert "+algorithm.rewardlab.min_p" not in command().settings

    def test_no_warm_up_is_not_a_share(self, command):
        assert command().settings[f"{ACTOR}.optim.lr_warmup_steps"] == -1
        assert command(index=0).settings["optim.lr_warmup_steps"] == 3
        assert command(index=0).settings["optim.min_lr_ratio"] == pytest.approx(0.1)

    def test_rows_come_in_the_recipes_order_and_once(self, command):
        settings = command().settings
        assert (settings["data.shuffle"], settings["trainer.total_epochs"]) == (False, 1)

    def test_the_last_step_is_saved_whatever_save_every_is(self, command):
        assert command().settings["trainer.save_freq"] == 5
        assert command("stages.1.save_every=2").settings["trainer.save_freq"] == 2


@pytest.mark.slow
def test_all_that_a_recipe_compiles_to_cannot_be_passed_beside_it(command):
    for overrides in VARIANTS.values():
        for index in (0, 1):
            names = command(*(word for word in overrides if "arguments" not in word), index=index).settings
            passed = [name for name in names if refusal(name.lstrip("+")) is None]
            # groups of sft's, no settings; and what may be said by verl's own name, where the stage does not
            passed = set(passed) - {"engine", "optim", f"{ACTOR}.policy_loss.loss_mode", f"{ACTOR}.entropy_coeff"}
            assert passed == set(), overrides


@pytest.mark.parametrize(
    "value", ["a b", "it's", "a\\", "a\\'b", "${x}", "7", "null", "true", "1e-3", "a=b", "[a]", "", "#", "é", "x:1"]
)
def test_texts_come_out_of_hydra_as_they_went_in(value):
    parser = pytest.importorskip("hydra.core.override_parser.overrides_parser").OverridesParser.create()
    [override] = parser.parse_overrides([f"key={render(value)}"])
    config = pytest.importorskip("omegaconf").OmegaConf.create({"key": override.value()})
    assert config.key == value
    assert shlex.split(shlex.quote(f"key={render(value)}")) == [f"key={render(value)}"]


@pytest.mark.verl
@pytest.mark.parametrize("overrides", VARIANTS.values(), ids=VARIANTS)
def test_verls_own_configuration_has_every_setting(command, overrides, model_folder):
    accepted_by_trainer(composed("ppo_trainer", command(*overrides, model=str(model_folder("llama")))))


@pytest.mark.verl
def test_verls_own_configuration_has_every_setting_of_sft(command, model_folder):
    """Most variants are of rl alone: their sft is one command."""
    model = str(model_folder("llama"))
    commands = {tuple(made.arguments): made for made in (command(*v, index=0, model=model) for v in VARIANTS.values())}
    assert 1 < len(commands) < len(VARIANTS)
    for made in commands.values():
        config = composed("sft_trainer_engine", made)
        accepted_by_workers(config.engine, config.optim, config.checkpoint)


def composed(name, command):
    """The configuration that verl makes of a command, having checked that it lacks nothing."""
    pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
    from hydra import compose, initialize_config_module
    from omegaconf import OmegaConf

    arguments = [word for word in command.arguments if not word.startswith("hydra.")]
    with initialize_config_module("verl.trainer.config", version_base=None):
        config = compose(name, arguments)
    missing = set(OmegaConf.missing_keys(config)) - {"reward.reward_model.rollout.name"}  # of a model that is off
    assert not missing, "verl wants these, and nothing sets them"
    return config


def accepted_by_trainer(config):
    """What main_ppo asks of its configuration before it starts, and the parts of it that its workers make."""
    from verl.trainer.ppo.utils import need_critic, need_reference_policy
    from verl.utils.config import validate_config

    work = config.actor_rollout_ref
    accepted_by_workers(work.rollout, work.ref.get("fsdp_config") or work.ref.megatron, config.critic.optim)
    if not work.model.lora_rank:  # for which it asks vLLM, which is not here
        validate_config(config, need_reference_policy(config), need_critic(config))


def accepted_by_workers(*parts):
    """What verl's workers make of the parts, which refuses values that they do not take."""
    from verl.utils.config import omega_conf_to_dataclass

    for part in parts:
        omega_conf_to_dataclass(part)
