"""What ends a job, and what goes on after it: an engine that is lost, a judge that refuses.

A reward that goes wrong is in test_backend_laws.py, and every way in which it can in test_service.py; what else a job
can lose is in test_faults.py.
"""

import pytest
from helpers.faults import assert_each_step_once

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = [pytest.mark.nightly, pytest.mark.openrlhf]


def test_a_lost_engine_and_then_a_judge_that_refuses_cost_no_answer_twice(jobs, drive, model, judge_server, tmp_path):
    """The job loses its rollout engine and starts again by itself; then its key is revoked, and it ends."""
    last = []

    def revoke(number, request):
        if last and server.answered > last[0]:
            server.keys = ("another",)

    server = judge_server.JudgeServer(fault=revoke)
    recipe = drive.with_name("short.yaml")
    with judge_server.Serving(server):
        judge = f"{{use: openai/chat, with: {{model: m, base_url: {server.url}}}, retries: 0, timeout: 2}}"
        sizes = ("stages.0.steps=100", "stages.0.save_every=1", "backend.max_restarts=2")
        with jobs.started(tmp_path, recipe, f"model={model}", f"judges.main={judge}", *sizes, name="refused") as job:
            job.until(lambda: (checkpoint(job) or 0) >= 1)
            job.kill_one("RolloutRayActor")
            job.until(lambda: "starting again from the checkpoint of step" in job.tell())
            assert "warning: stage 0-rl" in job.tell()
            before = checkpoint(job)
            job.until(lambda: checkpoint(job) > before)
            last.append(server.answered + 8)
            refused = job.wait()
    assert refused.code == 1
    assert refused.output.count("starting again from the checkpoint") == 1, "a judge that refuses is no loss"
    assert "component 'preference' (pairwise/win_rate)" in refused.output.splitlines()[-1]
    assert "Incorrect API key provided" in refused.output.splitlines()[-1]
    twice = server.answered - len(server.paid)
    assert twice <= 8 < len(server.paid), "the second attempt has all answers but those on their way to what died"

    made = checkpoint(job)
    assert_each_step_once(refused, made)
    assert {row["attempt"] for row in refused.ledger(trained="yes") if row["step"] <= made} == {0, 1}


def checkpoint(job):
    """The step of the newest whole checkpoint, or None."""
    latest = job.directory and job.directory / "checkpoints" / "0-rl" / "_actor" / "latest"
    if not latest or not latest.exists():
        return None
    digits = "".join(filter(str.isdigit, latest.read_text()))
    return int(digits) if digits else None
