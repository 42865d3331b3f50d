"""A run that was interrupted and resumed ends as one that was not: bit for bit, whatever interrupted it."""

import json
import os
import shutil
import signal
import subprocess
import sys
from textwrap import dedent

import pytest

pytestmark = pytest.mark.slow

RECIPE = """
version: 1
model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64}
dataset: {use: toy/counting, with: {rows: 32}, holdout: 0.2}
curriculum: {use: toy/reversed}
judges: {j: {use: toy/polite}}
reward:
  components:
    letters: {use: toy/letters}
    worker: {use: toy/worker}
    prefer: {use: toy/prefer, with: {judge: j}}
  total: letters + prefer
stages:
  - use: sft
    steps: 7
    batch_size: 4
    micro_batch_size: 2
    learning_rate: 1.0e-3
    schedule: cosine
    save_every: 3
  - use: rl
    algorithm: grpo
    group_size: 4
    batch_size: 2
    epochs_per_batch: 2
    micro_batch_size: 2
    steps: 7
    max_new_tokens: 8
    learning_rate: 1.0e-3
    schedule: linear
    kl: {coef: 0.1}
    save_every: 3
    eval: {samples: 2, prompts: 2}
    eval_every: 2
"""

KILLED = """
    # the command line, which kills itself: at a stage, after an update
    import os, signal, sys
    from rewardlab_trl.trainer_arguments import prepare_process
    prepare_process()  # as the command does before it imports torch
    from rewardlab_trl.train import StepCallback
    stage, update, on_step_end = sys.argv[1], int(sys.argv[2]), StepCallback.on_step_end

    def kill(self, args, state, control, **given):
        on_step_end(self, args, state, control, **given)
        if stage in args.output_dir and state.global_step == update:
            os.kill(os.getpid(), signal.SIGKILL)

    StepCallback.on_step_end = kill
    from rewardlab.cli import main
    sys.exit(main(sys.argv[3:]))
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with the recipe, and a program that kills itself."""
    folder = tmp_path_factory.mktemp("resume")
    (folder / "r.yaml").write_text(RECIPE)
    (folder / "killed.py").write_text(dedent(KILLED))
    return folder


@pytest.fixture(scope="module")
def untouched(home, command):
    """The run directory of a run that nothing interrupted."""
    code, out, err = command(home, "run", "r.yaml")
    assert code == 0, err
    return run_directory(home, out)


@pytest.fixture(scope="module")
def killed(home, toy_environment):
    """Copies of what a run leaves that was killed at a stage, after an update: `killed("1-rl", 9)` is one."""
    originals, copies = {}, []

    def run(stage, update):
        command = [sys.executable, "killed.py", stage, str(update), "run", "r.yaml"]
        process = subprocess.run(
            command, cwd=home, env=toy_environment, capture_output=True, encoding="utf-8", timeout=120
        )
        assert process.returncode == -signal.SIGKILL
        return run_directory(home, process.stdout)

    def copy(stage, update):
        if (stage, update) not in originals:
            originals[stage, update] = run(stage, update)
        copies.append(home / "runs" / f"killed-{len(copies)}")
        return shutil.copytree(originals[stage, update], copies[-1])

    return copy


@pytest.fixture
def resume(home, command):
    def again(folder, *overrides):
        return command(home, "run", "r.yaml", *overrides, "--resume", folder)

    return again


def run_directory(home, out):
    return home / out.split("run directory: ")[1].splitlines()[0]


def files(folder):
    """What a run has produced: weights, and evaluations with every completion."""
    found = [*folder.glob("models/*/*.safetensors"), *folder.glob("evaluation/*")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def last_rows(folder, stage):
    """Each training step's scored completions, of the last attempt that made it."""
    rows = [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]
    newest = {}
    for row in rows:
        if row["stage"] == stage and row["trained"] == "yes":
            newest.setdefault((row["step"], row["attempt"]), []).append((row["id"], row["completion"], row["total"]))
    return {step: newest[step, attempt] for step, attempt in sorted(newest)}


def assert_the_same(folder, untouched):
    assert files(folder) == files(untouched)
    assert last_rows(folder, 1) == last_rows(untouched, 1)


class TestKilled:
    @pytest.mark.parametrize(
        ("stage", "update", "checkpoint"),
        [
            pytest.param("0-sft", 5, "checkpoint-3", id="in sft", marks=pytest.mark.nightly),
            pytest.param("1-rl", 9, "checkpoint-6", id="in rl, between two updates of a step"),
        ],
    )
    def test_a_killed_run_goes_on_from_its_last_checkpoint(self, killed, resume, untouched, stage, update, checkpoint):
        folder = killed(stage, update)
        assert [path.name for path in (folder / "checkpoints" / stage).glob("checkpoint-*")] == [checkpoint]
        code, _, err = resume(folder)
        assert (code, err) == (0, "")
        assert_the_same(folder, untouched)

    @pytest.mark.nightly
    def test_what_was_evaluated_before_the_kill_is_not_evaluated_again(self, killed, resume):
        folder = killed("1-rl", 9)
        assert resume(folder)[0] == 0
        rows = [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]
        evaluated = [(row["attempt"], row["phase"], row["step"]) for row in rows if row["trained"] == "no"]
        once = {("during", 2): [0] * 4, ("during", 6): [1] * 4}  # two prompts, two completions each
        assert {place: [attempt for attempt, *where in evaluated if (*where,) == place] for place in once} == once
        for phase, attempt in (("before", 0), ("after", 1)):
            assert [made for made, when, _ in evaluated if when == phase] == [attempt] * 4

    def test_a_checkpoint_that_was_being_written_is_not_used(self, killed, resume, untouched):
        """Killed while it wrote: the files are there, the last of them is cut, as are the weights."""
        folder = killed("1-rl", 9)
        torn = folder / "checkpoints" / "1-rl" / "checkpoint-12"
        shutil.copytree(folder / "checkpoints" / "1-rl" / "checkpoint-6", torn)
        for name in ("model.safetensors", "trainer_state.json"):
            os.truncate(torn / name, (torn / name).stat().st_size // 2)
        assert resume(folder)[0] == 0
        assert_the_same(folder, untouched)

    def test_a_model_that_was_being_written_is_not_used(self, home, resume, untouched, tmp_path):
        """Killed after the last step, while the stage wrote its model."""
        folder = shutil.copytree(untouched, home / "runs" / "torn")
        shutil.rmtree(folder / "models" / "1-rl")
        half = folder / "models" / ".1-rl.writing"
        half.mkdir()
        (half / "config.json").write_text("{")
        (folder / "state.json").write_text(json.dumps({"attempt": 0, "done": [0]}))
        (folder / "evaluation" / "1-rl-after.json").unlink()
        assert resume(folder)[0] == 0
        assert_the_same(folder, untouched)
        assert not half.exists()

    def test_before_any_checkpoint_the_stage_begins_anew(self, home, resume, untouched):
        folder = shutil.copytree(untouched, home / "runs" / "early")
        for made in ("models/1-rl", "checkpoints/1-rl"):
            shutil.rmtree(folder / made)
        for path in (folder / "evaluation").iterdir():
            path.unlink()
        (folder / "state.json").write_text(json.dumps({"attempt": 0, "done": [0]}))
        assert resume(folder)[0] == 0
        assert_the_same(folder, untouched)


class TestCtrlC:
    @pytest.mark.parametrize(
        ("stage", "update", "kept", "ending"), [("0-sft", 2, 2, signal.SIGTERM), ("1-rl", 3, 4, signal.SIGINT)]
    )
    def test_it_keeps_a_checkpoint_and_says_how_to_go_on(
        self, home, command, resume, untouched, monkeypatch, stage, update, kept, ending
    ):
        """In rl only after a whole step: two updates of a batch belong together. SIGTERM is heard in the same way."""
        from rewardlab_trl.train import StepCallback

        on_step_end = StepCallback.on_step_end

        def press(self, args, state, control, **given):
            if stage in args.output_dir and state.global_step == update:
                os.kill(os.getpid(), ending)
            on_step_end(self, args, state, control, **given)

        with monkeypatch.context() as patch:
            patch.setattr(StepCallback, "on_step_end", press)
            code, out, err = command(home, "run", "r.yaml")
        folder = run_directory(home, out).relative_to(home)
        assert code == 128 + ending
        assert "stopping after this step; Ctrl-C again stops at once" in out
        assert f"continue with: rewardlab run r.yaml --resume {folder}\n" in err
        assert "Traceback" not in out + err
        assert (home / folder / "checkpoints" / stage / f"checkpoint-{kept}" / "trainer_state.json").is_file()
        assert resume(folder)[0] == 0
        assert_the_same(home / folder, untouched)

    def test_it_is_python_again_that_hears_it_afterwards(self, untouched):
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def test_a_second_one_stops_at_once(self, home, toy_environment, offer, tmp_path):
        """While a reward thinks for a minute."""
        slow = offer(
            "slow",
            """
            import os, signal, threading, time
            from rewardlab import RewardSpec, Score, hookimpl

            class Slow:
                def score(self, items):
                    for seconds in (0.5, 1.0):
                        threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
                    time.sleep(60)
                    return [Score(value=0.0)] * len(items)

            @hookimpl
            def rewardlab_rewards():
                return [RewardSpec(name="slow", summary="thinks", build=lambda options, context: Slow())]
            """,
        )
        path = os.pathsep.join([str(slow), toy_environment["PYTHONPATH"]])
        command = [
            sys.executable,
            "-m",
            "rewardlab.cli",
            "run",
            "r.yaml",
            "reward.components.letters.use=slow/slow",
        ]
        command += [
            "stages.1.eval=null",
            "stages.1.eval_every=null",
            "stages.0.steps=1",
            "stages.0.save_every=null",
        ]
        done = subprocess.run(
            command,
            cwd=home,
            env={**toy_environment, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=45,
        )
        assert done.returncode == 130
        assert "continue with: rewardlab run r.yaml" in done.stderr
        assert "Traceback" not in done.stderr


class TestMended:
    def test_a_plugin_that_raised_and_was_mended(self, home, command, offer, tmp_path, toy_path):
        """It raises at step 3 as long as a file is there; the resumed run ends as one that never raised."""
        broken = tmp_path / "broken"
        code = f"""
            from pathlib import Path
            from rewardlab import RewardSpec, Score, hookimpl

            class Brittle:
                def __init__(self):
                    self.calls = 0

                def score(self, items):
                    self.calls += 1
                    if self.calls > 4 and Path({str(broken)!r}).exists():  # two groups a step
                        raise RuntimeError("lost my dictionary")
                    return [Score(value=len(c.text) % 7 / 7) for _, c in items]

            @hookimpl
            def rewardlab_rewards():
                build = lambda options, context: Brittle()
                return [RewardSpec(name="reward", summary="brittle", runs="inline", build=build)]
            """
        offer("brittle", code)
        settings = [
            "reward.components.letters.use=brittle/reward",
            "stages.1.eval=null",
            "stages.1.eval_every=null",
        ]
        arguments = ["run", "r.yaml", *settings, "stages.1.save_every=1"]
        code, out, _ = command(home, *arguments)
        assert code == 0
        whole = run_directory(home, out)
        broken.touch()
        code, out, err = command(home, *arguments)
        folder = run_directory(home, out)
        assert code == 1
        assert "component 'letters' (brittle/reward)" in err
        assert "RuntimeError: lost my dictionary" in err
        assert "Traceback" not in err
        assert f"continue with: rewardlab run r.yaml {settings[0]}" in err
        broken.unlink()
        assert command(home, *arguments, "--resume", folder)[0] == 0
        assert_the_same(folder, whole)


class TestRefused:
    def test_a_changed_recipe(self, resume, untouched):
        code, _, err = resume(untouched, "stages.1.learning_rate=1.0e-4")
        assert code == 2
        assert "was made with another recipe" in err

    def test_a_folder_that_is_no_run(self, resume, tmp_path):
        code, _, err = resume(tmp_path)
        assert code == 2
        assert "is not the folder of a run" in err


def test_resuming_a_finished_run_does_nothing(home, resume, untouched):
    folder = shutil.copytree(untouched, home / "runs" / "finished")
    before, ledger = files(folder), (folder / "ledger.jsonl").read_bytes()
    code, out, _ = resume(folder)
    assert code == 0
    assert "stage 0 (sft) is done\nstage 1 (rl) is done\n" in out
    assert files(folder) == before
    assert (folder / "ledger.jsonl").read_bytes() == ledger


class TestTrainsLonger:
    """A finished run that is resumed with more steps ends as one run of that length, where the rate is constant."""

    CONSTANT = ("stages.0.schedule=constant", "stages.1.schedule=constant")

    @pytest.mark.nightly
    def test_of_both_kinds_of_training(self, home, command):
        whole = run_directory(home, command(home, "run", "r.yaml", *self.CONSTANT)[1])
        code, out, err = command(home, "run", "r.yaml", *self.CONSTANT, "stages.1.steps=4")
        assert code == 0, err
        folder = run_directory(home, out)
        code, out, err = command(home, "run", "--resume", folder, "stages.1.steps=7")
        assert code == 0, err
        assert "stage 1 (rl) trains longer: steps was 4, is 7\n" in out
        assert last_rows(folder, 1) == last_rows(whole, 1)
        ours, theirs = files(folder), files(whole)
        assert all(ours[name] == theirs[name] for name in theirs if not name.startswith("evaluation/1-rl-step-"))
        short = command(home, "run", "r.yaml", *self.CONSTANT, "stages.0.steps=4", "--stage", "0")
        folder = run_directory(home, short[1])
        assert command(home, "run", "--resume", folder, "stages.0.steps=7", "--stage", "0")[0] == 0
        model = "models/0-sft/model.safetensors"
        assert files(folder)[model] == theirs[model]

    def test_says_what_a_falling_rate_does(self, untouched, home, command):
        folder = shutil.copytree(untouched, home / "runs" / "longer")
        code, out, err = command(home, "run", "--resume", folder, "stages.1.steps=9")
        assert code == 0, err
        assert "its learning rate (linear) now falls until the new end, and is higher from here on" in out
        assert list(last_rows(folder, 1))[-1] == list(last_rows(untouched, 1))[-1] + 2
