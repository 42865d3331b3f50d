"""docs/write_a_plugin.md and docs/plugin_examples.md: every plugin in them is installed, and keeps its laws."""

import ast
import json
import re
import subprocess
import sys

import pytest
from helpers.paths import ROOT
from helpers.shown_commands import block_of
from rewardlab import __version__
from rewardlab_testing.check.check import check_plugin
from rewardlab_testing.scaffold.kinds import KINDS
from rewardlab_testing.scaffold.scaffold import next_steps, write_scaffold

pytestmark = pytest.mark.slow

FIRST = (ROOT / "docs/write_a_plugin.md").read_text(encoding="utf-8")
EXAMPLES = (ROOT / "docs/plugin_examples.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^<!-- (minimal|plugin) (\w+) -->\n```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
PLUGINS = {name: code for how, name, code in BLOCK.findall(FIRST + EXAMPLES) if how == "plugin"}
[MINIMAL] = [code for how, _, code in BLOCK.findall(FIRST) if how == "minimal"]


def block(language):
    """The one fenced block of a language on the first page."""
    (body,) = re.findall(rf"^```{language}\n(.*?)^```", FIRST, re.DOTALL | re.MULTILINE)
    return body


def test_there_is_one_of_each_kind():
    kinds = EXAMPLES.partition("## The smallest of each kind")[2]
    assert re.findall(r"^\| `(\w+)` ", kinds, re.MULTILINE) == [*KINDS]
    assert {*PLUGINS} == {"looked", "kind", "novel", "brief", "hopeful"}
    assert FIRST.count("```python") == 3, "the plugin, a class of options, and a reward on messages"
    assert EXAMPLES.count("```python") == len(PLUGINS) - 1


def test_the_first_plugin_is_what_the_command_writes(tmp_path):
    """Whose tests plugins/authoring/testing/tests/scaffold/test_scaffold.py runs."""
    made = write_scaffold("first", tmp_path, minimal=True)
    assert (made.folder / "rewardlab_first/__init__.py").read_text(encoding="utf-8") == MINIMAL


@pytest.mark.parametrize("name", PLUGINS)
def test_the_others_keep_their_laws(offer, name):
    offer(name, PLUGINS[name])
    check = check_plugin(name, [], tries=3)
    broken = [outcome for result in check.results for outcome in result.of("broken")]
    assert broken == []
    assert check.passed
    assert check.count("held") >= 4
    assert check.count("untried") == 0


def test_the_first_page_can_be_followed(main, offer, write):
    assert "rewardlab plugins new first --minimal" in FIRST
    assert main("plugins", "new", "first", "--minimal")[0] == 0
    install, _, check = next_steps(write_scaffold("first", "rewardlab-first-again", minimal=True))
    assert install.replace("-again", "") in FIRST
    assert check in FIRST
    offer("first", MINIMAL)
    write("recipe.yaml", block("yaml"))
    write("rows.jsonl", block("jsonl"))
    code, _, err = main("score", "recipe.yaml", "rows.jsonl", "-o", "scored.jsonl")
    assert code == 0, err
    with open("scored.jsonl", encoding="utf-8") as scored:
        assert json.loads(scored.read())["total"] == [1.0, 0.0]


def test_the_first_page_lists_what_the_command_writes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = write_scaffold("glossary")
    (shown,) = re.findall(r"^```sh\n(rewardlab plugins new glossary\n.*?)^```", FIRST, re.DOTALL | re.MULTILINE)
    assert shown.splitlines()[1:] == next_steps(made)
    table = FIRST.split("| file | has |\n|---|---|\n")[1].split("\n\n")[0]
    told = [name for row in table.splitlines() for name in re.findall("`([^`]*)`", row.split(" | ")[0])]
    assert sorted(told) == made.files
    assert f"`rewardlab-core~={__version__.rpartition('.')[0]}.0`" in table


def test_the_command_counts_rows(offer, rewardlab, tmp_path):
    folder = offer("counting", block_of("command", ROOT / "docs/plugin_examples.md"), command="rows")
    (tmp_path / "rows.jsonl").write_text("{}\n{}\n{}\n")
    done = rewardlab("rows", "rows.jsonl", "-n", "2", cwd=tmp_path, env={"PYTHONPATH": str(folder)})
    assert (done.returncode, done.stdout) == (0, "2 rows\n"), done.stderr


def test_every_other_block_of_python_can_be_read():
    found = re.findall(r"^```py\n(.*?)^```", EXAMPLES, re.DOTALL | re.MULTILINE)
    assert len(found) == 3
    for body in found:
        ast.parse(body)


@pytest.mark.nightly
def test_the_examples_are_typed_and_tidy(tmp_path):
    for name, code in PLUGINS.items():
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    for command in (
        ["mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), *(f"{name}.py" for name in PLUGINS)],
        ["ruff", "check", "--config", str(ROOT / "pyproject.toml"), "--ignore", "ANN,ARG,D", "--no-cache", "."],
        ["ruff", "format", "--check", "--config", str(ROOT / "pyproject.toml"), "--no-cache", "."],
    ):
        done = subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, encoding="utf-8")
        assert done.returncode == 0, done.stdout
