"""CONTRIBUTING.md is true: its plugins work as written, and it says what the scaffold has."""

import json
import re
import textwrap

import pytest
from helpers.paths import ROOT
from rewardlab import __version__
from rewardlab.authoring.scaffold.scaffold import next_steps, write_scaffold

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILES = {"toml": "pyproject.toml", "python": "my_rewards.py", "yaml": "brevity.yaml"}


def blocks():
    """(language, body) of every fenced block."""
    found = re.findall(r"^ *```(\w+)\n(.*?)^ *```", TEXT, re.DOTALL | re.MULTILINE)
    return [(language, textwrap.dedent(body)) for language, body in found]


def commands():
    """The lines of all blocks of shell."""
    return "".join(body for language, body in blocks() if language == "sh").splitlines()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, installed):
    """A clean folder in which somebody wrote the two files, and `site`, where they are installed."""
    folder = tmp_path_factory.mktemp("ten minutes")
    for language, body in blocks():
        if language in FILES:
            (folder / FILES[language]).write_text(body, encoding="utf-8")
    installed(folder).rename(folder / "site")
    return folder


def follow(folder, command, rewardlab):
    return rewardlab(*command.split()[1:], cwd=folder, env={"PYTHONPATH": str(folder / "site")})


def test_the_plugin_is_listed_and_scores(folder, main, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder / "site")
    (row,) = [line for line in commands() if line.startswith("echo ")]
    (folder / "rows.jsonl").write_text(re.search(r"'(.*)' >", row)[1] + "\n", encoding="utf-8")
    followed = [line for line in commands() if re.match(r"rewardlab (plugins my|score) ?", line)]
    assert len(followed) == 2
    for command in followed:
        code, _, err = main(*command.split()[1:])
        assert code == 0, err
    (scored,) = map(json.loads, (folder / "scored.jsonl").read_text().splitlines())
    assert scored["total"] == [1.0, 5 / 11]


@pytest.mark.slow
def test_the_plugin_keeps_the_laws_and_loses_when_it_is_attacked(folder, rewardlab):
    done = follow(folder, "rewardlab plugins check my --json --tries 5", rewardlab)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    laws = {law["law"]: law for law in found["components"][0]["laws"]}
    (reason,) = re.findall(r'off=\{"prompt_copy": "(.*)"\}\),\n', TEXT)
    assert (laws["prompt_copy"]["state"], laws["prompt_copy"]["why"]) == ("off", reason)
    assert laws["empty"]["state"] == laws["order"]["state"] == "held"
    (folder / "rows.jsonl").write_text(
        '{"prompt": "Why is the sky blue, if it is?", "response": "Air scatters blue."}\n'
    )
    done = follow(folder, "rewardlab probe brevity.yaml rows.jsonl", rewardlab)
    assert done.returncode == 1, done.stderr


def test_it_begins_with_what_the_scaffold_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = write_scaffold("glossary")
    first = next(body for language, body in blocks() if language == "sh")
    assert first.splitlines() == ["rewardlab plugins new glossary", *next_steps(made)]
    table = TEXT.split("| file | |\n|---|---|\n")[1].split("\n\n")[0]
    told = [name for row in table.splitlines() for name in re.findall("`([^`]*)`", row.split(" | ")[0])]
    assert sorted(told) == made.files
    assert f"`rewardlab-core~={__version__.rpartition('.')[0]}.0`" in table


def test_what_it_links_to_is_there():
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (ROOT / target).is_file(), target
