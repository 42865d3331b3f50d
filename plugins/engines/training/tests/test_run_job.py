"""A run from Python: started, followed, stopped and continued, with what the command does."""

import json
import threading
import time

import pytest
from rewardlab.errors import JobError, UserError
from rewardlab_training import RunJob

RECIPE = """
version: 1
model: {use: tiny}
dataset: {use: toy/counting, with: {rows: 32}, holdout: 0.2}
reward:
  components: {letters: {use: toy/letters}}
  total: letters
stages:
  - {use: rl, algorithm: grpo, group_size: 4, batch_size: 2, steps: 6}
  - {use: eval, samples: 2}
backend: {use: toy}
"""
FAILING = RECIPE.replace("toy/letters", "toy/faulty, with: {when: '.', how: error}")


@pytest.fixture
def job(toy, write, tmp_path, monkeypatch):
    """A RunJob in this process: `job("stages.0.steps=3", say=lines.append)`."""
    monkeypatch.chdir(tmp_path)

    def made(*overrides, text=RECIPE, **settings):
        return RunJob.load(write("r.yaml", text), overrides, **settings)

    return made


def ledger(result):
    """The whole lines of the ledger of a run or of a result."""
    return [json.loads(line) for line in (result.directory / "ledger.jsonl").read_text().split("\n")[:-1]]


def test_it_says_what_the_command_prints(job, main):
    lines = []
    made = job(say=lines.append)
    assert made.status == "waiting"
    result = made.run()
    assert not result.stopped
    assert lines[0] == f"run directory: {result.directory}"
    code, out, _ = main("run", "r.yaml")
    assert code == 0
    said = "\n".join(lines).replace(str(result.directory), "RUN").splitlines()
    directory = out.splitlines()[0].removeprefix("run directory: ")
    assert out.replace(directory, "RUN").splitlines()[: len(said)] == said


def test_a_description_starts_and_writes_nothing(job, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    described = job().describe()
    assert "backend toy" in described
    assert sorted(path for path in tmp_path.rglob("*") if path.name != "r.yaml") == before


def test_its_lines_can_be_followed_while_it_runs(job):
    made = job()
    lines = list(made.follow())
    assert lines[0].startswith("run directory: ")
    assert made.status == "done"
    assert made.wait().directory == made.directory


@pytest.mark.slow
def test_stopped_from_another_thread_it_goes_on_where_it_was(job):
    made = job("stages.0.steps=400")
    made.start()
    until = time.monotonic() + 30
    while made.directory is None or not list(made.directory.glob("ledger.jsonl")) or len(ledger(made)) < 16:
        assert time.monotonic() < until
        time.sleep(0.01)
    made.stop()
    stopped = made.wait(timeout=30)
    assert (stopped.stopped, made.status) == (True, "stopped")
    steps = {row["step"] for row in ledger(stopped) if row["trained"] == "yes"}
    assert 0 < len(steps) < 400
    again = job("stages.0.steps=400", resume=stopped.directory)
    ended = again.run()
    assert (ended.directory, ended.stopped) == (stopped.directory, False)
    trained = [row for row in ledger(ended) if row["trained"] == "yes"]
    assert {row["step"] for row in trained} == set(range(min(steps), min(steps) + 400))
    assert {row["attempt"] for row in trained} == {0, 1}


def test_what_ends_a_job_is_raised_by_whoever_waits(job):
    made = job(text=FAILING)
    made.start()
    with pytest.raises(JobError, match=r"component 'letters' \(toy/faulty\)"):
        made.wait()
    assert made.status == "failed"
    assert "--resume" in made.continuation()[0]
    with pytest.raises(JobError), pytest.raises(Warning):  # the lines first, then what ended it
        for _ in job(text=FAILING).follow():
            pass
        raise Warning


def test_two_in_one_process_keep_their_lines_apart(job):
    heard = {"a": [], "b": []}
    jobs = {name: job(say=lines.append) for name, lines in heard.items()}
    for made in jobs.values():
        made.start()
    for name, made in jobs.items():
        result = made.wait()
        assert heard[name][0] == f"run directory: {result.directory}"
        assert len([line for line in heard[name] if line.startswith("run directory")]) == 1


def test_a_job_that_was_not_started_cannot_be_waited_for(job):
    with pytest.raises(RuntimeError, match="call start"):
        job().wait()


def test_waiting_ends_at_its_limit(job):
    made = job("stages.0.steps=4000")
    made.start()
    with pytest.raises(TimeoutError):
        made.wait(timeout=0.01)
    made.stop()
    assert made.wait().stopped


def test_a_stage_that_is_not_there_is_the_users_mistake(job):
    with pytest.raises(UserError, match="--stage 2: the recipe has stages 0 to 1"):
        job(stage=2)


def test_no_thread_is_left(job):
    before = threading.active_count()
    list(job("stages.0.steps=2").follow())
    until = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.05)
    assert threading.active_count() <= before + 1  # the loop of an executor may take its time
