"""Supervised first, then rl by a group win rate alone, by OpenRLHF's own loop: the whole command, on a CPU."""

from collections import defaultdict
from itertools import groupby
from statistics import fmean

import pytest
from rewardlab_openrlhf.job.checkpoint import checkpoint_progress
from rewardlab_ray.job.log_lines import read_mark, read_scores

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]

STEPS, PROMPTS, SIZE = 4, 4, 4
SHORT = ("stages.0.steps=8", "stages.0.warmup_steps=2", f"stages.1.steps={STEPS}", f"stages.1.batch_size={PROMPTS}")
SHORT += (f"stages.1.group_size={SIZE}", "stages.1.max_new_tokens=24", "stages.1.save_every=2")


@pytest.fixture(scope="module")
def trained(jobs, drive, tmp_path_factory):
    """A short run of drive.yaml: every test that only looks at it shares it."""
    return jobs.run(tmp_path_factory.mktemp("trained"), drive, *SHORT, name="short").succeeded()


def groups(rows):
    """The rows of the ledger by group, in its order."""
    return [list(group) for _, group in groupby(rows, key=lambda row: (row["step"], row["group"]))]


def test_every_completion_is_in_the_ledger_once(trained):
    rows = trained.ledger(stage=1, trained="yes")
    assert len({(row["group"], row["index"]) for row in rows}) == len(rows) == STEPS * PROMPTS * SIZE
    by_step = defaultdict(set)
    for group in groups(rows):
        assert [row["index"] for row in group] == list(range(SIZE))
        assert len({row["id"] for row in group}) == 1
        by_step[group[0]["step"]].add(group[0]["group"])
    assert {step: len(found) for step, found in by_step.items()} == dict.fromkeys(range(1, STEPS + 1), PROMPTS)


def test_the_run_directory_holds_what_people_look_for(trained):
    found = {path.name for path in trained.directory.iterdir()}
    assert found >= {"recipe.resolved.yaml", "manifest.json", "ledger.jsonl", "logs", "models", "report.html"}
    assert {path.name for path in (trained.directory / "models").iterdir()} >= {"0-sft", "1-rl"}
    assert [line["step"] for line in trained.log("1-rl")] == list(range(1, STEPS + 1))


def test_alarms_hear_of_the_scores_of_every_step(trained):
    written = (trained.directory / "logs" / "1-rl.log").read_text(encoding="utf-8").splitlines()
    found = [read_scores(text) for line in written if (text := read_mark(line)) is not None]
    assert [step for step, numbers in filter(None, found)] == list(range(1, STEPS + 1))


def test_what_the_engine_reports_is_kept_whole_and_the_scores_apart(trained):
    logged = trained.log("1-rl_engine")
    assert [line["step"] for line in logged] == list(range(1, STEPS + 1))
    assert {"loss", "rollout/response_length_mean"} <= logged[0].keys()
    assert not any(name.startswith("varied/") for name in logged[0])


def test_the_newest_checkpoint_says_how_far_the_stage_is(trained):
    assert checkpoint_progress(trained.directory / "checkpoints" / "1-rl") == (STEPS * PROMPTS, STEPS)


@pytest.mark.nightly
def test_a_win_rate_drives_the_policy(driven):
    """The judge prefers the calculation nearer to the reference, so boxes come, which nothing else rewards.

    Right results follow later, and not in every run: which requests share a batch depends on time.
    """
    rows = driven.ledger(stage=1, trained="yes")
    rates = [
        [row["components"]["format"]["value"] for row in rows if (row["step"] <= 3) is early] for early in (True, False)
    ]
    assert all(row["total"] == row["components"]["preference"]["value"] for row in rows)
    first, later = map(fmean, rates)
    assert later > first + 0.05


@pytest.mark.nightly
def test_the_win_rates_of_a_group_are_shared_out(driven):
    for group in groups(driven.ledger(stage=1, trained="yes")):
        assert sum(row["components"]["preference"]["value"] for row in group) == pytest.approx(len(group) / 2)
