"""docs/doors.md: what stands there for each door gives the same rewards when it is pasted."""

import asyncio
import importlib.util
import json
import re
import shlex
import subprocess
import sys
import urllib.request
from types import SimpleNamespace

import pytest
from helpers.paths import DOCS, ROOT
from helpers.shown_commands import block_of

PAGE = DOCS / "doors.md"
ROW = {"prompt": "1+1?", "answer": "2", "completions": ["\\boxed{2}", "three"]}
TOTALS = [1.5, 0.0]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working directory with the page's recipe."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recipe.yaml").write_text(block_of("recipe", PAGE))


@pytest.mark.slow
def test_python(capsys):
    block = block_of("python", PAGE)
    exec(block, {})
    assert capsys.readouterr().out.strip() == str(TOTALS)
    assert f"# {TOTALS}" in block


@pytest.mark.slow
def test_another_trainer():
    [file] = ROOT.glob("plugins/**/tests/peers/slime_rollout.py")
    spec = importlib.util.spec_from_file_location("slime_of_the_doors_page", file)
    slime = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(slime)
    names = {}
    exec(block_of("trainer", PAGE), names)
    done = {"prompt": ROW["prompt"], "label": ROW["answer"], "group_index": 0, "status": slime.Sample.Status.COMPLETED}
    group = [slime.Sample(**done, index=n, response=text) for n, text in enumerate(ROW["completions"])]
    args = SimpleNamespace(group_rm=True, reward_key=None)
    assert asyncio.run(names["reward"](args, group)) == TOTALS


@pytest.mark.slow
def test_http():
    words = shlex.split(block_of("http", PAGE))
    command = [sys.executable, "-m", "rewardlab", "serve", "recipe.yaml", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            port = re.search(r"127\.0\.0\.1:(\d+);", server.stderr.readline())[1]
            url, body = words[1].replace("8321", port), words[words.index("--json") + 1]
            request = urllib.request.Request(url, body.encode(), {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read().decode()
        finally:
            server.terminate()
    assert json.loads(body) == ROW
    assert json.loads(text)["total"] == TOTALS


@pytest.mark.slow
def test_a_trl_script(model_folder, capsys):
    """As it stands, but for a small model in the place of the page's, and two short steps."""
    pytest.importorskip("trl")
    short = 'output_dir="trained", use_cpu=True, bf16=False, report_to=[], max_steps=2, max_completion_length=6'
    short += ", logging_steps=1, per_device_train_batch_size=8"
    block = block_of("trl", PAGE)
    for theirs, ours in (("Qwen/Qwen3-0.6B", str(model_folder("gpt2"))), ('output_dir="trained"', short)):
        assert theirs in block
        block = block.replace(theirs, ours)
    exec(block, {})
    printed = capsys.readouterr().out
    assert "reward/accuracy" in printed
    assert "reward/box" in printed
