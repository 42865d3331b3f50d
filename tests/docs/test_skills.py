"""skills/: what a coding agent is told can be followed from top to bottom, command by command."""

import os
import re
import shlex
import subprocess
import sys

import pytest
from helpers.paths import ROOT

SKILLS = sorted((ROOT / "skills").glob("*/SKILL.md"))
STEP = re.compile(
    r"^<!-- file (?P<file>\S+) -->\n```\w+\n(?P<text>.*?)^```$|^```sh\n(?P<commands>.*?)^```$", re.DOTALL | re.MULTILINE
)
COMMAND = [sys.executable, "-m", "rewardlab"]


def test_each_has_the_head_that_agents_read():
    assert [skill.parent.name for skill in SKILLS] == ["rewardlab"]
    for skill in SKILLS:
        head = re.match(r"---\nname: (\S+)\ndescription: (.{50,1024})\n---\n", skill.read_text(encoding="utf-8"))
        assert head[1] == skill.parent.name


@pytest.mark.slow
@pytest.mark.parametrize("skill", SKILLS, ids=lambda path: path.parent.name)
def test_can_be_followed(skill, installed, tmp_path):
    environment, ran = dict(os.environ), 0
    for step in STEP.finditer(skill.read_text(encoding="utf-8")):
        if step["file"]:
            assert (tmp_path / step["file"]).exists() == step["file"].endswith(".py"), "made by the command before"
            (tmp_path / step["file"]).write_text(step["text"], encoding="utf-8")
            continue
        for line in step["commands"].splitlines():
            words = shlex.split(line, comments=True)
            code = int((re.search(r"# exit code (\d+)", line) or [0, 0])[1])
            if words[:3] == ["pip", "install", "-e"]:
                environment["PYTHONPATH"] = str(installed(tmp_path / words[3]))
                continue
            assert words[0] == "rewardlab"
            done = subprocess.run(
                [*COMMAND, *words[1:]], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
            )
            assert done.returncode == code, f"{line}\n{done.stdout}{done.stderr}"
            ran += 1
    assert ran >= 6
