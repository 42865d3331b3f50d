"""Each tracker's own package reads back what it was told of a stage, and none that fails ends the stage."""

import json
import os
import shutil
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from helpers.synthetic_run import STEPS, write_run
from rewardlab.errors import JobError, UserError
from rewardlab.files import LineAppender
from rewardlab.recipe import load
from rewardlab_training import Results, RunDirectory, StageJob, check_recipe
from rewardlab_training.results import Slice
from rewardlab_training.tracker_options import tracked

REWARD = {"components": {"accuracy": {"use": "math/accuracy", "workers": 1}}, "total": "accuracy"}
STAGE = {"use": "rl", "algorithm": "grpo", "group_size": 8, "batch_size": 1, "steps": STEPS}
RECIPE = {
    "version": 1,
    "name": "r",
    "model": {"use": "tiny"},
    "dataset": {"use": "data/arithmetic", "with": {"kind": "prompts"}},
    "reward": REWARD,
    "stages": [STAGE],
}
EXTRA = "pip install {}; `nox -s trackers` has it"


@pytest.fixture
def stage(tmp_path, monkeypatch):
    """Let a stage write its records while trackers hear of it; returns the run's folder and what was said."""
    monkeypatch.chdir(tmp_path)

    def follow(first=lambda: None, stages=(STAGE,), write=_write_stage, **backend):
        plan = check_recipe(
            load({**RECIPE, "stages": [*stages], "backend": {"use": "openrlhf", "gpus_per_node": 1, **backend}}),
            purpose="run",
        )
        folder, said = tmp_path / "run", []
        run = RunDirectory.resume(folder, plan, []) if folder.exists() else RunDirectory.create(plan, [], folder=folder)
        with closing(run), closing(StageJob(plan=plan, run=run, index=0, say=said.append)) as job, tracked(job):
            first()
            write(run.path, tmp_path / "made")
        return run.path, said

    return follow


SLICES = ("topic 数学", "topic 物理", "source https://x/../y?z=1")


def _write_stage(run, made):
    write_run(made, 160, lines_of=_some_on_the_way)
    shutil.copy(made / "ledger.jsonl", run)
    shutil.copytree(made / "logs", run / "logs", dirs_exist_ok=True)
    with (run / "logs" / "0-rl_engine.jsonl").open("w") as file:
        file.write(json.dumps({"attempt": 0, "step": 1, "kl": 0.5, "loss": 9.0}) + "\n" + '{"attempt": 0, "st')
    (run / "logs" / "0-rl.steps-0.jsonl").write_text('{"step": 1, "data": {}}\n')  # of verl's own
    (run / "evaluation").mkdir()
    for when, mean in (("before", 0.25), ("step-20", 0.5), ("after", 0.75)):
        parts = [Slice(name=name, prompts=1, completions=2, means={"total": mean}) for name in ("all", *SLICES)]
        Results(name=when, slices=parts).save(run / "evaluation" / f"0-rl-{when}.json")


def _some_on_the_way(lines):
    group = lines[0]["group"]
    during = {"phase": "during", "step": 10 * group} if lines[0]["phase"] == "after" and group < 16 else {}
    for line in lines:
        line["components"]["prompt"] = line["components"].pop("fluency")
    return [line | during for line in lines]


LOSSES = [(step, pytest.approx(1 / step)) for step in range(1, STEPS + 1)]
MEANS = [(0, 0.25), (20, 0.5), (STEPS, 0.75)]


def test_tensorboard_has_numbers_means_and_samples(stage):
    event_accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    run, said = stage(tensorboard=True, tracked_samples=5)
    events = event_accumulator.EventAccumulator(str(run / "logs" / "tensorboard" / "0-rl"))
    events.Reload()
    assert [(event.step, event.value) for event in events.Scalars("train/loss")] == LOSSES
    assert [(event.step, event.value) for event in events.Scalars("eval/reward/total")] == MEANS
    assert [event.step for event in events.Scalars("train/kl")] == [1]
    [table] = events.Tensors("samples/training")
    assert [event.step for event in events.Tensors("samples/during")] == [130, 140, 150]
    head, _, *rows = table.tensor_proto.string_val[0].decode().splitlines()
    assert (head, len(rows)) == ("|step|id|prompt|completion|total|accuracy|preference|reward/prompt|", 5)
    assert said == []


def test_a_resume_goes_on_behind_a_torn_line_and_a_lost_one(stage):
    event_accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")

    def last_evaluation(run, _):
        part = Slice(name="all", prompts=1, completions=2, means={"total": 1.0})
        Results(name="after", slices=[part]).save(run / "evaluation" / "0-rl-after.json")

    def one_more_step(run, _):
        log = run / "logs" / "0-rl.jsonl"
        with log.open("a") as file:
            file.write('damaged\n{"attempt": 1, "step": 51, "lo')
        with closing(LineAppender(log)) as file:
            file.write(b'{"attempt": 2, "step": 51, "loss": 0.25}\n')
        first, *lines = (run / "ledger.jsonl").read_text().splitlines(keepends=True)[-8:]
        rest = "".join(lines).replace('"attempt": 0', '"attempt": 2')
        (run / "ledger.jsonl").write_text(first.replace('"group"', '"grou"') + rest)

    stage(tensorboard=True, tracked_samples=1)
    stage(tensorboard=True, tracked_samples=1, write=last_evaluation)
    run, said = stage(tensorboard=True, tracked_samples=1, write=one_more_step)
    events = event_accumulator.EventAccumulator(str(run / "logs" / "tensorboard" / "0-rl"))
    events.Reload()
    assert [(event.step, event.value) for event in events.Scalars("train/loss")] == [*LOSSES, (51, 0.25)]
    assert [(event.step, event.value) for event in events.Scalars("eval/reward/total")] == [*MEANS, (STEPS, 1.0)]
    table = events.Tensors("samples/after")[-1]
    assert "||" in table.tensor_proto.string_val[0].decode(), "no prompt of another group"
    assert said == []


def test_weights_and_biases_has_them(stage, monkeypatch):
    pytest.importorskip("wandb", reason=EXTRA.format("wandb"))
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    run, said = stage(wandb="tried")
    [written] = (run / "logs").rglob("*.wandb")
    for name in (b"r-0-rl", b"train/loss", b"train/kl", b"eval/reward/total"):
        assert name in written.read_bytes()
    [table] = (run / "logs").rglob("samples/training*.table.json")
    assert len(json.loads(table.read_text())["data"]) == 32
    assert said == []


def test_mlflow_has_them(stage, monkeypatch, tmp_path):
    pytest.importorskip("mlflow", reason=EXTRA.format("mlflow"))
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "mlflow").as_uri())
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    _, said = stage(mlflow="tried")
    [losses] = tmp_path.glob("mlflow/*/*/metrics/train/loss")
    found = [line.split()[1:] for line in losses.read_text().splitlines()]
    assert [(int(step), float(value)) for value, step in found] == LOSSES
    slices = {str(path).partition("/eval/")[2] for path in tmp_path.glob("mlflow/*/*/metrics/eval/**/total")}
    assert slices == {f"{name}reward/total" for name in ("", "topic 数学/", "topic 物理/", "source https:/x/_/y_z_1/")}
    [artifacts] = tmp_path.glob("mlflow/*/*/artifacts")
    assert (artifacts / "recipe.resolved.yaml").exists()
    [table] = artifacts.glob("samples/training-*.json")
    assert "completion" in json.loads(table.read_text())["columns"]
    assert "status: 3" in (artifacts.parent / "meta.yaml").read_text(), "finished"
    assert said == []


def test_a_stage_that_fails_is_no_finished_run_there(stage, monkeypatch, tmp_path):
    pytest.importorskip("mlflow", reason=EXTRA.format("mlflow"))
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "mlflow").as_uri())
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")

    def fail(*_):
        raise JobError("it has diverged")

    with pytest.raises(JobError, match="diverged"):
        stage(mlflow="tried", write=fail)
    [run] = tmp_path.glob("mlflow/*/*/meta.yaml")
    assert "status: 4" in run.read_text(), "failed"


def test_trackio_has_them(stage, monkeypatch, tmp_path):
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / "trackio"))
    pytest.importorskip("trackio", reason=EXTRA.format("trackio"))
    _, said = stage(trackio="tried")
    with closing(sqlite3.connect(tmp_path / "trackio" / "tried.db")) as database:
        rows = database.execute("select step, metrics from metrics order by step, id").fetchall()
    numbers = [(step, json.loads(metrics)) for step, metrics in rows]
    assert [(step, row["train/loss"]) for step, row in numbers if "train/loss" in row] == LOSSES
    assert any("samples/training" in row for _, row in numbers)
    assert said == []


def test_a_tracker_that_fails_is_warned_of_once_and_ends_no_stage(stage, monkeypatch):
    """TensorBoard writes in the thread that tells it, so that no other thread dies of a full disk."""
    pytest.importorskip("tensorboard")
    write, threads = os.write, threading.active_count()

    def full(file, content):
        if b"brain.Event" in content or "tfevents" not in os.readlink(f"/proc/self/fd/{file}"):
            return write(file, content)
        raise OSError(28, "No space left on device")

    def begun():
        assert threading.active_count() <= threads + 1
        monkeypatch.setattr(os, "write", full)

    run, said = stage(begun, tensorboard=True)
    [warning] = said
    assert warning.startswith("warning: TensorBoard: ")
    assert "No space left on device; it is told no more of stage 0-rl" in warning
    assert (run / "ledger.jsonl").exists()


def test_one_that_is_lacking_is_refused_before_the_run(monkeypatch, stage):
    monkeypatch.setitem(sys.modules, "trackio", None)  # as where it is not installed
    with pytest.raises(UserError, match=r"trackio is not installed; pip install trackio"):
        stage(trackio="tried")


def test_one_that_cannot_be_opened_leaves_none_open(stage, monkeypatch, tmp_path):
    pytest.importorskip("mlflow", reason=EXTRA.format("mlflow"))
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "nowhere://x")
    with pytest.raises(JobError, match=r"backend.mlflow: MLflow: "):
        stage(tensorboard=True, mlflow="tried")
    open_files = map(os.path.realpath, Path("/proc/self/fd").iterdir())
    assert not [file for file in open_files if file.startswith(f"{tmp_path}/run/logs/")]


def test_a_stage_that_writes_data_has_no_run(stage):
    pytest.importorskip("tensorboard")
    data = {"use": "data", "dataset": RECIPE["dataset"], "to": "rows.jsonl"}
    run, said = stage(stages=[data, STAGE], tensorboard=True)
    assert not (run / "logs" / "tensorboard").exists()
    assert said == []
