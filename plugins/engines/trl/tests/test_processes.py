"""A stage in several processes: the same rows and groups as in one, one ledger; and the end of one of them."""

import json
import os
import shutil
import signal
import subprocess
import sys

import psutil
import pytest
from helpers.each_case import each_case

RECIPE = """
version: 1
model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64}
dataset: {use: toy/counting, with: {rows: 32}, holdout: 0.2}
reward:
  components: {letters: {use: toy/letters}, brevity: {use: toy/brevity}}
  total: min(letters, 0.2)
  teach: {flat: drop, by: brevity}
stages:
  - {use: sft, steps: 3, batch_size: 8, micro_batch_size: 2, learning_rate: 1.0e-3}
  - use: rl
    algorithm: dr_grpo
    group_size: 4
    batch_size: 3
    steps: 4
    save_every: 1
    max_new_tokens: 8
    learning_rate: 1.0e-3
    eval: {samples: 2, prompts: 2}
    eval_every: 2
curriculum:
  use: curriculum/balanced
  with: {reasoning: letters, answer: letters, threshold: 0.5, exit: positive, round: 4, cap: 8}
backend: {use: trl, device: cpu, processes: 2}
"""


class TestBeforeTheRun:
    """What several processes cannot do is said before there is a run."""

    @each_case(
        "overrides, path, what",
        [
            (
                ["stages.0.batch_size=9"],
                "stages.0.batch_size",
                "9 rows do not divide over 2 ranks; 9 divides by 1, 3, 9",
            ),
            (
                ["stages.1.batch_size=1", "backend.processes=3"],
                "stages.1.batch_size",
                "4 completions do not divide over",
            ),
            (
                ["stages.0.micro_batch_size=8"],
                "stages.0.micro_batch_size",
                "8 rows are 4 on each of 2 ranks, which do not",
            ),
            (["backend.gpus_per_node=4"], "backend.processes", "2 is not the 4 of gpus_per_node"),
            (["backend.processes=0"], "backend.processes", "greater than 0"),
        ],
    )
    def test_check_finds(self, problems, overrides, path, what):
        found = problems(*overrides)
        assert path in found
        assert what in found[path]

    def test_a_dry_run_says_the_processes(self, main, write):
        write("r.yaml", RECIPE)
        said = main("run", "r.yaml", "--dry-run")[1]
        assert "backend trl, in 2 processes of this machine" in said
        assert "micro-batches of 2 a process" in said
        assert "micro-batches of 6 a process" in said

    def test_nor_is_it_started_by_torchrun(self, main, write, monkeypatch):
        write("r.yaml", RECIPE)
        monkeypatch.setenv("WORLD_SIZE", "2")
        code, _, err = main("run", "r.yaml")
        assert code == 2
        assert "this is one of 2 processes that torchrun, accelerate or srun started; start `rewardlab run` once" in err

    @pytest.mark.slow
    def test_gpus_that_are_not_used(self, main, write):
        write("r.yaml", RECIPE)
        code, _, err = main("run", "r.yaml", "backend.processes=null", "backend.gpus_per_node=2")
        assert code == 2
        assert "backend.gpus_per_node is 2, and this run trains on the CPU; use processes" in err


@pytest.mark.slow
def test_another_process_ends_when_the_first_is_gone(tmp_path):
    """It is gone without a word, while the other reads what it is to do."""
    os.mkfifo(tmp_path / "training.pickle")
    command = [sys.executable, "-m", "rewardlab_trl.other_process", tmp_path, "1"]
    process = subprocess.Popen([*map(str, command)], stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(60) == 1


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("processes")
    (folder / "r.yaml").write_text(RECIPE)
    return folder


@pytest.fixture(scope="module")
def run(home, command):
    """Run the recipe in a folder of this name, once for each name."""

    def once(name, *overrides):
        if not (home / name).exists():
            code, out, err = command(home, "run", "r.yaml", "--run-dir", name, *overrides)
            loading = "loading torch ...\n"  # said by the first run of this process alone
            assert (code, err.removeprefix(loading)) == (0, ""), out
        return home / name

    return once


@pytest.mark.slow
class TestTwo:
    def test_train_on_the_rows_of_one(self, run):
        """They sample the same completions, so that the ledger is equal; weights differ by rounding."""
        one, two = run("one", "backend.processes=1"), run("two")
        for name in ("loss", "grad_norm", "num_tokens"):
            wanted = [row[name] for row in log(one, "0-sft")]
            assert [row[name] for row in log(two, "0-sft")] == pytest.approx(wanted, rel=1e-4)
        for name in ("loss", "grad_norm", "entropy"):
            wanted = [row[name] for row in log(one, "1-rl")]
            assert [row[name] for row in log(two, "1-rl")] == pytest.approx(wanted, rel=1e-4, abs=1e-6)
        assert scores(two) == scores(one)
        for file in (one / "evaluation").glob("*.json"):
            assert (two / "evaluation" / file.name).read_text() == file.read_text()
        assert any(row["group/sampled"] > 4 for row in log(two, "1-rl"))
        assert any(row["group/dropped"] for row in log(two, "1-rl"))

    @pytest.mark.nightly
    def test_go_on_after_one_was_killed_and_after_ctrl_c_as_if_nothing_had_been(self, home, run, command):
        two = run("two")
        again = shutil.copytree(two, home / "again")
        for made in ("models/1-rl", "checkpoints/1-rl", "evaluation"):
            shutil.rmtree(again / made)
        (again / "state.json").write_text(json.dumps({"attempt": 0, "done": [0]}))
        code, out, err = _ended_at(2, kill_other, command, home, again)
        assert code == 1, out + err
        log = again / "logs" / "1-rl.process-1.log"
        assert f"error: stage 1-rl: process 1 (of 2, from 0) ended with signal 9, Killed ({log})" in err
        code, out, err = _ended_at(3, lambda: os.kill(os.getpid(), signal.SIGINT), command, home, again)
        assert code == 130, out + err
        assert not others()
        kept = "checkpoints/1-rl/checkpoint-3"
        for part in ("model.safetensors", "rng_state_1.pth"):
            assert (again / kept / part).read_bytes() == (two / kept / part).read_bytes()


def _ended_at(step, end, command, home, folder):
    """Resume the run in a folder, and do this at the end of a step."""
    from rewardlab_trl.train import StepCallback

    on_step_end = StepCallback.on_step_end

    def ending(self, args, state, control, **given):
        if state.global_step == step:
            end()
        on_step_end(self, args, state, control, **given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StepCallback, "on_step_end", ending)
        return command(home, "run", "--resume", folder)


def others():
    """The other processes of this one."""
    return [child for child in psutil.Process().children() if "rewardlab_trl.other_process" in child.cmdline()]


def scores(run):
    """Each completion of each step and evaluation, with its rewards and its advantage."""
    return [{key: value for key, value in row.items() if key != "time"} for row in ledger(run)]


def kill_other():
    [other] = others()
    other.kill()


def log(run, stage):
    return [json.loads(line) for line in (run / "logs" / f"{stage}.jsonl").read_text().splitlines()]


def ledger(run):
    return [json.loads(line) for line in (run / "ledger.jsonl").read_text().splitlines()]
