"""docs/rubrics.md is true: its files are written, checked and scored with the scripted judge, and give what it says."""

import importlib.util
import json
import re
from pathlib import Path

import pytest
import yaml
from rewardlab import installed
from rewardlab.cli import main

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "rubrics.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.S | re.M)


@pytest.fixture
def server():
    spec = importlib.util.spec_from_file_location("judge_server", ROOT / "tests" / "judge_server.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with module.Serving(module.JudgeServer()) as serving:
        yield serving


def test_five_minutes(tmp_path, server, monkeypatch, capsys):
    for kind, text in BLOCKS:
        if named := re.match(r"# (\w+\.yaml)\n", text):
            (tmp_path / named[1]).write_text(text, encoding="utf-8")
        elif kind == "json":
            (tmp_path / "rows.jsonl").write_text(text, encoding="utf-8")
    commands = next(text for kind, text in BLOCKS if kind == "sh")
    monkeypatch.chdir(tmp_path)
    for line in commands.splitlines():
        _, *words = line.partition("#")[0].split()
        code = main([*words, f"judges.main.with.base_url={server.url}"])
        assert code in ((0, 1) if words[0] == "probe" else (0,)), capsys.readouterr().err  # the script can be fooled
    (row,) = [json.loads(line) for line in (tmp_path / "scored.jsonl").read_text(encoding="utf-8").splitlines()]
    assert f'"total": {json.dumps(row["total"])}' in PAGE
    assert [info["raw"] for info in row["components"]["quality"]["info"]] == [4, 1, 3]


def test_the_road_to_a_judge_passes_check(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for _, text in BLOCKS:
        if named := re.match(r"# (\w+\.yaml)\n", text):
            (tmp_path / named[1]).write_text(text, encoding="utf-8")
    row = {"prompt": "How much is 2 + 3?", "response": "5", "score": 5}
    (tmp_path / "judged.jsonl").write_text(f"{json.dumps(row)}\n")
    assert main(["check", "judge.yaml"]) == 0, capsys.readouterr().err


def test_from_a_dataset_to_rows_for_a_judge(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (recipe,) = [text for _, text in BLOCKS if text.startswith("# judge_rows.yaml")]
    (rows,) = [text for kind, text in BLOCKS if kind == "jsonl"]
    Path("judge_rows.yaml").write_text(recipe, encoding="utf-8")
    Path("questions.jsonl").write_text(rows, encoding="utf-8")
    assert main(["check", "judge_rows.yaml"]) == 0
    assert main(["run", "judge_rows.yaml", "--dry-run"]) == 0
    plan = capsys.readouterr().out
    assert "asks teacher up to 2 questions" in plan
    assert "asks small up to 10 questions" in plan


def test_every_component_in_it_has_these_options():
    registry, found = installed(), 0
    for kind, text in BLOCKS:
        for line in text.splitlines() if kind == "yaml" else ():
            if (named := re.match(r"\s*\w+: (\{use: rubric/.*?\}+)(?:\s+#.*)?$", line)) is not None:
                text = re.sub(r"(?<=[{ ])([0-9]): ", r'"\1": ', named[1])
                use = yaml.safe_load(text)
                options = {**use["with"]}
                if options.get("rubric") != "rubric.yaml":
                    registry.find("reward", use["use"]).config.model_validate(options)
                found += 1
    assert found == 4
