"""`keep: best` with OpenRLHF's own checkpoints: the one that a component likes best is what is handed on."""

import json
import os

import pytest

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]

RECIPE = """
version: 1
model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64}
dataset: {use: data/jsonl, with: {path: rows.jsonl}}
curriculum: {use: curriculum/file_order}
reward:
  components: {letters: {use: toy/letters}}
  total: letters
stages:
  - {use: sft, steps: 8, batch_size: 8, learning_rate: 2.0e-2, save_every: 3, keep: best,
     validation: {component: letters, dataset: {use: toy/counting}, max_new_tokens: 8}}
backend: {use: openrlhf, gpus_per_node: 1, engine: {zero_stage: 1, packing: false}}
"""


@pytest.mark.nightly
def test_the_best_of_three_checkpoints_and_the_last_model(jobs, toy_path, tmp_path):
    """Three steps of letters, then five of digits."""
    answers = ["abc"] * 24 + ["123"] * 40
    rows = [{"id": n, "prompt": f"How much is {n} + 1?", "response": answer} for n, answer in enumerate(answers)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "recipe.yaml").write_text(RECIPE)
    paths = {"PYTHONPATH": os.pathsep.join([str(jobs.ENGINE), str(toy_path)])}
    ended = jobs.run(tmp_path, tmp_path / "recipe.yaml", env=paths).succeeded()
    found = {}
    for path in (ended.directory / "validation").glob("0-sft-*.json"):
        one = json.loads(path.read_text())
        found[one["step"]] = one["value"]
    assert set(found) == {3, 6, 8}
    best = min(step for step in found if found[step] == max(found.values()))
    assert found[8] < found[best]
    assert f"keeps the checkpoint of step {best}, the best of 3" in ended.output
    assert weights(ended.directory / "models" / "0-sft") == weights(
        ended.directory / "checkpoints" / "0-sft" / f"global_step{best}_hf"
    )
    names = {path.name for path in (ended.directory / "models" / "0-sft").iterdir()}
    assert names >= {"config.json", "tokenizer.json", "model.safetensors"}


def weights(folder):
    from safetensors.torch import load_file

    return {name: tensor.float().sum().item() for name, tensor in load_file(folder / "model.safetensors").items()}
