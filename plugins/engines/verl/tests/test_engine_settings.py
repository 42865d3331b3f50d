"""A setting that goes through to verl is checked where verl is not installed: its name, its value, and its use."""

from fnmatch import fnmatchcase

import pytest
from rewardlab.recipe import load
from rewardlab_training import check_recipe
from rewardlab_verl.engine_settings.beside_us import IDLE, RECIPE
from rewardlab_verl.engine_settings.passed import _names, _tree, passed_findings, passed_lines

PROGRAMS = ("rl", "rl-megatron", "sft", "sft-megatron")
TEXT = """
    version: 1
    name: made
    model: {use: tiny}
    dataset: {use: toy/counting, with: {rows: 32}}
    reward: {components: {brevity: {use: toy/brevity}}, total: brevity}
    stages: [{use: eval, samples: 2, max_new_tokens: 12}]
    backend: {use: verl, gpus_per_node: 4}
"""
ACTOR, ROLLOUT = "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
TAKEN = {
    "rl": {
        "trainer.balance_batch": False,
        "trainer.critic_warmup": 10,
        f"{ACTOR}.entropy_coeff": 0.001,
        f"{ACTOR}.entropy_checkpointing": True,
        f"{ACTOR}.policy_loss.loss_mode": "gspo",
        f"{ACTOR}.fsdp_config.forward_prefetch": True,
        f"{ACTOR}.fsdp_config.fsdp_size": 8,
        "actor_rollout_ref.model.use_liger": True,
        "actor_rollout_ref.model.use_fused_kernels": True,
        "actor_rollout_ref.model.trust_remote_code": True,
        "+actor_rollout_ref.model.override_config.rope_theta": 10000.0,
        f"{ROLLOUT}.max_num_batched_tokens": 16384,
        f"{ROLLOUT}.max_num_seqs": 512,
        f"{ROLLOUT}.enable_chunked_prefill": True,
        f"{ROLLOUT}.quantization": "fp8",
        f"{ROLLOUT}.free_cache_engine": False,
        f"+{ROLLOUT}.engine_kwargs.vllm.disable_mm_preprocessor_cache": True,
        "algorithm.rollout_correction.rollout_is": "token",
        "algorithm.rollout_correction.rollout_is_threshold": "0.5_5.0",
        "algorithm.kl_ctrl.type": "adaptive",
        "trainer.rollout_data_dir": "dumps",
        "trainer.log_val_generations": 10,
    },
    "rl-megatron": {
        f"{ACTOR}.megatron.sequence_parallel": True,
        f"{ACTOR}.megatron.use_dist_checkpointing": False,
        f"{ACTOR}.megatron.override_transformer_config.recompute_granularity": "full",
    },
    "sft": {"data.balance_dp_token": True, "engine.fsdp_size": 4, "model.use_liger": True, "optim.num_cycles": 0.5},
}
REFUSED = {
    "rl": [
        ("trainer.balance_bach", True, "no setting of that name; did you mean 'trainer.balance_batch'?"),
        ("balance_batch", True, "no setting of that name"),
        ("trainer.balance_batch", "nonsense", 'takes true or false, not "nonsense"'),
        ("trainer.balance_batch", 1, "takes true or false, not 1"),
        (f"{ACTOR}.entropy_coeff", "high", 'takes a number or a whole number, not "high"'),
        (f"{ACTOR}.entropy_coeff", True, "takes a number or a whole number, not true"),
        (f"{ACTOR}.entropy_coeff", [0.1], "takes a number or a whole number, not [0.1]"),
        (f"{ACTOR}.policy_loss.loss_mode", "gspoo", "did you mean 'gspo'?"),
        (f"{ACTOR}.policy_loss.loss_mode", "clip-cov", "did you mean 'clip_cov'?"),
        (f"{ACTOR}.fsdp_config.fsdp_size", 1.5, "takes a whole number, not 1.5"),
        (f"{ACTOR}.fsdp_config", True, f"is a group of settings: {ACTOR}.fsdp_config.wrap_policy.min_num_params, "),
        ("trainer", 1, "is a group of settings: trainer.balance_batch, "),
        (
            f"{ROLLOUT}.engine_kwargs.vllm",
            1,
            f"is a mapping, whose keys are settings: write +{ROLLOUT}.engine_kwargs.vllm.",
        ),
        (f"{ACTOR}.entropy_coef", 0.1, f"did you mean '{ACTOR}.entropy_coeff'?"),
        ("", 1, "no setting of that name"),
        (f"+{ROLLOUT}.min_p", 0.1, "no setting of that name"),
        (f"{ROLLOUT}.max_num_seqs", "512", 'takes a whole number, not "512"'),
        (f"{ROLLOUT}.quantization", "fp4", "takes fp8 or torchao, not 'fp4'"),
        (f"+{ROLLOUT}.repetition_penalty", 1.1, "the recipe says it: stages.N.repetition_penalty"),
        (f"{ROLLOUT}.engine_kwargs.vllm.swap_space", 1, f"write +{ROLLOUT}.engine_kwargs.vllm.swap_space"),
        ("+trainer.balance_batch", False, "write trainer.balance_batch: verl's configuration has it"),
        ("+trainer.balanced", False, "no setting of that name"),
        (f"{ACTOR}.megatron.sequence_parallel", True, "no setting of that name"),
        ("algorithm.kl_ctrl.type", "moving", "takes fixed or adaptive, not 'moving'"),
        (f"{ROLLOUT}.multi_turn.enable", True, "the recipe says it: stages.N.agent"),
        (f"{ROLLOUT}.multi_turn.tool_config_path", "t.yaml", "the recipe says it: stages.N.agent.tools"),
        ("data.tool_config_path", "t.yaml", "the recipe says it: stages.N.agent.tools"),
        (f"{ROLLOUT}.multi_turn.max_assistant_turns", 3, "the recipe says it: stages.N.agent.max_turns"),
        (f"{ROLLOUT}.multi_turn.format", "hermes", "completions are of one turn; `stages.N.agent` names tools"),
        ("data.image_key", "images", "rows hold texts"),
        ("algorithm.norm_adv_by_std_in_grpo", False, "grpo divides by the deviation, dr_grpo does not"),
        ("trainer.val_only", True, "a stage `use: eval`, which evaluates and trains nothing"),
        ("data.prompt_key", "question", "`dataset` says which"),
        ("data.truncation", "left", "too long prompts are left out"),
        ("data.filter_overlong_prompts", True, "the recipe says it: stages.N.max_prompt_tokens"),
        ("custom_reward_function.path", "r.py", "rewards are the recipe's components"),
        ("reward.reward_model.rollout.name", "vllm", "rewards are the recipe's components"),
        ("reward.num_workers", 3, "the recipe says it: backend.engine.reward_workers"),
        ("ray_kwargs.ray_init.num_cpus", 8, "rewardlab starts Ray"),
        ("model_engine", "megatron", "the recipe says it: backend.engine.strategy"),
        ("trainer.total_epochs", 15, "the recipe says it: stages.N.steps or epochs"),
        ("+data.apply_chat_template_kwargs.enable_thinking", False, "prompts are whole texts already"),
    ],
    "rl-megatron": [(f"{ACTOR}.fsdp_config.fsdp_size", 8, "no setting of that name")],
    "sft": [
        ("engine.fsdp_sise", 4, "did you mean 'engine.fsdp_size'?"),
        ("trainer.critic_warmup", 4, "no setting of that name"),
        ("data.messages_key", "chat", "rewardlab writes the rows that verl reads"),
        ("optim.lr", 1, "the recipe says it: stages.N.learning_rate"),
        ("trainer.test_freq", 5, "the recipe says it: stages.N.eval_every"),
    ],
}


def test_a_right_one_is_taken():
    for program, given in TAKEN.items():
        assert list(passed_findings(program, given)) == []


def test_a_wrong_one_is_refused_with_what_is_right():
    for program, rows in REFUSED.items():
        for name, value, told in rows:
            found = dict(passed_findings(program, {name: value}))
            assert told in found.get(name, ""), (name, value, found)


def test_each_pattern_is_of_a_setting_of_verl():
    names = {name for program in PROGRAMS for name in _names(_tree(program))}
    ours = {"algorithm.rewardlab*", "hydra.*", "*model.override_config.attn_implementation"}
    idle = [pattern for pattern in {*RECIPE, *IDLE} - ours if not any(fnmatchcase(name, pattern) for name in names)]
    assert idle == []


def test_check_names_the_place_and_needs_no_stage_of_the_kind(toy, write):
    path = write("r.yaml", TEXT)
    given = ["backend.engine.arguments={trainer.balance_bach: true}"]
    with pytest.raises(Exception, match=r"backend\.engine\.arguments\.trainer\.balance_bach: verl 0\.9\.1 has no"):
        check_recipe(load(path, given))


def test_the_dry_run_says_what_each_does():
    lines = list(passed_lines("rl", {"trainer.balance_batch": False, f"+{ROLLOUT}.engine_kwargs.vllm.swap_space": 3}))
    assert lines == [
        "passed to verl: trainer.balance_batch: false (Whether to balance batch sizes across distributed workers)",
        f"passed to verl: +{ROLLOUT}.engine_kwargs.vllm.swap_space: 3 (vllm engine config)",
    ]


@pytest.mark.verl
@pytest.mark.parametrize("program", PROGRAMS)
def test_they_are_those_of_verls_own_configuration(program):
    pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
    from hydra import compose, initialize_config_module
    from omegaconf import OmegaConf

    kind, _, strategy = program.partition("-")
    megatron = {"rl": ["model_engine=megatron"], "sft": ["engine=megatron", "optim=megatron"]}[kind]
    with initialize_config_module("verl.trainer.config", version_base=None):
        config = compose({"rl": "ppo_trainer", "sft": "sft_trainer_engine"}[kind], megatron if strategy else [])
    assert _leaves(OmegaConf.to_container(config)) == set(_names(_in_files(_tree(program))))


def _leaves(node, above=""):
    found = set()
    for name, value in node.items():
        if name != "_target_":
            found |= _leaves(value, f"{above}{name}.") if isinstance(value, dict) and value else {above + name}
    return found


def _in_files(tree):
    return {
        name: _in_files(inside) if isinstance(inside, dict) else inside
        for name, inside in tree.items()
        if not name.startswith("+")
    }
