"""What keeps this machine from training is said before a run exists, with exit code 2."""

import pytest
from helpers.each_case import each_case
from rewardlab.registry import pip_install
from rewardlab_trl import ready

RECIPE = """
    version: 1
    model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64}
    dataset: {use: toy/counting, with: {rows: 32}}
    reward: {components: {brevity: {use: toy/brevity}}, total: brevity}
    stages:
      - {use: data, dataset: {use: toy/counting}, to: made.jsonl}
      - {use: sft, steps: 1, batch_size: 4}
    backend: {use: trl}
"""


@pytest.fixture
def run(main, write, tmp_path):
    """`rewardlab run` with some overrides; the exit code and what it says as an error."""
    write("r.yaml", RECIPE)

    def run(*overrides):
        code, _, err = main("run", "r.yaml", *overrides)
        return code, err, sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".yaml")

    return run


@pytest.fixture
def no_trl(monkeypatch):
    monkeypatch.setattr(ready, "find_spec", lambda name: None if name in ("trl", "datasets") else name)


def test_packages_that_are_not_there_are_named_by_check_and_a_dry_run_too(run, main, no_trl):
    run("--dry-run")
    for arguments in (["check", "r.yaml"], ["run", "r.yaml", "--dry-run"]):
        code, _, err = main(*arguments)
        assert (code, err) == (
            0,
            f"warning: r.yaml:9: backend: this environment has no trl, datasets; {pip_install('trl')}\n",
        )
    data_alone = "stages=[{use: data, dataset: {use: toy/counting}, to: made.jsonl}]"
    assert main("check", "r.yaml", data_alone)[2] == ""


def test_packages_that_are_not_there(run, no_trl):
    code, err, made = run()
    assert (code, made) == (2, [])
    assert err.count("pip install") == 1
    assert f"backend: this environment has no trl, datasets; {pip_install('trl')}" in err


def test_adapters_need_peft(run, monkeypatch):
    monkeypatch.setattr(ready, "find_spec", lambda name: None if name == "peft" else name)
    assert "warning" not in run("--dry-run")[1]
    code, err, made = run("backend.lora={rank: 2}")
    assert (code, made) == (2, [])
    assert f"backend: this environment has no peft; {pip_install('trl')}" in err


@each_case(
    "without, overrides, what",
    [
        (
            ["bitsandbytes"],
            ["backend.lora={rank: 2}", "backend.quantization={bits: 4}"],
            "no bitsandbytes, which `quantization` asks for; pip install bitsandbytes",
        ),
        (
            ["flash_attn", "kernels"],
            ["backend.attention=flash_attention_2"],
            "neither flash_attn nor kernels, one of which `attention: flash_attention_2` needs; pip install flash-attn",
        ),
    ],
)
def test_what_one_setting_needs(run, monkeypatch, without, overrides, what):
    monkeypatch.setattr(ready, "find_spec", lambda name: None if name in without else name)
    assert "warning" not in run("--dry-run")[1]
    code, err, made = run(*overrides)
    assert (code, made) == (2, [])
    assert what in err


@pytest.mark.slow
def test_flash_attention_without_a_gpu(run, monkeypatch):
    ready.prepare_process()
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(ready, "find_spec", lambda name: name)
    code, err, made = run("backend.attention=flash_attention_2")
    assert (code, made) == (2, [])
    assert "backend.attention is flash_attention_2, which needs a GPU, and torch sees none here; use sdpa" in err


def test_a_data_stage_needs_none_of_them(run, no_trl):
    assert run("--stage", "0")[0] == 0


@pytest.mark.slow
def test_a_gpu_that_is_not_there(run, monkeypatch):
    ready.prepare_process()
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    code, err, made = run("backend.device=cuda")
    assert (code, made) == (2, [])
    assert "backend.device is cuda, but torch sees no GPU here; use cpu or auto" in err


def test_an_evaluation_of_a_model_that_cannot_be_had_is_refused_without_a_folder(main, write, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    stage = "{use: rl, algorithm: grpo, group_size: 2, batch_size: 2, steps: 1}"
    write(
        "r.yaml",
        "{version: 1, model: nobody/nothing, dataset: {use: toy/counting, with: {rows: 8}, holdout: 0.5}, "
        "backend: {use: trl}, reward: {components: {box: {use: format/boxed}}, total: box}, "
        f"stages: [{stage}, {{use: eval}}]}}",
    )
    code, _, err = main("eval", "r.yaml")
    assert code == 2
    assert "'nobody/nothing' is not a folder here" in err
    assert not list((tmp_path / "runs").glob("*"))
