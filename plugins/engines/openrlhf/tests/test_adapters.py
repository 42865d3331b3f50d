"""Adapters as OpenRLHF writes them become whole models, which the next stage and any user can load."""

import pytest

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
peft = pytest.importorskip("peft")  # after openrlhf, which is soon known to be absent: this one imports transformers
pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]


@pytest.fixture
def base(tmp_path):
    """A folder with a small model."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    LlamaForCausalLM(LlamaConfig(vocab_size=32, **sizes)).save_pretrained(tmp_path / "base")
    return tmp_path / "base"


def logits(folder):
    import torch
    from transformers import AutoModelForCausalLM

    with torch.no_grad():
        return AutoModelForCausalLM.from_pretrained(folder)(torch.arange(8)[None]).logits


def test_an_adapter_is_merged_into_the_model_that_it_was_trained_on(base, tmp_path):
    import torch
    from rewardlab_openrlhf.job.adapters import merge_adapter
    from transformers import AutoModelForCausalLM

    settings = peft.LoraConfig(r=2, target_modules="all-linear", init_lora_weights=False, task_type="CAUSAL_LM")
    trained = peft.get_peft_model(AutoModelForCausalLM.from_pretrained(base), settings)
    with torch.no_grad():
        wanted = trained(torch.arange(8)[None]).logits
    trained.save_pretrained(tmp_path / "model")
    merge_adapter(tmp_path / "model", str(base))
    assert not (tmp_path / "model" / "adapter_config.json").exists()
    assert torch.allclose(logits(tmp_path / "model"), wanted, atol=1e-5)
    assert not torch.allclose(logits(base), wanted, atol=1e-3)


def test_a_whole_model_stays_as_it_is(base):
    from rewardlab_openrlhf.job.adapters import merge_adapter

    before = {path.name: path.read_bytes() for path in base.iterdir()}
    merge_adapter(base, "unused")
    assert {path.name: path.read_bytes() for path in base.iterdir()} == before


def test_an_adapter_of_another_model_is_an_error_and_stays(base, tmp_path):
    from rewardlab.errors import JobError
    from rewardlab_openrlhf.job.adapters import merge_adapter

    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "adapter_config.json").write_text("{}")
    with pytest.raises(JobError, match="cannot be merged"):
        merge_adapter(tmp_path / "model", str(base))
    assert (tmp_path / "model" / "adapter_config.json").exists()
