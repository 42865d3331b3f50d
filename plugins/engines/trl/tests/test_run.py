"""`rewardlab run` as people meet it: what it prints, writes and says when something is wrong."""

import json
import os
import pty
import re
import resource
import shlex
import signal
import subprocess
import sys
import threading

import pytest
from helpers.pseudo_terminal import lines_of, read, resize
from rewardlab_training import Results

pytestmark = pytest.mark.slow

RECIPE = """
version: 1
model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64}
dataset: {use: toy/counting, with: {rows: 32}, holdout: 0.2}
judges: {j: {use: toy/polite}}
reward:
  components:
    brevity: {use: toy/brevity, with: {words: 3}}
    thread: {use: toy/thread}
    worker: {use: toy/worker}
    letters: {use: toy/letters}
    batch: {use: toy/batch}
    longest: {use: toy/longest}
    prefer: {use: toy/prefer, with: {judge: j}}
  total: brevity + letters + 0 * prefer
stages:
  - {use: sft, steps: 2, batch_size: 4, learning_rate: 1.0e-3}
  - use: rl
    algorithm: dr_grpo
    group_size: 4
    batch_size: 2
    steps: 2
    max_new_tokens: 8
    learning_rate: 1.0e-3
    eval: {samples: 2}
"""
COMPONENTS = ["brevity", "thread", "worker", "letters", "batch", "longest", "prefer"]
SFT, RL = ["--stage", "0"], ["--stage", "1"]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    (folder / "r.yaml").write_text(RECIPE)
    return folder


@pytest.fixture(scope="module")
def run(command, home):
    """Run the recipe with overrides in this process: (code, out, err, run directory)."""

    def with_overrides(*arguments):
        code, out, err = command(home, "run", "r.yaml", *arguments)
        made = re.search(r"run directory: (.*)", out)
        return code, out, err, made and home / made[1]

    return with_overrides


@pytest.fixture(scope="module")
def in_a_process(toy_environment, home):
    """The same in a process of its own, with everything that libraries print."""

    def start(*arguments, **more):
        command = [sys.executable, "-m", "rewardlab.cli", "run", "r.yaml", *arguments]
        given = {
            "cwd": home,
            "env": toy_environment,
            "capture_output": True,
            "encoding": "utf-8",
            "timeout": 120,
        }
        return subprocess.run(command, **given | more)

    return start


@pytest.fixture(scope="module")
def finished(in_a_process, home):
    done = in_a_process()
    return done, home / re.search(r"run directory: (.*)", done.stdout)[1]


def rows_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


class TestOutput:
    def test_it_prints_its_own_lines_and_nothing_of_the_engine(self, finished, home):
        done, folder = finished
        path = folder.relative_to(home)
        assert (done.returncode, done.stderr) == (0, "loading torch ...\n")
        lines = done.stdout.splitlines()
        assert lines[:3] == [
            f"run directory: {path}",
            f"stage 0 (sft) starts from {path}/models/tiny",
            f"stage 1 (rl) starts from {path}/models/0-sft",
        ]
        assert lines[3] == "held-out prompts, 2 completions each, before -> after"
        assert lines[4].split() == ["prompts", "total", *COMPONENTS]
        assert re.match(r"all  \d+ +(\d\.\d\d -> \d\.\d\d *){8}$", lines[5])
        assert re.match(r"\d+ of \d+ completions were cut at the length limit", lines[6])
        assert lines[7:9] == [f"results: {path} (open report.html)", f"model: {path}/models/1-rl"]
        assert len(lines) == 10

    def test_the_last_line_is_a_command_that_works(self, finished, command, home):
        done, folder = finished
        name, *arguments = done.stdout.splitlines()[-1].split(": ")[1].split()
        code, _, err = command(home, *arguments)
        assert (name, code) == ("rewardlab", 0), err
        assert len(rows_of(folder / "rescored.jsonl")) == len(rows_of(folder / "evaluation" / "1-rl-after.rows.jsonl"))

    def test_scoring_its_rows_again_gives_what_the_run_gave(self, finished):
        folder = finished[1]
        again = {row["id"]: row["total"] for row in rows_of(folder / "rescored.jsonl")}
        evaluated = [row for row in rows_of(folder / "ledger.jsonl") if row["trained"] == "no"]
        after = evaluated[len(evaluated) // 2 :]
        assert [row["total"] for row in after] == [again[row["id"]][row["index"]] for row in after]

    @pytest.mark.nightly
    def test_lines_every_so_often_where_nobody_sees_a_bar(self, in_a_process, toy_environment):
        done = in_a_process(env=toy_environment | {"REWARDLAB_PROGRESS_S": "0.000001"})
        assert done.returncode == 0
        step = re.search(r"^1-rl: step 1 of \d+, total [\d.]+, (.*); [\d.e-]+ s a step, \d+ s left$", done.stderr, re.M)
        assert {part.split()[0] for part in step[1].split(", ")} == {*COMPONENTS, "loss"}
        assert re.search(r"^0-sft: step 2 of 2, loss [\d.]+; [\d.e-]+ s a step, 0 s left$", done.stderr, re.M)
        assert re.search(r"^1-rl evaluation \(before\): \d+ of \d+ prompts; ", done.stderr, re.M)
        assert "s a step" not in done.stdout

    def test_no_bars_where_nobody_sees_them(self, finished):
        assert "it/s" not in finished[0].stdout + finished[0].stderr

    def test_on_a_terminal_a_board_with_the_time_left_and_a_kind_ctrl_c(self, toy_environment, home):
        """Ctrl-C as a terminal sends it: to every process of the foreground, workers too."""
        command = [sys.executable, "-m", "rewardlab.cli", "run", "r.yaml", "stages.1.steps=5000"]
        variables = {name: value for name, value in toy_environment.items() if name not in ("CI", "NO_COLOR")}
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(home)
            os.execve(command[0], command, variables | {"TERM": "xterm"})
        resize(terminal, 120)
        seen, pressed = "", False
        watchdog = threading.Timer(90, os.kill, (pid, signal.SIGKILL))
        watchdog.start()
        while chunk := read(terminal):
            seen += chunk
            if not pressed and re.search(r"1-rl: step ([5-9]|\d\d+) of 5,000 ", seen):
                os.write(terminal, b"\x03")
                pressed = True
        watchdog.cancel()
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 130, seen
        lines = lines_of(seen)
        [end] = [at for at, line in enumerate(lines) if line.startswith("0-sft: step 2 of 2 ")]
        assert re.match(r"  loss +[▁-█]{2} +[\d.]+$", lines[end + 1])
        [end] = [at for at, line in enumerate(lines) if line.startswith("1-rl: step ")]
        assert re.match(r"1-rl: step \d+ of 5,000 [━╺╸]+ [\d.e-]+ s a step, \d+ (s|min|h).* left$", lines[end])
        board = lines[end + 1 : end + 3 + len(COMPONENTS)]
        assert {line.split()[0] for line in board} == {"total", *COMPONENTS, "loss"}
        assert all(re.search(r" [▁-█]{3,} +-?[\d.e-]+$", line) for line in board)
        run = home / re.search(r"--resume (runs/[\w.-]+)", seen)[1]
        written = [path for path in run.rglob("*") if path.suffix in (".jsonl", ".log", ".json", ".html")]
        assert len(written) > 3
        assert [path for path in written if b"\x1b" in path.read_bytes()] == []
        assert "stopping after this step" in seen
        assert "continue with: rewardlab run r.yaml stages.1.steps=5000 --resume runs/" in seen
        assert "Traceback" not in seen


class TestLogs:
    def test_every_line_of_a_stage_has_the_same_keys(self, finished):
        for stage in ("0-sft", "1-rl"):
            lines = rows_of(finished[1] / "logs" / f"{stage}.jsonl")
            assert len(lines) == 2
            assert lines[0].keys() == lines[1].keys()

    def test_each_component_has_a_mean_and_a_share_of_failures(self, finished):
        folder = finished[1]
        ledger = [row for row in rows_of(folder / "ledger.jsonl") if (row["phase"], row["step"]) == ("training", 1)]
        line = rows_of(folder / "logs" / "1-rl.jsonl")[0]
        for name in COMPONENTS:
            values = [row["components"][name]["value"] for row in ledger]
            assert line[f"reward/{name}"] == pytest.approx(sum(values) / len(values))
            assert line[f"missing/{name}"] == 0
        assert line["reward/total"] == pytest.approx(sum(row["total"] for row in ledger) / len(ledger))

    def test_the_ledger_knows_each_prompt_phase_and_step(self, finished):
        rows = rows_of(finished[1] / "ledger.jsonl")
        steps = {(row["phase"], row["trained"]): set() for row in rows}
        for row in rows:
            steps[row["phase"], row["trained"]].add(row["step"])
            assert ("prompt" in row, "fields" in row) == (row["index"] == 0,) * 2
        last = max(steps["training", "yes"])
        assert steps == {
            ("before", "no"): {0},
            ("training", "yes"): {*range(1, last + 1)},
            ("after", "no"): {last},
        }

    def test_contributions_in_the_ledger_add_up_to_the_shaped_reward(self, finished):
        for row in rows_of(finished[1] / "ledger.jsonl"):
            given = sum(entry.get("contribution", 0) for entry in row["components"].values())
            assert given + row["rest"] == pytest.approx(row["shaped"], abs=1e-9)
        assert "What moved the reward" in (finished[1] / "report.html").read_text(encoding="utf-8")

    def test_our_advantages_are_not_called_a_reward(self, finished):
        line = rows_of(finished[1] / "logs" / "1-rl.jsonl")[0]
        assert sorted(key for key in line if "reward" in key) == sorted(
            ["reward/total", "reward/groups_without_variance", *(f"reward/{name}" for name in COMPONENTS)]
        )

    def test_a_component_that_never_has_a_value_is_null(self, run):
        settings = "{use: toy/faulty, with: {how: fail, when: ''}, on_missing: 0, max_missing: 1}"
        code, _, _, folder = run(*RL, f"reward.components.brevity={settings}", "stages.1.eval=null")
        lines = rows_of(folder / "logs" / "1-rl.jsonl")
        assert code == 0
        assert [line["reward/brevity"] for line in lines] == [None, None]
        assert [line["missing/brevity"] for line in lines] == [1, 1]

    def test_tensorboard_gets_the_same_numbers_when_asked_for(self, run):
        pytest.importorskip("tensorboard")
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        code, _, err, folder = run("backend.tensorboard=true", "stages.1.updates_per_batch=2")
        assert (code, err) == (0, "")
        events = EventAccumulator(str(folder / "logs" / "tensorboard" / "1-rl"))
        events.Reload()
        lines = rows_of(folder / "logs" / "1-rl.jsonl")
        for key in ("loss", "reward/letters", "learning_rate"):
            found = [(event.step, event.value) for event in events.Scalars(f"train/{key}")]
            assert found == [(line["step"], pytest.approx(line[key])) for line in lines]
        means = [
            Results.load(folder / "evaluation" / f"1-rl-{when}.json").slices[0].means for when in ("before", "after")
        ]
        for name in ("total", "letters"):
            found = [(event.step, event.value) for event in events.Scalars(f"eval/reward/{name}")]
            steps = (0, lines[-1]["step"])
            assert found == [(step, pytest.approx(part[name])) for step, part in zip(steps, means, strict=True)]
        assert not list(folder.rglob("checkpoints/**/events*"))

    def test_a_stage_of_its_own_tells_its_evaluation_too(self, run):
        pytest.importorskip("tensorboard")
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        code, _, err, folder = run(
            "stages=[{use: eval, prompts: 4, samples: 2, max_new_tokens: 4,"
            " sets: {ours: null, others: {use: toy/counting, with: {rows: 3}}}}]",
            "backend.tensorboard=true",
        )
        assert (code, err) == (0, "")
        events = EventAccumulator(str(folder / "logs" / "tensorboard" / "0-eval"))
        events.Reload()
        [results] = (folder / "evaluation").glob("0-eval-results.json")
        slices = Results.load(results).slices
        assert [(part.name, part.prompts) for part in slices[:3]] == [
            ("all", 4),
            ("eval_set others", 2),
            ("eval_set ours", 2),
        ]
        for part, name in zip(slices, ["", "eval_set others/", "eval_set ours/"], strict=False):
            [event] = events.Scalars(f"eval/{name}reward/total")
            assert (event.step, event.value) == (0, pytest.approx(part.means["total"]))

    def test_weights_and_biases_gets_them_when_asked_for(self, run, monkeypatch):
        pytest.importorskip("wandb", reason="pip install wandb")
        monkeypatch.setenv("WANDB_MODE", "offline")
        monkeypatch.setenv("WANDB_SILENT", "true")
        code, _, err, folder = run("backend.wandb=tried")
        assert code == 0, err
        for stage, names in {"0-sft": ["train/loss"], "1-rl": ["train/reward/total", "eval/reward/total"]}.items():
            written = [path.read_bytes() for path in (folder / "logs").rglob("*.wandb")]
            [of_stage] = [data for data in written if f"r-{stage}".encode() in data]
            assert all(name.encode() in of_stage for name in names)

    def test_weights_and_biases_without_a_key_says_so(self, in_a_process, toy_environment, tmp_path):
        pytest.importorskip("wandb", reason="pip install wandb")
        env = {name: value for name, value in toy_environment.items() if not name.startswith("WANDB_")}
        done = in_a_process("backend.wandb=tried", env=env | {"HOME": str(tmp_path), "WANDB_MODE": "online"})
        assert done.returncode == 2
        assert "error: backend.wandb: Weights & Biases: " in done.stderr
        assert "a bug in rewardlab" not in done.stderr

    def test_what_mlflow_refuses_is_told_in_its_words(self, run, monkeypatch):
        pytest.importorskip("mlflow", reason="pip install mlflow")
        monkeypatch.setenv("MLFLOW_TRACKING_URI", "nosuchstore://here")
        code, _, err, _ = run("backend.mlflow=tried")
        assert code == 1
        assert "error: backend.mlflow: MLflow: " in err
        assert "nosuchstore" in err
        assert "bug in rewardlab" not in err

    def test_mlflow_gets_them_when_asked_for(self, run, monkeypatch, tmp_path):
        pytest.importorskip("mlflow", reason="pip install mlflow")
        monkeypatch.setenv("MLFLOW_TRACKING_URI", tmp_path.as_uri())
        monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        code, _, err, folder = run("backend.mlflow=tried", "stages.1.updates_per_batch=2")
        assert code == 0, err
        [totals] = tmp_path.glob("*/*/metrics/train/reward/total")
        found = [line.split() for line in totals.read_text().splitlines()]
        lines = rows_of(folder / "logs" / "1-rl.jsonl")
        assert [int(step) for *_, step in found] == [line["step"] for line in lines]
        assert [float(value) for _, value, _ in found] == [pytest.approx(line["reward/total"]) for line in lines]
        [evaluated] = tmp_path.glob("*/*/metrics/eval/reward/total")
        assert [line.split()[2] for line in evaluated.read_text().splitlines()] == ["0", f"{lines[-1]['step']}"]
        status = [path.read_text() for path in tmp_path.glob("*/*/meta.yaml")]
        assert all("status: 3" in text for text in status), "finished"

    def test_nothing_of_it_where_nobody_asks(self, finished):
        assert not list(finished[1].rglob("events*"))


class TestFailingPlugins:
    @pytest.mark.parametrize(
        ("use", "how", "what"),
        [
            ("toy/faulty", "raise", "ValueError: the toy was told to raise"),
            ("toy/faulty", "nan", "nan"),
            ("toy/faulty", "out_of_range", "1.5"),
            ("toy/faulty", "short_list", "score returned 0 scores for 1 completion"),
            ("toy/faulty_worker", "raise", "ValueError: the toy was told to raise"),
            ("toy/faulty_worker", "hang", "2 s"),
            ("toy/faulty_worker", "exit", "exit code 7"),
        ],
    )
    def test_the_run_stops_and_names_component_plugin_and_sample(self, run, use, how, what):
        fault = f"{{use: {use}, with: {{how: {how}, when: ''}}}}"
        few = ["stages.1.eval=null", "stages.1.batch_size=1", "stages.1.group_size=2"]
        arguments = [f"reward.components.brevity={fault}", *few, *RL]
        code, out, err, folder = run(*arguments)
        assert code == 1
        assert err.count(f"error: component 'brevity' ({use}) failed on sample 'count-") == 1
        assert what in err
        assert "Traceback" not in out + err
        typed = shlex.join(["rewardlab", "run", "r.yaml", *arguments, "--resume"])
        assert f"once it is fixed, continue with: {typed} runs/" in err
        assert rows_of(folder / "ledger.jsonl") == []

    def test_too_many_failures_stop_it_and_stay_in_the_ledger_as_not_trained_on(self, run):
        settings = "{use: toy/faulty, with: {how: fail, when: ''}, on_missing: 0}"
        code, _, err, folder = run(*RL, f"reward.components.brevity={settings}", "stages.1.eval=null")
        assert code == 1
        assert "component 'brevity' (toy/faulty) has no value for 8 of the last 8 completions (100.0%" in err
        assert [row["trained"] for row in rows_of(folder / "ledger.jsonl")] == ["no"] * 8

    def test_a_training_that_diverges_says_so(self, run):
        code, _, err, _ = run(*SFT, "stages.0.learning_rate=1e30", "stages.0.steps=5")
        assert code == 1
        assert re.search(r"error: stage 0-sft has diverged: .* is (nan|inf) at step \d; lower the learning rate", err)


class TestAReinforcementThatDiverges:
    """A learning rate of 1, by which the KL divergence jumps with the first update."""

    ABSURD = (*RL, "stages.1.learning_rate=1", "stages.1.kl.coef=0.001", "stages.1.steps=6", "stages.1.eval=null")
    PLAIN = ("reward.components={letters: {use: toy/letters}, brevity: {use: toy/brevity, with: {words: 3}}}",)
    REWARD = (*PLAIN, "reward.total=letters + brevity", "judges={}")
    WHAT = r"stage 1-rl has diverged: kl is \S+, far above its usual 0 for 3 steps at step 4"

    def test_is_trained_to_its_end_and_told_everywhere_and_by_the_exit_code_on_demand(self, run):
        code, out, err, folder = run(*self.ABSURD, *self.REWARD, "stages.1.on_divergence=fail")
        assert code == 1
        assert "error: a stage with on_divergence: fail has diverged" in err
        assert re.search(f"warning: {self.WHAT}; lower the learning rate", out)
        assert re.search(f"note: {self.WHAT}", out)
        assert [row["step"] for row in rows_of(folder / "alarms.jsonl")] == [4]
        assert re.search(self.WHAT, (folder / "report.html").read_text(encoding="utf-8"))
        assert [row["step"] for row in rows_of(folder / "logs" / "1-rl.jsonl")] == [1, 2, 3, 4, 5, 6]

    def test_stops_at_once_on_demand_with_the_last_checkpoint(self, run):
        code, _, err, folder = run(*self.ABSURD, *self.REWARD, "stages.1.on_divergence=stop", "stages.1.save_every=2")
        assert code == 1
        assert re.search(f"error: {self.WHAT}", err)
        assert [row["step"] for row in rows_of(folder / "logs" / "1-rl.jsonl")] == [1, 2, 3, 4]
        assert (folder / "checkpoints" / "1-rl" / "checkpoint-2").is_dir()


class TestAReinforcementThatLearnsNothing:
    """All totals are equal: whatever the policy does, there is nothing to learn."""

    FLAT = (*RL, "stages.1.steps=9", "stages.1.eval=null", *TestAReinforcementThatDiverges.PLAIN, "judges={}")
    FLAT = (
        *FLAT,
        "reward.total=0.5 + 0 * letters * brevity",
        "alarms.levels={steps: 5, groups: 5}",
        "reward.correctness=letters",
    )

    def test_stops_on_demand_and_is_told_everywhere(self, run, command, home):
        code, out, err, folder = run(*self.FLAT, "alarms.stop=[flat_groups]")
        what = "stage 1-rl learns next to nothing: 100% of groups have had no difference in 5 steps at step 5; take"
        assert code == 1
        assert f"warning: {what}" in out
        assert f"error: {what}" in err
        logged = rows_of(folder / "logs" / "1-rl.jsonl")
        assert [row["step"] for row in logged] == [1, 2, 3, 4, 5]
        assert {"agreement/total", "agreement/brevity", "length/mean", "entropy"} <= logged[0].keys()
        assert [(row["alarm"], row["step"]) for row in rows_of(folder / "alarms.jsonl")] == [("flat_groups", 5)]
        assert what.partition(";")[0] in (folder / "report.html").read_text(encoding="utf-8")
        code, out, _ = command(home, "report", str(folder), "--fail-on", "flat_groups")
        assert code == 1


class TestFullDisk:
    @pytest.mark.parametrize(
        ("kilobytes", "what"),
        [(60, "the model cannot be written"), (150, "a checkpoint cannot be written")],
    )
    def test_it_is_one_error_and_what_was_written_stays(self, run, home, command, kilobytes, what):
        """A bound on the size of a file stands for the disk's."""
        bound = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes * 1024, bound[1]))
        try:
            code, out, err, folder = run(*SFT)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, bound)
        assert code == 1
        errors = [line for line in err.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1
        assert f"stage 0-sft: {what}; is the disk full?" in errors[0]
        assert "Traceback" not in out + err
        for path in folder.rglob("*.json*"):
            if "checkpoint-" not in str(path) and ".writing" not in str(path):
                rows_of(path) if path.suffix == ".jsonl" else json.loads(path.read_text())
        assert command(home, "run", "r.yaml", *SFT, "--resume", folder)[0] == 0


class TestModels:
    @pytest.mark.parametrize("kind", ["gpt2", pytest.param("llama", marks=pytest.mark.nightly)])
    def test_any_causal_language_model_can_be_trained(self, run, model_folder, kind):
        code, _, err, folder = run(f"model={model_folder(kind)}")
        assert (code, err) == (0, "")
        assert (folder / "models" / "1-rl" / "model.safetensors").is_file()

    def test_a_chat_model_reads_and_writes_by_its_template(self, run, model_folder):
        code, _, err, folder = run(f"model={model_folder('qwen2')}", "stages.0.chat.thinking=false")
        assert (code, err) == (0, "")
        assert all(row["completion"].startswith("<think>\n") for row in rows_of(folder / "ledger.jsonl"))

    @pytest.mark.nightly
    def test_one_without_a_template_takes_the_recipes(self, run, model_folder):
        template = "{% for m in messages %}[{{ m.content }}]{% endfor %}"
        settings = [f"stages.{n}.chat.template='{template}'" for n in (0, 1)]
        code, _, err, folder = run(f"model={model_folder('llama')}", *settings)
        assert (code, err) == (0, "")
        assert (folder / "models" / "1-rl" / "chat_template.jinja").read_text() == template

    def test_rows_that_do_not_fit_are_left_out_and_counted(self, run, model_folder, home):
        """GPT-2 has 64 positions and nothing beyond."""
        rows = [{"prompt": "How much? " * n, "response": "It is 4."} for n in (1, 2, 3, 30, 31)]
        (home / "long.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        dataset = "dataset={use: data/jsonl, with: {path: long.jsonl}}"
        code, out, err, _ = run(f"model={model_folder('gpt2')}", dataset, "stages.1.eval=null")
        assert (code, err) == (0, "")
        assert "left out 2 of 5 rows longer than the context, 64" in out
        assert "left out 2 of 5 prompts longer than 56 tokens (the model's context of 64 less max_new_tokens, 8)" in out

    def test_where_none_fits_it_is_one_error(self, run, model_folder, home):
        (home / "long.jsonl").write_text(json.dumps({"prompt": "How much? " * 30, "response": "4"}) + "\n")
        dataset = "dataset={use: data/jsonl, with: {path: long.jsonl}}"
        code, _, err, _ = run(*RL, f"model={model_folder('gpt2')}", dataset, "stages.1.eval=null")
        assert code == 2
        assert "error: override" not in err
        assert re.search(r"error: r.yaml:\d+: stages.1: all 1 prompts are longer than 56 tokens", err)

    def test_max_tokens_cuts_rows(self, run):
        code, out, _, _ = run(*SFT, "stages.0.max_tokens=14")
        assert code == 0
        assert re.search(r"cut \d+ of \d+ rows at max_tokens, 14", out)

    def test_what_is_wrong_with_a_model_is_found_before_anything_starts(self, run, model_folder, tmp_path):
        code, out, err, folder = run(f"model={tmp_path}")
        assert (code, out, folder) == (2, "", None)
        assert err.count("error: ") == 1
        assert "is not a model folder: it has no config.json" in err


class TestOwnData:
    def test_own_rows_with_own_names_for_the_columns(self, run, home):
        """The table is over the held-out share of these rows, by the language column."""
        rows = [
            {
                "question": f"How much is {n} + 1?",
                "solution": f"It is {n + 1}.",
                "lang": ["en", "sw", "id"][n % 3],
            }
            for n in range(40)
        ]
        (home / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        fields = "{prompt: question, response: solution, language: lang}"
        dataset = f"dataset={{use: data/jsonl, with: {{path: mine.jsonl}}, fields: {fields}, holdout: 0.3}}"
        code, out, err, folder = run(dataset)
        assert (code, err) == (0, "")
        held_out = {row["id"] for row in rows_of(folder / "evaluation" / "1-rl-after.rows.jsonl")}
        trained = {row["id"] for row in rows_of(folder / "ledger.jsonl") if row["trained"] == "yes"}
        assert held_out
        assert not held_out & trained
        table = out.split("before -> after\n")[1]
        assert [line.split("  ")[0] for line in table.splitlines()[1:6]] == [
            "all",
            "language en",
            "language id",
            "language sw",
            "all but en",
        ]
        assert int(table.splitlines()[1].split()[1]) == len(held_out)


class TestStages:
    def test_data_writes_rows_that_later_stages_read(self, run, home):
        stages = [
            {"use": "data", "dataset": {"use": "toy/counting", "with": {"rows": 8}}, "to": "made/rows.jsonl"},
            {"use": "sft", "dataset": {"use": "data/jsonl", "with": {"path": "made/rows.jsonl"}}, "steps": 1},
        ]
        code, out, err, folder = run(f"stages={json.dumps(stages)}")
        assert (code, err) == (0, "")
        assert "wrote 8 rows to made/rows.jsonl" in out
        assert rows_of(home / "made" / "rows.jsonl")[3] == {
            "id": "count-3",
            "prompt": [{"role": "user", "content": "How much is 3 + 1?"}],
            "answer": "4",
            "response": "It is 4.",
        }
        assert (folder / "models" / "1-sft").is_dir()

    def test_eval_scores_the_model_as_it_is(self, run):
        stages = [{"use": "eval", "samples": 2, "max_new_tokens": 8, "benchmark": "small", "temperature": 0}]
        code, out, err, folder = run(f"stages={json.dumps(stages)}")
        assert (code, err) == (0, "")
        assert "held-out prompts, 2 completions each\n" in out
        for row in rows_of(folder / "evaluation" / "0-eval-small.rows.jsonl"):
            assert row["completions"][0] == row["completions"][1]  # greedy

    def test_eval_takes_another_model_or_that_of_a_run(self, command, home, run):
        _, _, _, trained = run(*SFT)
        stages = f"stages={json.dumps([{'use': 'eval', 'samples': 2, 'max_new_tokens': 8, 'temperature': 0}])}"
        model, found = trained / "models" / "0-sft", []
        for arguments in (["r.yaml", stages, "--policy", model], [trained, stages]):
            code, out, err = command(home, "eval", *arguments)
            assert (code, err) == (0, "")
            assert f"stage 0 (eval) starts from {model}" in out
            folder = home / re.search(r"run directory: (.*)", out)[1]
            found.append(rows_of(folder / "evaluation" / "0-eval-results.rows.jsonl"))
        assert found[0] == found[1]
        assert found[0] != rows_of(run(stages)[3] / "evaluation" / "0-eval-results.rows.jsonl")

    def test_one_stage_alone_starts_from_the_recipes_model(self, run):
        code, out, _, folder = run(*RL, "stages.1.eval=null")
        assert code == 0
        assert re.search("stage 1 .rl. starts from .*/models/tiny", out)
        assert sorted(path.name for path in (folder / "models").iterdir()) == ["1-rl", "tiny"]

    def test_or_from_what_the_run_to_resume_has(self, command, home, run):
        _, _, _, folder = run(*SFT)
        code, out, _ = command(home, "run", "r.yaml", *RL, "--resume", folder)
        assert code == 0
        assert f"stage 1 (rl) starts from {folder}/models/0-sft" in out

    def test_a_stage_that_is_not_there_is_refused(self, run):
        code, out, err, _ = run("--stage", "2")
        assert (code, out) == (2, "")
        assert err == "error: --stage 2: the recipe has stages 0 to 1\n"

    def test_ppo_is_an_honest_error(self, run):
        code, out, err, _ = run("stages.1.algorithm=ppo")
        assert (code, out) == (2, "")
        assert "the backend trl has no ppo; use" in err
