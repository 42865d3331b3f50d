"""Stages of verl as jobs of a real Ray cluster of two nodes: a rank of the trainer and a rollout engine on each."""

import json
import os
import secrets
import subprocess
import sys

import pytest
from helpers.engine_jobs import LIMIT
from helpers.ray_cluster import two_nodes
from rewardlab_testing.backend_laws.ledger import read_rows

pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.verl, pytest.mark.nightly]

STEPS, PROMPTS, SIZE = 2, 4, 2
RECIPE = f"""
version: 1
name: sent
model: MODEL
dataset: {{use: data/jsonl, with: {{path: rows.jsonl}}}}
reward:
  components: {{letters: {{use: toy/letters}}, longest: {{use: toy/longest}}}}
  total: letters + longest
stages:
  - {{use: sft, batch_size: 4, micro_batch_size: 2, steps: 2, learning_rate: 1.0e-3}}
  - {{use: rl, algorithm: grpo, steps: {STEPS}, batch_size: {PROMPTS}, group_size: {SIZE}, micro_batch_size: 4,
     max_new_tokens: 8, learning_rate: 1.0e-3}}
backend: {{use: verl, nodes: 2, gpus_per_node: 1, precision: fp32, engine: ENGINE}}
"""


def test_stages_train_on_two_nodes_and_leave_all_in_storage(jobs, model_folder, toy_path, tmp_path):
    """This machine, from which they are sent, has neither GPUs nor a Ray."""
    rows = [{"id": str(i), "prompt": f"{i} + {i}?", "response": f"{2 * i}"} for i in range(8)]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    recipe = RECIPE.replace("MODEL", str(model_folder("llama"))).replace("ENGINE", json.dumps(jobs.ON_CPU))
    (tmp_path / "r.yaml").write_text(recipe)
    storage = tmp_path / "shared"
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}  # without one this Ray answers nobody
    variables = {**jobs.ENVIRONMENT, "REWARDLAB_CPU_ENGINE_TOKENS": "8", **token}
    with two_nodes(variables, [jobs.HERE / "cpu_engine", toy_path], tmp_path, cpus=16) as nodes:
        command = [sys.executable, "-m", "rewardlab.cli", "run", "r.yaml", f"backend.address={nodes.address}"]
        paths = os.pathsep.join([str(toy_path), *filter(None, [os.environ.get("PYTHONPATH")])])
        done = subprocess.run(
            [*command, f"backend.engine.storage={storage}"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": paths, **token},
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    [run] = (tmp_path / "runs").iterdir()
    kept = storage / run.name
    assert f"the models, the ledger and the results are in {kept}" in done.stdout
    assert f"step {STEPS} of {STEPS}: " in done.stdout
    assert {path.name for path in (kept / "models").iterdir()} >= {"0-sft", "1-rl"}
    assert not (run / "models" / "1-rl").exists()
    rows = [row for row in read_rows(kept) if row["trained"] == "yes"]
    assert sorted(row["step"] for row in rows) == [step for step in range(1, STEPS + 1) for _ in range(PROMPTS * SIZE)]
