"""What ends a job, and what goes on after it: an engine that is lost, a judge that refuses.

A reward that goes wrong is in test_backend_laws.py, and every way in which it can in test_service.py.
"""

import time

import pytest

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]

STEPS, PROMPTS, SIZE = 6, 4, 4


def test_a_lost_engine_and_then_a_judge_that_refuses_cost_no_answer_twice(jobs, drive, model, judge_server, tmp_path):
    """The job loses its rollout engine and starts again by itself; then its key is revoked, and it ends.

    Resumed, it ends where it should.
    """
    last = []

    def revoke(number, request):
        if last and server.answered > last[0]:
            server.keys = ("another",)

    server = judge_server.JudgeServer(fault=revoke)
    recipe = drive.with_name("short.yaml")
    with judge_server.Serving(server):
        judge = f"{{use: openai/chat, with: {{model: m, base_url: {server.url}}}, retries: 0, timeout: 2}}"
        sizes = (f"stages.0.steps={STEPS}", "stages.0.save_every=1", "backend.max_restarts=2")
        arguments = (recipe, f"model={model}", f"judges.main={judge}", *sizes)
        with jobs.started(tmp_path, *arguments, name="refused") as job:
            until(job, lambda: (checkpoint(job) or 0) >= 1)
            job.kill_one("RolloutRayActor")
            until(job, lambda: "starting again from the checkpoint of step" in job.tell())
            assert "warning: stage 0-rl" in job.tell()
            until(job, lambda: "stage 0-rl starts from" in job.tell().partition("starting again")[2])
            until(job, lambda: (checkpoint(job) or 0) >= 2)
            last.append(server.answered + 8)
            refused = job.wait()
        assert refused.code == 1
        assert refused.output.count("starting again from the checkpoint") == 1, "a judge that refuses is no loss"
        assert "component 'preference' (pairwise/win_rate)" in refused.output.splitlines()[-1]
        assert "Incorrect API key provided" in refused.output.splitlines()[-1]
        directory = refused.directory
        lost = server.answered - 1 - answers(directory)  # one was the probe; some were on their way to what was killed

        last.clear()
        server.keys = ()
        ended = jobs.run(tmp_path, *arguments, "--resume", directory, name="resumed").succeeded()
    assert server.answered == answers(directory) + lost + 2, "two commands, and a probe for each"

    rows = ended.ledger(trained="yes")
    assert {row["attempt"] for row in rows} >= {0, 2}
    final = {}
    for row in rows:  # of a step that was done again, the last attempt counts
        final[row["step"]] = max(final.get(row["step"], 0), row["attempt"])
    counted = [row for row in rows if row["attempt"] == final[row["step"]]]
    assert sorted(final) == list(range(1, STEPS + 1))
    assert len(counted) == STEPS * PROMPTS * SIZE
    assert len({row["id"] for row in counted}) == STEPS * PROMPTS, "each prompt of the recipe's order once"


def checkpoint(job):
    """The step of the newest whole checkpoint, or None."""
    latest = job.directory and job.directory / "checkpoints" / "0-rl" / "_actor" / "latest"
    if not latest or not latest.exists():
        return None
    digits = "".join(filter(str.isdigit, latest.read_text()))
    return int(digits) if digits else None


def answers(directory):
    files = (directory / "judges").glob("main.*answers.jsonl")  # one for each scorer
    return sum(len(file.read_text().splitlines()) for file in files)


def until(job, true, limit=120):
    """Wait for it; an AssertionError with what the job said where it ends first."""
    end = time.monotonic() + limit
    while not true():
        assert job.running(), job.tell()[-3000:]
        assert time.monotonic() < end, job.tell()[-3000:]
        time.sleep(0.05)
