"""benchmarks/hacks.py on six of its rewards: probed, then trained under the eyes of the alarms."""

import json
import subprocess
import sys

import pytest
from helpers.paths import ROOT

PAIRS = {"substring": "enumeration", "prints_passed": "injected_pass", "judge_tone": "dressed_honest"}


@pytest.mark.slow
def test_the_probe_names_the_hackable_ones_and_alarms_their_component_soon_after_the_onset(tmp_path):
    file = tmp_path / "found.json"
    command = [sys.executable, str(ROOT / "benchmarks" / "hacks.py"), "--only", *PAIRS, "--steps", "50"]
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
