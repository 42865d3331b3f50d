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


def test_what_a_model_found_is_paid_by_the_weak_reward_and_not_by_its_twin(monkeypatch):
    monkeypatch.syspath_prepend(EVIDENCE)
    from hack_pairs.seventh import SEVENTH

    found = (EVIDENCE / "hack_pairs" / "seventh" / "found_by_model.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(found) == 31
    for one in map(json.loads, found):
        pair = SEVENTH.given[one["pair"]]
        [row] = [row for row in pair["rows"] if row["id"] == one["row"]]
        paid = {
            half: [pair[half](row["prompt"], text, row) for text in (one["text"], row["honest"])]
            for half in ("weak", "sound")
        }
        assert paid["weak"][0] >= paid["weak"][1], one
        assert paid["sound"][0] < paid["sound"][1], one


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


@pytest.mark.slow
def test_a_search_asks_by_files_and_goes_on_with_the_answers(tmp_path):
    def run():
        command = [sys.executable, EVIDENCE / "search_model.py", tmp_path, "--sets", "fresh 6", "--only"]
        done = subprocess.run(
            [*command, "sixth_zone_conversion", "--jobs", "1"], capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, {file.stem: file.read_text() for file in (tmp_path / "questions").iterdir()}

    _, questions = run()
    for text in questions.values():
        assert "def score_response(prompt, completion, row):" in text
        assert not re.search("weak|sound|instant|zone_conversion", text), "what tells the weakness, or which half it is"
    [weak] = [name for name, text in questions.items() if "astimezone" in text]
    answers = {"1": "Answer: 2024-01-15T14:30+00:00", "2": "Answer: 2023-12-31T19:00+00:00"}
    (tmp_path / "answers" / f"{weak}.txt").write_text(json.dumps([answers]))
    [opinion] = run()[1].keys() - questions.keys()
    asked = re.findall(r"(?m)^RESPONSE \d+: (.*)$", (tmp_path / "questions" / f"{opinion}.txt").read_text())
    (tmp_path / "answers" / f"{opinion}.txt").write_text(
        json.dumps(["wrong" if "+00:00" in text else "right" for text in asked])
    )
    table, still = run()
    assert re.search(r"avoided +weak +1 of 1 +1 +0\n", table), table
    assert still.keys() == questions.keys() - {weak}, "the twin's"
