"""The README's promise, end to end: the quickstart trains, and what it leaves behind can be used."""

import json
import os
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest
from helpers.learning import QUICKSTART, RISE, assert_lifts_the_held_out_total, means

pytestmark = pytest.mark.slow


def rewardlab(*arguments, cwd):
    command = [sys.executable, "-m", "rewardlab.cli", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, encoding="utf-8", timeout=600)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The run directory of the README's command: $REWARDLAB_QUICKSTART where that was just typed, else made now."""
    if made := os.environ.get("REWARDLAB_QUICKSTART"):
        return Path(made).resolve()
    folder = tmp_path_factory.mktemp("quickstart")
    done = rewardlab("run", QUICKSTART, cwd=folder)
    assert done.returncode == 0, done.stderr
    (directory,) = (folder / "runs").iterdir()
    return directory


def ledger(directory):
    return [json.loads(line) for line in (directory / "ledger.jsonl").read_text().splitlines()]


def test_the_quickstart_lifts_the_held_out_total(run):
    assert_lifts_the_held_out_total("trl", run)


@pytest.mark.parametrize(("part", "name"), [("all", "accuracy"), ("all", "format"), ("all but en", "language")])
def test_held_out_results_rise(run, part, name):
    before, after = means(run, "before"), means(run, "after")
    assert after[part][name] > before[part][name] + RISE


def test_the_table_has_every_language_and_the_unseen_pairs_apart(run):
    names = set(means(run, "after"))
    assert {f"language {code}" for code in ("en", "es", "id", "sw", "de", "fr")} <= names
    assert {"pair seen", "pair unseen"} <= names


@pytest.mark.nightly
def test_a_normal_run_prints_nothing_but_what_it_says(tmp_path):
    small = "model={use: tiny, hidden_size: 32, layers: 1, heads: 2, intermediate_size: 64}"
    short = (small, "stages.0.steps=20", "stages.1.steps=1", "stages.1.batch_size=4", "stages.1.eval.prompts=6")
    done = rewardlab("run", QUICKSTART, *short, cwd=tmp_path)
    (directory,) = (tmp_path / "runs").iterdir()
    assert done.stderr == "loading torch ...\n"
    assert done.stdout.splitlines()[0] == f"run directory: runs/{directory.name}"
    assert f"results: runs/{directory.name}" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("next, ")


def test_the_run_directory_holds_everything(run):
    files = {path.name for path in run.iterdir()}
    expected = {"recipe.resolved.yaml", "manifest.json", "ledger.jsonl", "logs", "checkpoints", "models", "report.html"}
    assert expected <= files


def test_every_completion_that_trained_is_in_the_ledger_once(run):
    trained = [row for row in ledger(run) if row["trained"] == "yes"]
    steps = [json.loads(line) for line in (run / "logs" / "1-rl.jsonl").read_text().splitlines()]
    count = sum("reward/total" in row for row in steps)
    assert len(trained) == count * 16 * 8
    assert len({(r["attempt"], r["stage"], r["group"], r["index"]) for r in trained}) == len(trained)


def test_the_next_command_gives_the_same_rewards_again(run):
    rows, out = run / "evaluation" / "1-rl-after.rows.jsonl", run / "again.jsonl"
    done = rewardlab("score", QUICKSTART, rows, "-o", out, cwd=run.parents[1])
    assert done.returncode == 0, done.stderr
    evaluated = [row for row in ledger(run) if row["trained"] == "no"][-96 * 8 :]
    then = [[r["total"] for r in group] for _, group in groupby(evaluated, key=lambda row: row["group"])]
    assert [json.loads(line)["total"] for line in out.read_text().splitlines()] == then
