"""CONTRIBUTING.md is true: its plugin works as written, and its table names the hooks that there are."""

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from rewardlab.registry import HOOKS

TEXT = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILES = {"toml": "pyproject.toml", "python": "my_rewards.py", "yaml": "brevity.yaml"}


def blocks():
    """(language, body) of every fenced block."""
    found = re.findall(r"^ *```(\w+)\n(.*?)^ *```", TEXT, re.DOTALL | re.MULTILINE)
    return [(language, textwrap.dedent(body)) for language, body in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A clean folder in which somebody followed steps 1 and 2."""
    folder = tmp_path_factory.mktemp("ten minutes")
    for language, body in blocks():
        if language in FILES:
            (folder / FILES[language]).write_text(body, encoding="utf-8")
    install = ["-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", folder / "site", folder]
    subprocess.run([sys.executable, *map(str, install)], check=True, capture_output=True)
    return folder


def follow(folder, command, rewardlab):
    return rewardlab(*command.split()[1:], cwd=folder, env={"PYTHONPATH": str(folder / "site")})


def test_the_plugin_is_listed_and_scores(folder, rewardlab):
    lines = "".join(body for language, body in blocks() if language == "sh").splitlines()
    (row,) = [line for line in lines if line.startswith("echo ")]
    (folder / "rows.jsonl").write_text(re.search(r"'(.*)' >", row)[1] + "\n", encoding="utf-8")
    for command in (line for line in lines if line.startswith("rewardlab ")):
        if "schema" not in command:
            done = follow(folder, command, rewardlab)
            assert done.returncode == 0, done.stderr
    (scored,) = map(json.loads, (folder / "scored.jsonl").read_text().splitlines())
    assert scored["total"] == [1.0, 5 / 11]


def test_the_table_names_every_hook_and_its_spec():
    rows = dict(re.findall(r"^\| `(rewardlab_\w+)` \| `(\w+)`", TEXT, re.MULTILINE))
    assert rows == {hook: spec.__name__ for hook, spec in HOOKS.items()}
