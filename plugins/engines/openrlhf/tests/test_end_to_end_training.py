"""Supervised first, then rl by a group win rate alone, by OpenRLHF's own loop: the whole command, on a CPU."""

import json
import subprocess
import sys
from collections import defaultdict
from itertools import groupby

import pytest
from rewardlab_ray.job.log_lines import read_mark, read_scores

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]

STEPS, PROMPTS, SIZE = 10, 8, 8


def mean(rows, component):
    return sum(row["components"][component]["value"] for row in rows) / len(rows)


def groups(rows):
    """The rows of the ledger by group, in its order."""
    return [list(group) for _, group in groupby(rows, key=lambda row: (row["step"], row["group"]))]


def test_a_win_rate_drives_the_policy(driven):
    """The judge prefers the calculation nearer to the reference, so boxes come, which nothing else rewards.

    Right results follow later, and not in every run: which requests share a batch depends on time.
    """
    rows = driven.ledger(stage=1, trained="yes")
    first = [row for row in rows if row["step"] <= 3]
    later = [row for row in rows if row["step"] > 3]
    assert all(row["total"] == row["components"]["preference"]["value"] for row in rows)
    assert mean(later, "format") > mean(first, "format") + 0.05


def test_every_completion_is_in_the_ledger_once(driven):
    rows = driven.ledger(stage=1, trained="yes")
    assert len({(row["group"], row["index"]) for row in rows}) == len(rows) == STEPS * PROMPTS * SIZE
    by_step = defaultdict(set)
    for group in groups(rows):
        assert [row["index"] for row in group] == list(range(SIZE))
        assert len({row["id"] for row in group}) == 1
        by_step[group[0]["step"]].add(group[0]["group"])
    assert {step: len(found) for step, found in by_step.items()} == dict.fromkeys(range(1, STEPS + 1), PROMPTS)


def test_the_win_rates_of_a_group_are_shared_out(driven):
    for group in groups(driven.ledger(stage=1, trained="yes")):
        assert sum(row["components"]["preference"]["value"] for row in group) == pytest.approx(SIZE / 2)


def test_rewardlab_score_gives_the_same_completions_the_same_scores(driven, drive, tmp_path):
    """And so does trl, whose rewards come from the same scorer."""
    samples = {row["id"]: row for row in lines(driven.directory / "engine" / "1-rl" / "samples.jsonl")}
    trained = {group[0]["id"]: group for group in groups(driven.ledger(stage=1, trained="yes"))}
    rows = tmp_path / "rows.jsonl"
    with rows.open("w") as file:
        for id, group in trained.items():
            completions = [row["completion"] for row in group]
            row = {"id": id, "prompt": samples[id]["messages"], "completions": completions, **samples[id]["fields"]}
            file.write(f"{json.dumps(row)}\n")
    out = tmp_path / "scores.jsonl"
    command = [sys.executable, "-m", "rewardlab.cli", "score", drive, rows, "-o", out]
    subprocess.run([*command, "backend={use: trl}"], check=True, capture_output=True, timeout=120)
    scored = lines(out)
    assert len(scored) == len(trained) > 50
    for score, group in zip(scored, trained.values(), strict=True):
        assert score["total"] == [row["total"] for row in group]
        for name, parts in score["components"].items():
            assert parts["value"] == [row["components"][name]["value"] for row in group]


def test_the_run_directory_holds_what_people_look_for(driven):
    found = {path.name for path in driven.directory.iterdir()}
    assert found >= {"recipe.resolved.yaml", "manifest.json", "ledger.jsonl", "logs", "models", "report.html"}
    assert {path.name for path in (driven.directory / "models").iterdir()} >= {"0-sft", "1-rl"}
    assert [line["step"] for line in driven.log("1-rl")] == list(range(1, STEPS + 1))


def test_alarms_hear_of_the_scores_of_every_step(driven):
    written = (driven.directory / "logs" / "1-rl.log").read_text(encoding="utf-8").splitlines()
    found = [read_scores(text) for line in written if (text := read_mark(line)) is not None]
    assert [step for step, numbers in filter(None, found)] == list(range(1, STEPS + 1))


def test_what_the_engine_reports_is_kept_whole_and_the_scores_apart(driven):
    logged = driven.log("1-rl_engine")
    assert [line["step"] for line in logged] == list(range(1, STEPS + 1))
    assert {"loss", "rollout/response_length_mean"} <= logged[0].keys()
    assert not any(name.startswith("varied/") for name in logged[0])


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
