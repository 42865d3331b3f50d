"""A model that processes share, as accelerate's own configuration says: its names, what is refused, and what is learnt.

`python plugins/engines/trl/tests/test_accelerate.py` writes accelerate_settings.yaml from the installed accelerate.
"""

import dataclasses
import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from helpers.each_case import each_case

RECIPE = """
version: 1
model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64}
dataset: {use: toy/counting, with: {rows: 32}, holdout: 0.2}
reward:
  components: {letters: {use: toy/letters}, brevity: {use: toy/brevity}}
  total: min(letters, 0.2)
  teach: {flat: drop, by: brevity}
stages:
  - {use: sft, steps: 2, batch_size: 4, micro_batch_size: 2, learning_rate: 1.0e-3}
  - use: rl
    algorithm: dr_grpo
    group_size: 4
    batch_size: 2
    steps: 2
    save_every: 1
    max_new_tokens: 6
    learning_rate: 1.0e-3
    kl: {coef: 0.05}
    eval: {samples: 2, prompts: 2}
    eval_every: 1
backend: {use: trl, device: cpu, processes: 1}
"""
CONFIG = """
compute_environment: LOCAL_MACHINE
debug: false
distributed_type: FSDP
downcast_bf16: 'no'
enable_cpu_affinity: false
fsdp_config:
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_cpu_ram_efficient_loading: false
  fsdp_offload_params: false
  fsdp_reshard_after_forward: true
  fsdp_state_dict_type: FULL_STATE_DICT
  fsdp_version: 2
machine_rank: 0
main_training_function: main
mixed_precision: 'no'
num_machines: 1
num_processes: 2
rdzv_backend: static
same_network: true
tpu_env: []
tpu_use_cluster: false
tpu_use_sudo: false
use_cpu: true
"""
SHARED = "backend={use: trl, device: cpu, accelerate: fsdp.yaml}"
HERE = Path(__file__)
LIST = HERE.parents[1] / "rewardlab_trl" / "accelerate_settings.yaml"
COMMAND = f"python {HERE.relative_to(HERE.parents[4])}"
SECTIONS = {"FSDP Arguments": "fsdp_config", "DeepSpeed Arguments": "deepspeed_config"}


def table():
    """The names of accelerate's configuration, and of its two sections with the values that few settings have."""
    import accelerate
    from accelerate.commands.config.config_args import ClusterConfig
    from accelerate.commands.launch import launch_command_parser
    from accelerate.utils import constants

    values = {
        "fsdp_auto_wrap_policy": constants.FSDP_AUTO_WRAP_POLICY,
        "fsdp_backward_prefetch": constants.FSDP_BACKWARD_PREFETCH,
        "fsdp_sharding_strategy": constants.FSDP_SHARDING_STRATEGY,
        "fsdp_state_dict_type": constants.FSDP_STATE_DICT_TYPE,
        "zero_stage": ["0", "1", "2", "3"],
    }
    made = {"version": accelerate.__version__, "config": [field.name for field in dataclasses.fields(ClusterConfig)]}
    for group in launch_command_parser()._action_groups:
        if group.title in SECTIONS:
            made[SECTIONS[group.title]] = {
                action.dest: [*values.get(action.dest, action.choices or ())] or None for action in group._group_actions
            }
    return made


def text():
    """The file's text."""
    return f"# Written by {COMMAND}: the names of accelerate's configuration.\n" + yaml.safe_dump(
        table(), sort_keys=False, width=100
    )


@pytest.mark.slow
def test_the_list_is_that_of_the_installed_accelerate():
    pytest.importorskip("accelerate")
    assert LIST.read_text(encoding="utf-8") == text(), f"run: {COMMAND}"


FSDP = "distributed_type: FSDP, num_processes: 2"
ADDRESS = "main_process_ip: 127.0.0.1"
TWO_MACHINES = f"distributed_type: MULTI_GPU, num_machines: 2, num_processes: 2, {ADDRESS}"
ZERO = "distributed_type: DEEPSPEED, num_processes: 2"


@each_case(
    "config, key, what",
    [
        (f"{FSDP}, mixed_precison: bf16", "mixed_precison", "has no such setting; did you mean 'mixed_precision'?"),
        ("num_processes: 2", "distributed_type", "missing; there are FSDP, DEEPSPEED, MULTI_GPU, MULTI_CPU, NO"),
        ("distributed_type: FDSP", "distributed_type", "'FDSP' is not supported; there are FSDP"),
        ("distributed_type: MEGATRON_LM", "distributed_type", "'MEGATRON_LM' is not supported"),
        (f"{FSDP}, compute_environment: AMAZON_SAGEMAKER", "compute_environment", "LOCAL_MACHINE"),
        (f"{FSDP}, mixed_precision: fp16", "mixed_precision", "'fp16' is not supported; there are 'no' (fp32) and"),
        (f"{FSDP}, mixed_precision: bf16", "mixed_precision", "is not the recipe's precision, fp32"),
        (f"{FSDP}, gpu_ids: '0,1'", "gpu_ids", "set CUDA_VISIBLE_DEVICES; leave it out"),
        (f"{FSDP}, dynamo_config: {{dynamo_backend: inductor}}", "dynamo_config", "write torch_compile"),
        ("distributed_type: FSDP, num_processes: two", "num_processes", "must be a positive integer, not 'two'"),
        ("distributed_type: FSDP, num_processes: 1", "num_processes", "FSDP shares a model among two processes"),
        ("distributed_type: FSDP", "num_processes", "FSDP shares a model among two processes or more"),
        (f"{FSDP}, fsdp_config: {{fsdp_state_dict: FULL}}", "fsdp_config.fsdp_state_dict", "has no such setting"),
        (
            f"{FSDP}, fsdp_config: {{state_dict_type: FULL}}",
            "fsdp_config.fsdp_state_dict_type",
            "'FULL' is not known to accelerate",
        ),
        (f"{FSDP}, fsdp_config: {{fsdp_version: 1}}", "fsdp_config.fsdp_version", "must be 2: FSDP 1 is not supported"),
        (
            f"{FSDP}, fsdp_config: {{fsdp_cpu_ram_efficient_loading: true}}",
            "fsdp_config.fsdp_cpu_ram_efficient_loading",
            "must be false: each process reads the model itself",
        ),
        (f"{FSDP}, num_machines: 2", "main_process_ip", "by which address the other machines reach the first"),
        (
            f"distributed_type: MULTI_CPU, num_processes: 3, num_machines: 2, {ADDRESS}",
            "num_processes",
            "do not divide",
        ),
        (f"{FSDP}, deepspeed_config: {{zero_stage: 3}}", "deepspeed_config", "is for distributed_type: DEEPSPEED"),
        (ZERO, "distributed_type", "accelerate runs DeepSpeed on GPUs only; FSDP runs on a CPU, too"),
    ],
)
def test_what_is_wrong_with_a_configuration_is_found_by_check(main, write, config, key, what):
    write("r.yaml", RECIPE)
    backend = f"backend={{use: trl, device: cpu, accelerate: {{{config}}}}}"
    code, _, err = main("check", "r.yaml", backend)
    assert code == 2
    assert f"backend.accelerate.{key}: " in err
    assert what in err


@each_case(
    "deepspeed, key, what",
    [
        ("gradient_accumulation_steps: 4", "gradient_accumulation_steps", "says it elsewhere: micro_batch_size"),
        ("gradient_clipping: 1.0", "gradient_clipping", "says it elsewhere: max_grad_norm"),
        ("deepspeed_config_file: zero.json", "deepspeed_config_file", "write zero_stage and the offload_"),
        ("zero_stage: 4", "zero_stage", "4 is not known to accelerate"),
        ("zero_stage: 3", "zero3_save_16bit_model", "must be true with zero_stage: 3"),
        ("zero3_init_flag: true", "zero3_init_flag", "must be false: each process reads the model itself"),
    ],
)
def test_what_is_wrong_with_deepspeed(main, write, deepspeed, key, what):
    write("r.yaml", RECIPE)
    code, _, err = main(
        "check", "r.yaml", f"backend={{use: trl, accelerate: {{{ZERO}, deepspeed_config: {{{deepspeed}}}}}}}"
    )
    assert code == 2
    assert f"backend.accelerate.deepspeed_config.{key}: " in err
    assert what in err


@each_case(
    "overrides, where, what",
    [
        (["backend.processes=4"], "accelerate.num_processes", "2 is not the 4 that the recipe says"),
        (["backend.lora={rank: 2}", "backend.quantization={bits: 4}"], "accelerate.distributed_type", "4 bits here"),
        (["stages.1.kl.sync_every=2"], "accelerate.distributed_type", "takes on whole weights"),
        (["stages.0.batch_size=3"], "stages.0.batch_size", "3 rows do not divide over 2 ranks"),
        (["judges={me: {use: policy/self}}"], "accelerate.distributed_type", "policy/self answers in the first"),
        (["backend.device=cuda"], "accelerate.use_cpu", "backend.device is cuda"),
        (["backend.accelerate=none.yaml"], "accelerate", "the file 'none.yaml' cannot be read"),
        (["backend.accelerate=r.yaml"], "accelerate.model", "has no such setting"),
    ],
)
def test_what_the_recipe_cannot_have_beside_it(main, write, overrides, where, what):
    write("r.yaml", RECIPE)
    write("fsdp.yaml", CONFIG)
    assert main("check", "r.yaml", SHARED)[0] == 0
    code, _, err = main("check", "r.yaml", SHARED, *overrides)
    assert code == 2
    assert f"{where}: " in err
    assert what in err


def test_a_dry_run_says_how_the_model_is_shared(main, write):
    write("r.yaml", RECIPE)
    write("fsdp.yaml", CONFIG)
    said = main("run", "r.yaml", "--dry-run", SHARED)[1]
    assert "in 2 processes of this machine, which share the model by FSDP 2" in said
    assert "accelerate: fsdp_auto_wrap_policy = TRANSFORMER_BASED_WRAP, " in said


def test_what_machines_are_told(main, write):
    write("r.yaml", RECIPE)
    two = f"backend={{use: trl, accelerate: {{{TWO_MACHINES}}}}}"
    assert "in 2 processes of 2 machines; model" in main("run", "r.yaml", "--dry-run", two)[1]
    code, _, err = main("join", "r.yaml", two)
    assert code == 2
    assert "--machine-rank must be 1 to 1: machine 0 runs the recipe" in err
    code, _, err = main("join", "r.yaml", "--machine-rank", "1")
    assert code == 2
    assert "names no other machine" in err
    code, _, err = main("run", "r.yaml", two, "backend.accelerate.machine_rank=1")
    assert code == 2
    assert "this is machine 1; start `rewardlab join` here, and `run` on machine 0" in err


@pytest.mark.slow
def test_deepspeed_is_told_what_the_configuration_says(monkeypatch):
    """What it does with that needs GPUs."""
    from accelerate.utils import DeepSpeedPlugin
    from rewardlab_trl.options import Options
    from rewardlab_trl.sharding import launch_variables

    zero = {"zero_stage": 3, "offload_optimizer_device": "cpu", "zero3_save_16bit_model": True}
    config = {"distributed_type": "DEEPSPEED", "num_processes": 2, "deepspeed_config": zero}
    told = launch_variables(Options(accelerate=config))
    assert told["ACCELERATE_USE_DEEPSPEED"] == "true"
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    plugin = DeepSpeedPlugin()
    assert plugin.zero_stage == 3
    assert plugin.deepspeed_config["zero_optimization"]["offload_optimizer"]["device"] == "cpu"
    assert plugin.deepspeed_config["zero_optimization"]["stage3_gather_16bit_weights_on_model_save"]
    assert plugin.deepspeed_config["gradient_clipping"] == "auto"  # of the trainer, which has the recipe's
    assert plugin.deepspeed_config["gradient_accumulation_steps"] == "auto"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("accelerate")
    (folder / "r.yaml").write_text(RECIPE)
    (folder / "fsdp.yaml").write_text(CONFIG)
    return folder


@pytest.fixture(scope="module")
def run(home, command):
    """Run the recipe in a folder of this name, once for each name."""

    def once(name, *overrides):
        if not (home / name).exists():
            code, out, err = command(home, "run", "r.yaml", "--run-dir", name, *overrides)
            assert code == 0, out + err
        return home / name

    return once


@pytest.mark.slow
class TestFsdp:
    """FSDP 2 in two processes on a CPU, by gloo."""

    LORA = "backend.lora={rank: 4}"

    @pytest.mark.nightly
    def test_learns_what_one_process_learns(self, run):
        one, two = run("one"), run("two", SHARED)
        for stage in ("0-sft", "1-rl"):
            for name in ("loss", "grad_norm"):
                wanted = [row[name] for row in log(one, stage)]
                assert [row[name] for row in log(two, stage)] == pytest.approx(wanted, rel=1e-4, abs=1e-6)
        assert scores(two) == scores(one)
        for file in (one / "evaluation").glob("*.json"):
            assert (two / "evaluation" / file.name).read_text() == file.read_text()
        assert (two / "checkpoints" / "1-rl" / "checkpoint-1" / "pytorch_model_fsdp.bin").exists()

    @pytest.mark.nightly
    def test_goes_on_from_a_checkpoint_as_if_nothing_had_been(self, home, run, command):
        two = run("two", SHARED)
        again = shutil.copytree(two, home / "again")
        for made in ("models/1-rl", "checkpoints/1-rl/checkpoint-2", "evaluation"):
            shutil.rmtree(again / made)
        (again / "state.json").write_text(json.dumps({"attempt": 0, "done": [0]}))
        code, out, err = command(home, "run", "--resume", again)
        assert code == 0, out + err
        assert weights(again) == weights(two)

    @pytest.mark.nightly
    def test_learns_adapters_too(self, run):
        import torch
        from safetensors.torch import load_file

        one, two = run("one-lora", self.LORA), run("two-lora", SHARED, self.LORA)
        for stage in ("0-sft", "1-rl"):
            wanted = [row["loss"] for row in log(one, stage)]
            assert [row["loss"] for row in log(two, stage)] == pytest.approx(wanted, rel=1e-4, abs=1e-6)
        assert scores(two) == scores(one)
        wanted, learned = (load_file(folder / "models" / "1-rl" / "model.safetensors") for folder in (one, two))
        assert learned.keys() == wanted.keys()
        assert all(torch.allclose(learned[name], wanted[name], atol=1e-4) for name in wanted)


@pytest.mark.slow
class TestTwoMachines:
    """One process on each, on loopback: the machine that runs the recipe, and one that joins."""

    @pytest.mark.nightly
    def test_learn_what_one_process_learns(self, home, run, toy_path):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        config = (
            f"{{distributed_type: MULTI_CPU, num_machines: 2, num_processes: 2, {ADDRESS}, main_process_port: {port}}}"
        )
        backend = f"backend={{use: trl, device: cpu, accelerate: {config}}}"
        places = os.pathsep.join([str(toy_path), *filter(None, sys.path)])
        joining = subprocess.Popen(
            [sys.executable, "-m", "rewardlab", "join", "r.yaml", backend, "--machine-rank", "1"],
            cwd=home,
            env={**os.environ, "PYTHONPATH": places, "GLOO_SOCKET_IFNAME": "lo"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("GLOO_SOCKET_IFNAME", "lo")
                one, two = run("one"), run("machines", backend)
            out, err = joining.communicate(timeout=120)
        finally:
            joining.kill()
        assert (joining.returncode, out) == (0, "machine 1: the last stage is trained\n"), err
        assert "machine 1: training stage 1-rl; logs are in" in err
        assert scores(two) == scores(one)
        for stage in ("0-sft", "1-rl"):
            wanted = [row["loss"] for row in log(one, stage)]
            assert [row["loss"] for row in log(two, stage)] == pytest.approx(wanted, rel=1e-4, abs=1e-6)


@pytest.mark.slow
def test_what_another_machine_has_lost_ends_the_wait_for_it(tmp_path):
    from rewardlab.errors import JobError
    from rewardlab_trl.machines import LOST
    from rewardlab_trl.processes import _all_ready

    (tmp_path / "ready-1").touch()
    assert not _all_ready(tmp_path, 3)
    (tmp_path / "ready-2").touch()
    assert _all_ready(tmp_path, 3)
    (tmp_path / LOST).write_text("stage 0-sft: process 2 (of 3, from 0) ended with signal 9")
    with pytest.raises(JobError, match="signal 9"):
        _all_ready(tmp_path, 3)


def weights(run):
    return (run / "models" / "1-rl" / "model.safetensors").read_bytes()


def log(run, stage):
    return [json.loads(line) for line in (run / "logs" / f"{stage}.jsonl").read_text().splitlines()]


def scores(run):
    """Each completion of each step and evaluation, with its rewards and its advantage."""
    rows = map(json.loads, (run / "ledger.jsonl").read_text().splitlines())
    return [{key: value for key, value in row.items() if key != "time"} for row in rows]


if __name__ == "__main__":
    LIST.write_text(text(), encoding="utf-8")
