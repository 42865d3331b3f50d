"""benchmarks/gpu.py: in miniature each part measures what it says, and no part can hold up or hide the others."""

import os
import signal
import subprocess
import sys

import psutil
import pytest
from helpers.paths import ROOT

BENCHMARKS = ROOT / "benchmarks"
ONE = f"""
import os, sys
from pathlib import Path
sys.path.insert(0, {str(BENCHMARKS)!r})
from bounded_parts import Rows
Rows(Path(os.environ['ROWS']), os.environ['PART']).add('speed', '7 s', True)
"""
NUMBERS = {
    "machine": ("versions", "a product of"),
    "training": ("generation of it", "scoring of it", "learning of it", "a step, 8 completions", "largest change of a"),
    "embed": ("embed/cosine in float32", "embed/cosine in bfloat16", "sentence-transformers' encode"),
    "reward_model": ("reward_model/score in float32", "reward_model/score in bfloat16", "the bare model"),
    "comet": ("comet/answer in float32", "COMET's own predict"),
    "processes": ("a process group of one", "a stage trained in it"),
    "resume": ("each completion of each step once", "the ledger of a run that nothing killed is the same"),
}
"""part -> words of what it measures, whatever the device"""


@pytest.fixture
def bounded_parts(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import bounded_parts

    return bounded_parts


@pytest.fixture
def run(bounded_parts, tmp_path):
    """`run({name: (program, most_s)}, most_s)`: the rows of programs of Python, and what was said."""

    def made(programs, most_s=600.0, say=lambda line: None):
        parts = [
            bounded_parts.Part(name, [sys.executable, "-c", program], most)
            for name, (program, most) in programs.items()
        ]
        said = []
        return bounded_parts.run_parts(parts, tmp_path, most_s, {}, lambda line: (said.append(line), say(line))), said

    return made


class TestParts:
    def test_one_that_fails_leaves_its_rows_its_reason_and_the_others(self, run, bounded_parts):
        rows, said = run({"bad": (ONE + "sys.exit('no such device')", 600), "good": (ONE, 600)})
        assert [(row.part, row.measured, row.holds) for row in rows] == [
            ("bad", "speed", True),
            ("bad", "the part", False),
            ("good", "speed", True),
            ("good", "the part", None),
        ]
        assert rows[1].value.startswith("failed with exit code 1, ")
        assert any("no such device" in line for line in said)
        assert "| bad | speed | 7 s | yes |" in bounded_parts.table(rows).splitlines()

    def test_one_that_hangs_is_ended_with_what_it_started(self, run, tmp_path):
        pid = tmp_path / "pid"
        child = (
            f"import subprocess; p = subprocess.Popen(['sleep', '600']); open({str(pid)!r}, 'w').write(str(p.pid))\n"
        )
        rows, _ = run({"hangs": (child + "p.wait()", 4), "good": (ONE, 600)})
        assert [(row.part, row.holds) for row in rows] == [("hangs", False), ("good", True), ("good", None)]
        assert rows[0].value.startswith("ended after its 4 s")
        if pid.exists() and psutil.pid_exists(number := int(pid.read_text() or 0)):  # it was started before the end
            assert psutil.Process(number).status() == psutil.STATUS_ZOMBIE

    def test_what_does_not_fit_into_the_minutes_is_left_out_by_name(self, run):
        rows, _ = run({"good": (ONE, 600)}, most_s=0)
        assert [(row.part, row.value, row.holds) for row in rows] == [("good", "left out: the 0 s were over", False)]

    def test_one_that_is_killed_in_the_middle_of_a_row_leaves_the_whole_ones(self, run):
        torn = ONE + "open(os.environ['ROWS'], 'a').write('{\"part\": ')\nos.kill(os.getpid(), 9)"
        rows, _ = run({"torn": (torn, 600)})
        assert [row.measured for row in rows] == ["speed", "the part"]

    def test_a_termination_between_two_leaves_the_others_out(self, run):
        before = signal.getsignal(signal.SIGTERM)
        rows, _ = run(
            {"first": (ONE, 600), "second": (ONE, 600)}, say=lambda line: os.kill(os.getpid(), signal.SIGTERM)
        )
        assert [(row.part, row.holds) for row in rows] == [("first", True), ("first", None), ("second", False)]
        assert rows[-1].value == "left out: the benchmark was stopped"
        assert signal.getsignal(signal.SIGTERM) == before

    def test_a_termination_ends_the_one_that_runs(self, run):
        parent = ONE + f"os.kill({os.getpid()}, 15)\nimport time; time.sleep(600)"
        rows, _ = run({"first": (parent, 600), "second": (ONE, 600)})
        assert [(row.part, row.holds) for row in rows] == [("first", True), ("first", False), ("second", False)]
        assert rows[1].value.startswith("stopped, ")


def script(*arguments, comet_python=sys.executable):
    return [sys.executable, BENCHMARKS / "gpu.py", "--device", "cpu", "--comet-python", comet_python, *arguments]


def table_of(said):
    """part -> [(what was measured, whether it holds)] of the table at the end of what the script says."""
    lines = said.rpartition("|---|---|---|---|\n")[2].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    parts = {}
    for part, measured, _, holds in cells:
        parts.setdefault(part, []).append((measured, holds))
    return parts


def test_a_part_that_is_not_there_is_refused():
    done = subprocess.run(script("--parts", "machine,speed"), capture_output=True, text=True)
    assert done.returncode == 2
    assert "no part speed; there are machine, training, resume," in done.stderr


@pytest.mark.nightly
@pytest.mark.slow
def test_a_termination_prints_what_there_is():
    """As a batch system says that time is over: while the first of two parts runs."""
    with subprocess.Popen(script("--parts", "machine,training"), stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith("machine: the part"):
                break
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
    assert process.returncode == 1
    assert set(table_of(rest)) == {"machine", "training"}


def measured(parts, comet_python=sys.executable):
    done = subprocess.run(
        script("--parts", ",".join(parts), "--minutes", "30", comet_python=comet_python), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    table = table_of(done.stdout)
    assert list(table) == list(parts)
    for part in parts:
        assert all(holds != "NO" for _, holds in table[part])
        for words in NUMBERS[part.removesuffix("_with_model")]:
            assert any(words in what for what, _ in table[part]), (part, words)


@pytest.mark.nightly
@pytest.mark.slow
def test_each_part_in_miniature(comet_python):
    measured([*NUMBERS, "training_with_model"], comet_python)
