"""Evaluations in Weights & Biases, offline: one run in the group of the engine's, with the names of every engine."""

import pytest
from rewardlab_ray.scoring.evaluation_run import EvaluationRun
from rewardlab_training import Results
from rewardlab_training.results import Slice

pytest.importorskip("wandb", reason="pip install wandb")


def test_has_the_means_of_each_evaluation(tmp_path, monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    run = EvaluationRun("tried", "mine-1-rl", tmp_path)
    for step in (0, 5):
        whole = Slice(name="all", prompts=2, completions=4, means={"total": 0.5 + step, "accuracy": 0.25})
        run.add(step, Results(name="1-rl", slices=[whole]))
    run.close()
    run.close()
    [written] = tmp_path.rglob("*.wandb")
    kept = written.read_bytes()
    for text in ("eval/reward/total", "eval/reward/accuracy", "mine-1-rl-evaluation", "mine-1-rl"):
        assert text.encode() in kept


def test_opens_nothing_before_the_first_evaluation(tmp_path):
    EvaluationRun("tried", "mine-1-rl", tmp_path).close()
    assert list(tmp_path.iterdir()) == []
