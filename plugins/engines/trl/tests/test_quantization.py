"""QLoRA: weights in 4 bits under adapters, and a written model that is the policy that learned; attention by name."""

import json

import pytest

RECIPE = """
version: 1
model: {use: tiny, hidden_size: 64, heads: 2, intermediate_size: 128}
dataset: {use: toy/counting, with: {rows: 24}}
reward: {components: {letters: {use: toy/letters}}, total: letters}
stages:
  - {use: sft, steps: 4, batch_size: 8, learning_rate: 1.0e-2, save_every: 2}
  - {use: rl, algorithm: dr_grpo, group_size: 2, batch_size: 2, steps: 2, max_new_tokens: 6, learning_rate: 1.0e-2,
     kl: {coef: 0.05}}
backend: {use: trl, device: cpu, lora: {rank: 4, alpha: 8}, quantization: {bits: 4}}
"""


def test_a_dry_run_names_them(main, write):
    write("r.yaml", RECIPE)
    said = main("run", "r.yaml", "--dry-run", "backend.attention=eager")[1]
    assert "; attention eager; LoRA of rank 4" in said
    assert "in every linear layer, over weights in 4 bits (nf4, double), merged at a stage's end" in said


@pytest.mark.slow
def test_the_written_model_is_the_policy_that_learned(command, tmp_path, monkeypatch):
    """A weight is the value that its 4 bits stand for, and what its adapter has learnt: nothing is rounded again."""
    pytest.importorskip("bitsandbytes")
    import torch
    from bitsandbytes.functional import dequantize_4bit
    from rewardlab_trl import policy
    from rewardlab_trl.models import load_model

    learned = {}
    save = policy.TrlPolicy.save

    def saved(self, folder):
        learned[folder.name] = {
            name.removeprefix("base_model.model."): dequantize_4bit(layer.weight, layer.weight.quant_state)
            + layer.scaling["default"]
            * (layer.lora_B["default"].weight.float() @ layer.lora_A["default"].weight.float())
            for name, layer in self._trained.named_modules()
            if "Linear4bit" in [type(layer).__name__, type(getattr(layer, "base_layer", None)).__name__]
            and hasattr(layer, "lora_A")
        }
        save(self, folder)

    monkeypatch.setattr(policy.TrlPolicy, "save", saved)
    (tmp_path / "r.yaml").write_text(RECIPE)
    code, out, err = command(tmp_path, "run", "r.yaml", "--run-dir", "made")
    assert code == 0, out + err
    assert [*learned] == ["0-sft", "1-rl"]
    for stage, weights in learned.items():
        folder = tmp_path / "made" / "models" / stage
        written = load_model(str(folder), "cpu").model
        assert {param.dtype for param in written.parameters()} == {torch.float32}
        assert len(weights) == 2 * 7
        for name, weight in weights.items():
            torch.testing.assert_close(written.get_submodule(name).weight.detach(), weight.detach(), rtol=0, atol=1e-6)
        assert "quantization_config" not in json.loads((folder / "config.json").read_text())


@pytest.mark.slow
def test_attention_reaches_the_model(model_folder):
    from rewardlab_trl.models import load_model

    for name in ("eager", "sdpa"):
        assert load_model(str(model_folder("llama")), "cpu", name).model.config._attn_implementation == name
