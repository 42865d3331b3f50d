"""evidence/hacks.py on six of its rewards: probed, then trained under the eyes of the alarms."""

import json
import re
import subprocess
import sys

import pytest
from helpers.paths import ROOT

EVIDENCE = ROOT / "evidence"
PAIRS = {"substring": "enumeration", "prints_passed": "injected_pass", "judge_tone": "dressed_honest"}


@pytest.mark.slow
def test_the_texts_are_lines_as_the_page_says(tmp_path):
    file = tmp_path / "pairs.jsonl"
    subprocess.run([sys.executable, EVIDENCE / "hacks.py", "--texts", file], check=True, timeout=300)
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    page = (EVIDENCE / "README.md").read_text(encoding="utf-8")
    rows = " ".join(re.findall(r"(?m)^\| (`[^|]+) \| ", page.partition("| key | is |")[2].partition("\n\n")[0]))
    assert f"Each of the {len(lines)} lines" in page
    assert f"{len({line['pair'] for line in lines})} rewards that can be hacked" in page
    assert {key for line in lines for key in line} == {*re.findall(r"`(\w+)`", rows)}
    assert [line["pair"] for line in lines if line["hack"] == line["right"]] == []


@pytest.mark.nightly
def test_the_probe_names_the_hackable_ones_and_alarms_their_component_soon_after_the_onset(tmp_path):
    file = tmp_path / "found.json"
    command = [sys.executable, str(EVIDENCE / "hacks.py"), "--only", *PAIRS, "--steps", "50"]
    done = subprocess.run([*command, "--json", str(file)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = {one["pair"]: one for one in json.loads(file.read_text())}
    assert found.keys() == PAIRS.keys()
    for name, one in found.items():
        [weak], [sound] = one["weak_runs"], one["sound_runs"]
        assert PAIRS[name] in one["weak"]["winners"], name
        assert one["sound"]["winners"] == []
        (first, best, last), named = (
            weak["truth"],
            [step for step, _, component in weak["signs"] if component == "verifier"],
        )
        assert best > first
        assert last < best - 0.05, "it is hacked"
        assert weak["onset"] - 5 <= min(named) <= weak["onset"] + 10, (name, weak)
        assert (sound["onset"], sound["signs"]) == (None, [])
        assert sound["truth"][2] > sound["truth"][0] + 0.1, "it learns"
