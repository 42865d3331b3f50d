"""The order of supervised rows as OpenRLHF's optimizer sees it; mR3's published training lost its own to a sampler."""

import json
import re
from itertools import combinations

import pytest

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]

RECIPE = """
version: 1
model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64}
dataset: {use: data/jsonl, with: {path: rows.jsonl}}
curriculum: {use: curriculum/difficulty}
stages:
  - {use: sft, steps: 12, batch_size: 1, learning_rate: 1.0e-12}
backend: {use: openrlhf, gpus_per_node: 1, engine: {zero_stage: 1, packing: false}}
"""
RIGHT = [2, 5, 0, 3, 5, 1]
"""how often a small model was right, of five; of the two with 5 the first is shorter, with its response"""


RESPONSES = ["It is 0.", "Eight", "24", "I would not know!", "32, as you said", "Forty?"]
SHOWN = re.compile(r"\| (\d+)/12 \[.*gpt_loss=([\d.]+)")
"""how OpenRLHF shows a step's loss, with three digits; a step is shown more than once, with its own loss at last"""


def row(number):
    prompt = f"How much is {number} and {number * 7}{' in all' if number == 1 else ''}?"
    return {"id": f"r{number}", "prompt": prompt, "response": RESPONSES[number], "right": RIGHT[number]}


@pytest.mark.nightly
def test_each_step_trains_on_the_next_row_from_easy_to_hard(jobs, tmp_path):
    """One row a step, at a rate that changes nothing: each step's loss is that of its row."""
    rows = [row(number) for number in range(len(RIGHT))]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows))
    (tmp_path / "recipe.yaml").write_text(RECIPE)
    ended = jobs.run(tmp_path, tmp_path / "recipe.yaml").succeeded()
    losses = [float(f"{loss(ended.directory / 'models' / 'tiny', each):.3g}") for each in rows]
    assert min(abs(a - b) for a, b in combinations(losses, 2)) > 0.02, "the losses tell the rows apart"
    shown = (ended.directory / "logs" / "0-sft.log").read_text(encoding="utf-8").replace("\r", "\n")
    seen = {int(step): float(value) for step, value in SHOWN.findall(shown)}
    expected = [losses[at] for at in [1, 4, 3, 0, 5, 2] * 2]
    assert [seen[step] for step in range(1, 13)] == pytest.approx(expected, abs=0.011)


def loss(folder, each):
    """Mean negative log-likelihood of a row's response and its end, computed here."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    start = tokenizer(each["prompt"] + "\n")["input_ids"]
    answer = [*tokenizer(each["response"])["input_ids"], tokenizer.eos_token_id]
    with torch.no_grad():
        logits = model.float()(torch.tensor([start + answer])).logits[0].log_softmax(-1)
    return -sum(logits[len(start) - 1 + at, token].item() for at, token in enumerate(answer)) / len(answer)
