"""What verl cannot do is refused before anything starts, with the nearest thing that it can; the rest is described."""

import pytest
from rewardlab.errors import UserError
from rewardlab.recipe import load
from rewardlab_ray.job import check_machine, engine
from rewardlab_training import check_recipe
from rewardlab_verl.job.engine import ENGINE, backend

RECIPE = """
    version: 1
    name: made
    model: {use: tiny}
    dataset: {use: toy/counting, with: {rows: 32}}
    reward:
      components: {brevity: {use: toy/brevity}}
      total: 2 * brevity - 1
    stages:
      - {use: sft, steps: 10, batch_size: 16}
      - {use: rl, algorithm: dr_grpo, group_size: 4, batch_size: 8, steps: 5, max_new_tokens: 12}
    backend: {use: verl, gpus_per_node: 4}
"""


@pytest.fixture
def plan(toy, write):
    """The plan of the recipe with some overrides, as `check` and `run` make it."""
    path = write("r.yaml", RECIPE)
    return lambda *overrides: check_recipe(load(path, overrides))


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("backend.gpus_per_node=null", "backend.gpus_per_node: missing; say how many GPUs each node has"),
        ("backend.gpus_per_node=0", "backend.gpus_per_node: verl trains on GPUs; without one, use: trl"),
        (
            "stages.1.on_truncated=mask",
            "stages.1.on_truncated: verl cannot leave a completion out of the loss; zero",
        ),
        ("reward.teach={flat: drop, by: brevity}", "reward.teach.flat: the backend verl cannot drop flat groups; the"),
        (
            "backend.engine.filter_groups={by: brevity}",
            "filter_groups: no such option; write reward.teach: {flat: replac",
        ),
        ("backend.engine.refill={at_once: 11}", "backend.engine.refill.at_once: is more than max_batches, 10"),
        ("backend.engine.refill={max_batches: 4}", "backend.engine.refill: is for `reward.teach: {flat: replace}`"),
        (
            "stages.1.agent={tools: [nowhere.py:add]}",
            "stages.1.agent.tools.0: 'nowhere.py:add': nowhere.py cannot be imported",
        ),
        ("stages.1.agent={tools: [json:loads]}", "stages.1.agent.tools.0: json:loads takes"),
        ("stages.1.agent={use: games.py:Chess}", "stages.1.agent.use: verl's loops are known by a name"),
        ("stages.1.agent={tools: [a.yaml, b.yaml]}", "stages.1.agent.tools: verl reads one YAML of its own tools"),
        ("stages.0.schedule=linear", "stages.0.schedule: verl's fsdp2 has constant and cosine; cosine is the nearest"),
        ("stages.1.updates_per_batch=3", "stages.1.updates_per_batch: verl splits a step by prompts: 8 do not divide"),
        ("stages.1.micro_batch_size=3", "stages.1.micro_batch_size: 32 completions are 8 on each of 4 ranks"),
        ("stages.0.batch_size=6", "stages.0.batch_size: 6 rows do not divide over 4 ranks"),
        ("stages.1={use: dpo}", "stages.1: the backend verl runs data, sft, rl and eval stages, not dpo"),
        ("backend.engine.attention=sdpa", "backend.engine.packing: needs flash attention, not sdpa"),
        (
            "backend.precision=fp32",
            "backend.precision: flash_attention_2 computes in bf16 only; set engine.attention: sdpa",
        ),
        (
            "backend.engine.tensor_parallel=3",
            "backend.engine.tensor_parallel: the 4 GPUs do not divide into parts of",
        ),
        ("backend.engine.megatron={tensor_parallel: 2}", "backend.engine.megatron: is for strategy: megatron"),
        (
            "backend.engine={lora: {rank: 8}, checkpoint_models: true}",
            "backend.engine.checkpoint_models: verl writes a model with adapters under peft's names",
        ),
        ("backend.engine.lora={rank: 8, dropout: 0.1}", "backend.engine.lora.dropout: verl's adapters have none"),
        ("backend.engine.context=4096", "backend.engine.context: 4096 is more than the model's"),
        (
            "sampler={use: curriculum/balanced, with: {reasoning: brevity, answer: brevity}}",
            "sampler: verl decides before it generates how many completions",
        ),
        (
            "backend.engine.arguments={algorithm.adv_estimator: grpo}",
            "backend.engine.arguments.algorithm.adv_estimator: the recipe says it: stages.N.algorithm",
        ),
        (
            "backend.engine.arguments={algorithm.filter_groups.enable: true}",
            "algorithm.filter_groups.enable: the recipe says it: reward.teach",
        ),
        (
            "backend.engine.arguments={trainer.v1.trainer_mode: colocate_async}",
            "trainer.v1.trainer_mode: cannot be passed on here: the ledger has verl's synchronous trainer",
        ),
        (
            "backend.engine.arguments={++trainer.v1.sampler.sync_refill_failed_groups: true}",
            "sync_refill_failed_groups: cannot be passed on here: the ledger has verl's synchronous trainer",
        ),
        (
            "backend.engine.arguments={actor_rollout_ref.rollout.nnodes: 1}",
            "rollout.nnodes: cannot be passed on here: rollout engines have GPUs of their own only with verl's asynch",
        ),
        (
            "backend.engine.arguments={actor_rollout_ref.hybrid_engine: false}",
            "hybrid_engine: cannot be passed on here: rollout engines have GPUs of their own only",
        ),
        (
            "backend.engine.arguments={reward.num_workers: 3}",
            "backend.engine.arguments.reward.num_workers: the recipe says it: backend.engine.reward_workers",
        ),
        (
            "backend.engine.sft_arguments={optim.lr: 1}",
            "backend.engine.sft_arguments.optim.lr: the recipe says it: stages.N.learning_rate",
        ),
        (
            "stages.1={use: rl, preset: cispo, batch_size: 64, steps: 5, kl: {coef: 0.1, sync_every: 2}}",
            "stages.1.kl.sync_every: the backend verl has no kl.sync_every",
        ),
        (
            "backend.engine.arguments={actor_rollout_ref.actor.clip_ratio_c: 3}",
            "actor.clip_ratio_c: the recipe says it: stages.N.dual_clip",
        ),
        (
            "stages.1={use: rl, preset: gspo, batch_size: 64, steps: 5, dual_clip: 3}",
            "stages.1.dual_clip: verl's gspo has none, only its loss with ratios of tokens; trl and openrlhf",
        ),
        ("backend.engine.rollouts=vllm", "did you mean 'rollout'?"),
    ],
)
def test_it_is_refused_at_its_place(plan, override, told):
    with pytest.raises(UserError) as raised:
        plan(override)
    assert any(told in str(problem) for problem in raised.value.problems), str(raised.value)


def test_a_loss_is_said_once(plan):
    said = "backend.engine.arguments={actor_rollout_ref.actor.policy_loss.loss_mode: sapo}"
    plan(said)
    for stage in ("stages.1.loss=cispo", "stages.1.importance_sampling_level=sequence", "stages.1.dual_clip=3"):
        with pytest.raises(UserError, match=r"policy_loss\.loss_mode, too; leave one of the two out"):
            plan(said, stage)
    with pytest.raises(UserError, match=r"stages\.1\.entropy_coef: .*entropy_coeff, too"):
        plan("stages.1.entropy_coef=0.1", "backend.engine.arguments={actor_rollout_ref.actor.entropy_coeff: 0.1}")


def test_a_penalty_in_the_reward_is_none_of_those_that_are_whitened(plan):
    with pytest.raises(UserError, match="`in: loss` is the nearest"):
        plan("stages.1.algorithm=reinforce_baseline", "stages.1.kl={coef: 0.1, in: reward}")


def test_a_critic_has_the_attention_that_verl_gives_it(plan):
    """verl 0.9.1 names it literally, so that the job would end once it has started."""
    sdpa = "stages.1.algorithm=ppo", "backend.engine.attention=sdpa", "backend.engine.packing=false"
    with pytest.raises(UserError, match=r"stages\.1\.algorithm: verl loads a critic with flash_attention_2 alone"):
        plan(*sdpa)
    plan(*sdpa[1:])
    plan(sdpa[0])
    plan(*sdpa, "backend.engine.strategy=megatron")


class TestTheDryRun:
    def test_shows_a_command_that_a_shell_reads(self, plan):
        made = plan("stages.1.eval={samples: 2}", "dataset.holdout=0.2")
        sft, rl = (list(backend(None).describe_stage(made, index)) for index in (0, 1))
        assert any(line.startswith("python -m torch.distributed.run --standalone --nproc-per-node 4") for line in sft)
        start = rl.index("python -m verl.trainer.main_ppo \\")
        assert all(line.endswith(" \\") for line in rl[start:-1])
        assert not rl[-1].endswith("\\")
        assert "  reward.reward_manager.name=rewardlab \\" in rl

    def test_says_what_differs(self, plan):
        made = plan("stages.1.eval={samples: 2}", "dataset.holdout=0.2")
        text = "\n".join(backend(None).describe_stage(made, 1))
        assert "loss constant (verl's seq-mean-token-sum-norm): a sequence's sum over max_new_tokens" in text
        text = "\n".join(backend(None).describe_stage(plan("stages.1.importance_sampling_level=sequence"), 1))
        assert "geometric mean over their tokens (GSPO; verl's gspo)" in text
        text = "\n".join(backend(None).describe_stage(made, 1))
        assert "evaluated before the first step and after the last step: 2 completions a prompt" in text


class TestThisMachine:
    def test_without_verl_is_told_how_to_get_it(self, plan, monkeypatch):
        monkeypatch.setattr("rewardlab_ray.job.engine.installed_version", lambda name: None)
        with pytest.raises(UserError, match=r"verl 0\.9\.1 is not installed here; `rewardlab env create verl`"):
            check_machine.check_machine(ENGINE, plan())

    def test_with_another_version_is_refused(self, plan, monkeypatch):
        monkeypatch.setattr("rewardlab_ray.job.engine.installed_version", lambda name: "0.8.0")
        with pytest.raises(UserError, match=r"verl 0\.8\.0 is installed.*pip install verl==0\.9\.1"):
            check_machine.check_machine(ENGINE, plan())

    @pytest.mark.slow
    def test_is_asked_for_all_that_the_stages_need(self, plan, monkeypatch):
        monkeypatch.setattr(engine, "installed_version", lambda name: "0.9.1")
        monkeypatch.setattr(engine, "find_spec", lambda name: None)
        monkeypatch.setattr(check_machine, "gpus_here", lambda: 2)
        monkeypatch.delenv("WANDB_API_KEY", raising=False)
        settings = "backend.engine={strategy: megatron, rollout: sglang, wandb: made, storage: /shared}"
        with pytest.raises(UserError) as raised:
            check_machine.check_machine(ENGINE, plan(settings, "backend.scorers={replicas: 3, num_gpus: 0.5}"))
        told = [problem.what for problem in raised.value.problems]
        assert [text.split(";")[0].split(",")[0] for text in told] == [
            "this environment has no transfer_queue",
            "this environment has no sglang",
            "this environment has no megatron.core",
            "the recipe needs 6 GPUs and this machine has 2",
            "is for a Ray cluster",
            "needs WANDB_API_KEY",
        ]

    @pytest.mark.slow  # imports transformers
    def test_takes_no_model_that_nobody_serves(self, plan, monkeypatch, tmp_path):
        monkeypatch.setattr(engine, "installed_version", lambda name: "0.9.1")
        monkeypatch.setattr(engine, "find_spec", lambda name: name)
        monkeypatch.setattr(check_machine, "gpus_here", lambda: 4)
        (tmp_path / "config.json").write_text('{"model_type": "t5"}')
        (tmp_path / "tokenizer.json").touch()
        (tmp_path / "model.safetensors").write_bytes((2).to_bytes(8, "little") + b"{}")
        with pytest.raises(UserError, match=r"model: a t5 is no causal language model, which rollout engines serve"):
            check_machine.check_machine(ENGINE, plan(f"model={tmp_path}"))

    def test_needs_no_verl_for_the_jobs_of_a_cluster(self, plan, monkeypatch):
        """Nor GPUs: what is wrong is that nobody answers."""
        pytest.importorskip("ray", reason="needs the environment of requirements-verl-cpu.txt")
        with pytest.raises(UserError, match=r"backend\.address: no Ray cluster answers at http://127\.0\.0\.1:9"):
            backend(None).ready(plan("backend.address=http://127.0.0.1:9", "backend.nodes=2"), None)
