"""LoRA adapters that verl wrote beside the weights, merged as peft merges them."""

import pytest
from rewardlab_verl.job.adapters import merge_adapters

pytestmark = pytest.mark.slow  # imports transformers and peft


def test_the_merged_model_is_the_one_that_peft_makes(model_folder, tmp_path):
    import torch
    from peft import LoraConfig, get_peft_model
    from safetensors.torch import load_file, save_file
    from transformers import AutoModelForCausalLM

    torch.manual_seed(0)
    base = AutoModelForCausalLM.from_pretrained(model_folder("llama"), dtype=torch.float32)
    model = get_peft_model(base, LoraConfig(r=4, lora_alpha=16, target_modules=["q_proj", "down_proj"]))
    for name, weight in model.named_parameters():
        if "lora_B" in name:  # which begins as 0
            torch.nn.init.normal_(weight)
    written = {name: value.contiguous().clone() for name, value in model.state_dict().items()}
    assert any(name.startswith("base_model.model.") and ".base_layer." in name for name in written)
    save_file(written, tmp_path / "model.safetensors", {"format": "pt"})
    wanted = model.merge_and_unload().state_dict()

    merge_adapters(tmp_path, 16 / 4)
    found = load_file(tmp_path / "model.safetensors")
    assert found.keys() == {*wanted}
    for name, value in found.items():
        torch.testing.assert_close(value, wanted[name])
