"""evidence/records.py and hack_onset.py, without the repositories whose trainings they read."""

import json
import subprocess
import sys

import pytest
from helpers.each_case import each_case
from helpers.paths import ROOT

EVIDENCE = ROOT / "evidence"


@pytest.fixture
def evidence(module_of, monkeypatch):
    """Return a module of evidence/ by its name."""
    monkeypatch.syspath_prepend(str(EVIDENCE))
    return lambda name: module_of(f"../evidence/{name}.py")


def test_an_onset_is_where_gap_and_mechanism_are_both_reached(evidence):
    gaps, mechanisms = [0.0, 0.09, 0.09, 0.11, 0.13, 0.13], [10.0, 16.0, 21.0, 26.0, 26.0, 31.0]
    onset = evidence("hack_onset").hack_onset(gaps, mechanisms, first_step=101)
    # by the twelve pairs: 102, 103, 104, 106; 104 three times and 106; 105 three times and 106
    assert (onset.canonical, onset.first, onset.last) == (104, 102, 106)
    assert [onset.late(step) for step in (100, 102, 106, 109)] == [-2, 0, 0, 3]
    assert evidence("hack_onset").hack_onset(gaps, [None] * 6) is None


def test_a_number_is_a_mean_of_five_steps_of_which_three_are_known(evidence):
    smoothed = evidence("hack_onset").smoothed([1.0, None, 3.0, None, None, 6.0])
    assert smoothed == [None, None, None, None, None, None]
    assert evidence("hack_onset").smoothed([1.0, 2.0, 3.0, 4.0, None]) == [2.0, 2.5, 2.5, 3.0, None]


def test_curves_are_read_from_a_figure(evidence):
    tick = '<g id="{0}tick_{1}"><use xlink:href="#m" x="{2}" y="{3}"/><!-- {4} --></g>'
    ticks = [("x", 1, 10, 0, "0"), ("x", 2, 110, 0, "10"), ("y", 1, 0, 200, "−1.0"), ("y", 2, 0, 100, "1.0")]
    line = '<path d="M {0}" style="stroke: #589c3f; stroke-width: {1}; stroke-linecap: square"/>'
    lines = [line.format("20 150\nL 50 120", "0.6"), line.format("20 150\nL 50 150", "1.5")]
    svg = "\n".join([*(tick.format(*one) for one in ticks), *lines, line.format("20 100\nL 30 200\nL 50 200", "0.6")])
    gold, proxy = evidence("records").curves(svg)
    assert gold == pytest.approx([0.0, 0.2, 0.4, 0.6])
    assert proxy == pytest.approx([1.0, -1.0, -1.0, -1.0])


def test_each_record_has_an_address(evidence):
    records = json.loads((EVIDENCE / "training_records.json").read_text(encoding="utf-8"))
    paths = [(one["repository"], path) for one in records for path in one["paths"]]
    assert len(set(paths)) == len(paths)
    assert all(len(one["commit"]) == 40 and one["repository"].count("/") == 1 and one["licence"] for one in records)
    honest = sum(len(one["paths"]) for one in records if "withdrawn" not in one)
    assert f"where {honest} logs of honest GRPO trainings" in (EVIDENCE / "README.md").read_text(encoding="utf-8")
    page = (ROOT / "docs/alarms.md").read_text(encoding="utf-8")
    assert (
        f"| {honest} honest GRPO trainings of {len({one['repository'] for one in records})} repositories"
        in page.replace("eight", "8")
    )


@pytest.mark.slow
@each_case(
    "arguments, code, said",
    [(["--addresses"], 0, "THUAIS-Lab/CHERRL"), (["nowhere"], 1, "nowhere/THUAIS-Lab/CHERRL is not there")],
)
def test_it_says_where_they_are(arguments, code, said):
    done = subprocess.run(
        [sys.executable, EVIDENCE / "records.py", *arguments], capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, said in done.stdout + done.stderr) == (code, True)
