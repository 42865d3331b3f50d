"""`keep: best`: the checkpoint that a component likes best is what a stage hands on, whole or with adapters."""

import json

import pytest

pytestmark = pytest.mark.slow

RECIPE = """
version: 1
model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64}
curriculum: {use: curriculum/file_order}
reward:
  components: {letters: {use: toy/letters}}
  total: letters
stages:
  - {use: STAGE, dataset: {use: data/jsonl, with: {path: rows.jsonl}}, steps: 9, batch_size: 8, learning_rate: 2.0e-2,
     save_every: 3, keep: best, validation: {component: letters, dataset: {use: toy/counting}, max_new_tokens: 8}}
  - {use: eval, dataset: {use: toy/counting}, samples: 1, temperature: 0, max_new_tokens: 8}
backend: {use: trl, device: cpu}
"""
LETTERS, DIGITS = "abc", "123"
ROWS = [
    {"id": n, "prompt": f"How much is {n} + 1?", "response": one, "chosen": one, "rejected": other}
    for n in range(72)
    for one, other in [(LETTERS, DIGITS) if n < 24 else (DIGITS, LETTERS)]
]
"""three steps of letters, then six of digits"""


@pytest.mark.parametrize(
    ("stage", "overrides"),
    [("sft", []), ("sft", ["backend.lora={rank: 4, alpha: 8}"]), ("dpo", ["backend.lora={rank: 4, alpha: 8}"])],
    ids=["sft", "sft, lora", "dpo, lora"],
)
def test_the_best_checkpoint_is_what_the_next_stage_evaluates(command, tmp_path, stage, overrides):
    (tmp_path / "r.yaml").write_text(RECIPE.replace("STAGE", stage))
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    code, out, err = command(tmp_path, "run", "r.yaml", *overrides)
    assert code == 0, out + err
    run = tmp_path / out.split("run directory: ")[1].splitlines()[0]
    found = {}
    for path in (run / "validation").glob(f"0-{stage}-*.json"):
        one = json.loads(path.read_text())
        found[one["step"]] = one["value"]
    assert set(found) == {3, 6, 9}
    best = min(step for step in found if found[step] == max(found.values()))
    assert found[9] < found[best]
    assert f"keeps the checkpoint of step {best}, the best of 3" in out
    (evaluated,) = (run / "evaluation").glob("1-eval-*.json")
    assert json.loads(evaluated.read_text())["slices"][0]["means"]["letters"] == pytest.approx(found[best], abs=1e-6)
    names = {path.name for path in (run / "models" / f"0-{stage}").iterdir()}
    assert "adapter_config.json" not in names
    assert {"config.json", "generation_config.json", "model.safetensors", "tokenizer.json"} <= names
