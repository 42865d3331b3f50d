"""A script of verl's own, which names our reward manager and a recipe, and nothing else of rewardlab."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = [pytest.mark.nightly, pytest.mark.verl]  # test_script_groups.py has the manager without verl's loop

RECIPE = """
version: 1
reward:
  components:
    letters: {use: toy/letters}
    longest: {use: toy/longest}
    accuracy: {use: math/accuracy, on_missing: group_mean}
  total: letters + 0.1 * longest + accuracy
"""
ACTOR, ROLLOUT = "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
SCRIPT = f"""
algorithm.adv_estimator=grpo trainer.device=cpu trainer.nnodes=1 trainer.n_gpus_per_node=1 trainer.logger=[console]
trainer.val_before_train=True trainer.test_freq=-1 trainer.total_training_steps=2 trainer.resume_mode=disable
data.train_batch_size=4 data.max_prompt_length=64 data.max_response_length=8 data.dataloader_num_workers=0
actor_rollout_ref.model.use_remove_padding=False actor_rollout_ref.model.enable_gradient_checkpointing=False
+actor_rollout_ref.model.override_config.attn_implementation=eager
{ACTOR}.strategy=fsdp2 {ACTOR}.ppo_mini_batch_size=4 {ACTOR}.ppo_micro_batch_size_per_gpu=16 {ACTOR}.optim.lr=1e-3
{ACTOR}.use_torch_compile=False {ACTOR}.fsdp_config.use_torch_compile=False {ACTOR}.fsdp_config.dtype=float32
{ROLLOUT}.name=hf_cpu {ROLLOUT}.n=4 {ROLLOUT}.tensor_model_parallel_size=1 {ROLLOUT}.agent.num_workers=1
{ROLLOUT}.log_prob_micro_batch_size_per_gpu=16 {ROLLOUT}.val_kwargs.n=2
reward.num_workers=2 reward.reward_manager.name=rewardlab
transfer_queue.backend.SimpleStorage.num_data_storage_units=1
"""


@pytest.fixture
def script(jobs, model_folder, toy_path, tmp_path):
    """Run the script with these further settings: `script(*settings)` returns its exit code and what it printed."""

    def run(*settings, **extra):
        rows = [
            {
                "data_source": "made",
                "prompt": [{"role": "user", "content": f"say {number}"}],
                "reward_model": {"style": "rule", "ground_truth": str(number)},
                "extra_info": {"index": number, "language": "en", **extra},
            }
            for number in range(8)
        ]
        for name, count in (("train", 8), ("val", 2)):
            text = "".join(f"{json.dumps(row)}\n" for row in rows[:count])
            (tmp_path / f"{name}.jsonl").write_text(text)
        (tmp_path / "reward.yaml").write_text(RECIPE)
        command = [sys.executable, "-m", "verl.trainer.main_ppo", *SCRIPT.split()]
        command += [f"data.train_files={tmp_path}/train.jsonl", f"data.val_files={tmp_path}/val.jsonl"]
        command += [
            f"actor_rollout_ref.model.path={model_folder('qwen2')}",
            f"trainer.rollout_data_dir={tmp_path}/dump",
        ]
        command += [f"trainer.default_local_dir={tmp_path}/checkpoints", *settings]
        with jobs.ray_environment(tmp_path) as (environment, _):
            environment |= {"REWARDLAB_CPU_ENGINE_TOKENS": "8"}
            environment["PYTHONPATH"] += f":{toy_path}"
            done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=400)
        return done.returncode, done.stdout + done.stderr

    return run


def rows_of(folder):
    return [json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()]


def test_groups_are_scored_whole_and_the_ledger_has_their_components(script, tmp_path):
    code, output = script(f"+reward.reward_kwargs.recipe={tmp_path}/reward.yaml")
    (tmp_path / "output.txt").write_text(output)
    assert code == 0, output[-3000:]
    ledger = rows_of(tmp_path / "checkpoints" / "rewardlab")
    training = [row for row in ledger if row["phase"] == "training"]
    validation = [row for row in ledger if row["phase"] == "during"]
    assert (len(training), len(validation)) == (2 * 4 * 4, 2 * 2)
    assert {row["step"] for row in training} == {1, 2}
    assert set(training[0]["components"]) == {"letters", "longest", "accuracy"}
    dumped = sorted((row["output"], row["score"]) for row in rows_of(tmp_path / "dump"))
    written = sorted((row["completion"], row["shaped"]) for row in training)
    assert [text for text, _ in dumped] == [text for text, _ in written]
    assert [score for _, score in dumped] == pytest.approx([shaped for _, shaped in written], abs=1e-6)
