"""PB-RLSVR end to end with tiny real models: data, a reward of five parts, a policy that gets better by it."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from itertools import groupby
from pathlib import Path

import pytest
from helpers.paths import RECIPES
from rewardlab import Context
from rewardlab.registry import Registry

RECIPE = RECIPES / "pb_rlsvr_miniature.yaml"
COMPONENTS = {"answer", "embed", "translated", "format", "language", "accuracy"}
PROMPTS, SAMPLES = 6, 8
FEW = ["stages.1.steps=60", "stages.2.steps=2", "stages.2.save_every=2", f"stages.2.eval.prompts={PROMPTS}"]
"""So few steps that nothing more is learnt than form; what is, the last tests show in the night."""


@pytest.fixture(scope="module")
def rewardlab(tiny_models, translator, comet_python, tmp_path_factory):
    """`rewardlab(watch, "run", ...)` starts the command line with the models and the server at hand, and waits for it.

    `folder`: where it runs. watch: is given the process, where it is not None.
    """
    folder = tmp_path_factory.mktemp("miniature")

    def run(watch, command, recipe, *arguments, url=translator):
        python = f"reward.components.answer.with.environment={{python: {comet_python}}}"
        called = [sys.executable, "-m", "rewardlab.cli", command, str(recipe), *map(str, arguments), python]
        environment = os.environ | {"PB_MODELS": str(tiny_models)}
        environment |= dict.fromkeys(("PB_TRANSLATOR_URL", "TRANSLATOR_URL", "EXPERT_URL"), url)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
        with subprocess.Popen(called, cwd=folder, env=environment, **pipes) as process:
            if watch is not None:
                watch.start(process)
            out, err = process.communicate(timeout=600)
        return subprocess.CompletedProcess(called, process.returncode, out, err)

    run.folder = folder
    return run


class ModelProcesses:
    """Which processes below another one had torch in them: {pid: interpreter}.

    One must be seen twice: for an instant a process that is being started looks like the one that starts it.
    """

    def __init__(self):
        self.seen = {}
        self._once = set()

    def start(self, process):
        threading.Thread(target=self._watch, args=(process,), daemon=True).start()

    def _watch(self, process):
        while process.poll() is None:
            for pid in self._below(process.pid):
                self._note(pid)
            time.sleep(0.5)

    def _below(self, root):
        parents = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                text = stat.read_text()
            except OSError:  # it has ended
                continue
            parents[int(stat.parent.name)] = int(text.rpartition(")")[2].split()[1])
        found, wave = set(), {root}
        while wave := {pid for pid, parent in parents.items() if parent in wave} - found:
            found |= wave
        return found

    def _note(self, pid):
        try:
            if "libtorch_cpu" not in Path(f"/proc/{pid}/maps").read_text():
                return
            if pid in self._once:
                self.seen[pid] = Path(f"/proc/{pid}/cmdline").read_text().split("\0")[0]
            self._once.add(pid)
        except OSError:
            return


@pytest.fixture(scope="module")
def run(rewardlab):
    """(the run directory, what the command printed, the processes that held models)."""
    processes = ModelProcesses()
    done = rewardlab(processes, "run", RECIPE, *FEW)
    assert done.returncode == 0, done.stdout + done.stderr
    (directory,) = (rewardlab.folder / "runs").glob("pb-rlsvr-miniature-*")
    return directory, done, processes.seen


def means(directory, when):
    results = json.loads((directory / "evaluation" / f"2-rl-{when}.json").read_text())
    return next(part["means"] for part in results["slices"] if part["name"] == "all")


def evaluated_last(directory):
    """The ledger's groups of the last evaluation, in their order."""
    rows = [json.loads(line) for line in (directory / "ledger.jsonl").read_text().splitlines()]
    last = [row for row in rows if row["trained"] == "no"][-PROMPTS * SAMPLES :]
    return [list(group) for _, group in groupby(last, key=lambda row: row["group"])]


# --- data ---


@pytest.mark.nightly
def test_the_data_has_prompts_in_three_languages_with_english_references(run, rewardlab):
    rows = [json.loads(line) for line in (rewardlab.folder / "pb-miniature.jsonl").read_text().splitlines()]
    assert {row["language"] for row in rows} == {"es", "de", "fr"}
    assert {row["split"] for row in rows} == {"train", "test"}
    for row in rows:
        (message,) = row["prompt"]
        assert message["role"] == "user"
        assert message["content"] != row["problem"]
        assert row["reference"] == (
            f"<think>{row['reference_reasoning']}</think><answer>{row['reference_answer']}</answer>"
        )
        assert "The final result is" in row["reference_reasoning"]


@pytest.mark.nightly
def test_the_experts_ill_formed_replies_are_dropped_and_counted(run, rewardlab):
    done = run[1]
    count = len((rewardlab.folder / "pb-miniature.jsonl").read_text().splitlines())
    assert "data/expert: " in done.stderr
    assert "rows dropped: " in done.stderr
    assert 0.8 * 600 < count < 600
    assert f"wrote {count} rows to pb-miniature.jsonl" in done.stdout


@pytest.mark.nightly
def test_the_data_stage_of_the_whole_recipe_drops_what_is_near_to_an_evaluation_set(rewardlab, tiny_models):
    """recipes/pb_rlsvr.yaml itself, with other questions, a small model, and languages that the server knows."""
    numbers = {"kind": "prompts", "languages": ["en"], "rows": 40, "heldout": 0}
    spec = Registry().find("dataset", "data/arithmetic")
    first, *others = (row.prompt[0]["content"] for row in spec.build(spec.config(**numbers), Context(seed=0)))
    sets = rewardlab.folder / "evaluation"
    sets.mkdir()
    for name in ("mgsm", "mmlu_prox", "include", "mlogiqa"):
        (sets / f"{name}.jsonl").write_text(json.dumps({"prompt": "Who wrote this play?"}) + "\n")
    (sets / "include.jsonl").write_text(json.dumps({"prompt": first}) + "\n")
    changes = [
        f"stages.0.dataset.from.from.from={json.dumps({'use': 'data/arithmetic', 'with': numbers})}",
        f"stages.0.dataset.from.from.with.model={tiny_models / 'embedder'}",
        "stages.0.dataset.from.with.languages=[es, fr, pt]",
    ]
    done = rewardlab(None, "run", RECIPES / "pb_rlsvr.yaml", "--stage", "0", *changes)
    assert done.returncode == 0, done.stderr
    assert "evaluation/include.jsonl:1" in done.stderr
    rows = [json.loads(line) for line in (rewardlab.folder / "pb-rlsvr.jsonl").read_text().splitlines()]
    assert len(rows) > 25
    questions = {row["problem"] for row in rows}
    assert first not in questions
    assert questions <= set(others)
    assert {row["language"] for row in rows} == {"es", "fr", "pt"}
    again = rewardlab(None, "run", RECIPES / "pb_rlsvr.yaml", "--stage", "0", *changes)
    assert f"wrote 0 rows to pb-rlsvr.jsonl ({len(rows)} were there)" in again.stdout
    asked = int(re.search(r"judge expert: (\d+) calls", again.stdout)[1])
    assert asked <= 2 * (40 - len(rows)), "it is asked again only for rows that it lost, twice each"
    assert "judge translator: 0 calls" in again.stdout


# --- training ---


@pytest.mark.nightly
def test_each_model_was_in_one_process(run, comet_python):
    """Two components embed, evaluations and training score, and there is no second copy of a model."""
    interpreters = sorted(run[2].values())
    assert interpreters == sorted([comet_python, sys.executable])


@pytest.mark.nightly
def test_the_ledger_has_every_component_of_every_completion(run):
    rows = [json.loads(line) for line in (run[0] / "ledger.jsonl").read_text().splitlines()]
    assert rows
    for row in rows:
        assert set(row["components"]) == COMPONENTS
        assert all(part["value"] is not None for part in row["components"].values())


# --- afterwards ---


@pytest.mark.nightly
def test_scoring_the_rows_again_gives_the_same_values(run, rewardlab):
    directory = run[0]
    kept = (directory / "evaluation" / "2-rl-after.rows.jsonl").read_text().splitlines(keepends=True)[:10]
    (rewardlab.folder / "ten.jsonl").write_text("".join(kept))
    done = rewardlab(None, "score", RECIPE, "ten.jsonl", "-o", "again.jsonl")
    assert done.returncode == 0, done.stderr
    again = [json.loads(line) for line in (rewardlab.folder / "again.jsonl").read_text().splitlines()]
    for now, then in zip(again, evaluated_last(directory)[:10], strict=True):
        assert now["total"] == pytest.approx([row["total"] for row in then], abs=1e-5)
        for name, part in now["components"].items():
            assert part["value"] == pytest.approx([row["components"][name]["value"] for row in then], abs=1e-5)


@pytest.mark.nightly
def test_a_translator_that_is_down_ends_a_run_before_it_trains(run, rewardlab):
    more = ["judges.translator.retries=0", f"model={run[0] / 'models' / '1-sft'}"]
    done = rewardlab(None, "run", RECIPE, "--stage", "2", *more, url="http://127.0.0.1:9/v1")
    assert done.returncode == 2
    assert "judge 'translator' cannot be reached" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.nightly
def test_scoring_stops_soon_where_the_translator_goes_down(run, rewardlab):
    rows = run[0] / "evaluation" / "2-rl-after.rows.jsonl"
    more = ["judges.translator.retries=0", "judges.translator.timeout=5"]
    done = rewardlab(None, "score", RECIPE, rows, "-o", "down.jsonl", *more, url="http://127.0.0.1:9/v1")
    assert done.returncode == 1
    assert "component 'translated' (embed/translated_cosine) has no value for" in done.stderr
    assert "judge 'translator' cannot be reached" in done.stderr


# --- what it learns ---


@pytest.fixture(scope="module")
def learned(rewardlab):
    """The directory of the recipe's whole run."""
    done = rewardlab(None, "run", RECIPE, "name=whole")
    assert done.returncode == 0, done.stdout + done.stderr
    (directory,) = (rewardlab.folder / "runs").glob("whole-*")
    return directory


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "least"), [("total", 0.4), ("answer", 0.15), ("embed", 0.1), ("format", 0.2), ("language", 0.3)]
)
def test_what_the_total_names_rises_on_held_out_prompts(learned, name, least):
    before, after = (means(learned, when) for when in ("before", "after"))
    assert after[name] > before[name] + least


@pytest.mark.nightly
def test_answers_become_right_though_no_reward_compares_numbers(learned):
    before, after = (means(learned, when) for when in ("before", "after"))
    assert after["accuracy"] > before["accuracy"] + 0.15
