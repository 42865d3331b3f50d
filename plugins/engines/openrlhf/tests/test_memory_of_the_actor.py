"""The facts of OpenRLHF's own model class that the arithmetic of logits rests on (memory.py)."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]

PROMPT, COMPLETION, VOCABULARY = 12, 5, 96
SCRIPT = f"""
import json, torch
from transformers import LlamaConfig, LlamaForCausalLM
from openrlhf.models import Actor

shape = dict(hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, vocab_size={VOCABULARY})
actor = Actor(LlamaForCausalLM(LlamaConfig(**shape, attn_implementation="sdpa")).to(torch.bfloat16))
actor.packing_samples = False
tokens = torch.ones(2, {PROMPT + COMPLETION}, dtype=torch.long)
kept = []
with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
    log_probs, output = actor(tokens, torch.ones(2, {COMPLETION}), attention_mask=tokens, return_output=True)
whole = [t for t in kept if t.shape[-1] == {VOCABULARY} and t.numel() == output["logits"].numel()]
print(json.dumps({{
    "shape": list(output["logits"].shape),
    "dtype": str(output["logits"].dtype),
    "log_probs": list(log_probs.shape),
    "kept": sorted({{str(t.dtype) for t in whole}}),
}}))
"""


def test_logits_are_float32_of_every_token_and_kept_while_only_the_completions_count(jobs):
    environment = {**os.environ, **jobs.ENVIRONMENT, "PYTHONPATH": str(jobs.ENGINE)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["shape"] == [2, PROMPT + COMPLETION, VOCABULARY], "the prompt's, too"
    assert found["dtype"] == "torch.float32"
    assert found["log_probs"] == [2, COMPLETION]
    assert found["kept"] == ["torch.float32"], "the bf16 original is gone before the backward pass"
