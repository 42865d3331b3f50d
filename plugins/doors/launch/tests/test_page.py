"""docs/launch.md: its files work as they stand there, and its sessions are what the commands print.

/shared is a folder of the test, and the programs of the schedulers say what real ones say.
"""

import os
import re
import sys
from pathlib import Path

import pytest
from helpers.paths import DOCS

BLOCK = re.compile(r"^<!-- (file|made|session) (\S+)(?: (\S+))? -->\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SCHEDULERS = ("slurm", "kuberay", "skypilot")
PROGRAMS = {
    "ssh": 'while [ "$1" != -- ]; do shift; done\n[ "$2" = me@login.example.org ] || exit 255\nexec sh -c "$3"',
    "sbatch": '[ "$1" = --test-only ] || echo 4711',
    "squeue": "echo 4711",
    "sacct": "echo 4711 RUNNING",
    "scancel": "",
    "ray": "echo ray, version 2.55.0",
    "kubectl": 'case "$*" in *" delete "*) echo "rayjob.ray.io deleted" ;; *" secret "*) echo token ;; esac',
    "sky": 'case "$*" in *" queue "*) [ -e queued ] && echo "1 grpo-2-nodes RUNNING" ;; *) touch queued ;; esac; true',
}


@pytest.fixture
def shown(write, tmp_path, monkeypatch):
    """The blocks of the page, whose files are written; a cluster that has /shared, and the schedulers' programs."""
    home = tmp_path / "home"
    (home / "bin").mkdir(parents=True)
    for name, text in PROGRAMS.items():
        (home / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (home / "bin" / name).chmod(0o700)
    path = os.pathsep.join([str(home / "bin"), os.environ["PATH"]])
    (home / ".profile").write_text(f"export PATH='{path}'\n")
    for name, value in {"PATH": path, "HOME": str(home), "HF_TOKEN": "a-very-secret-token"}.items():
        monkeypatch.setenv(name, value)
    for folder in ("runs", "data", "hf", "env/bin"):
        (tmp_path / "shared" / folder).mkdir(parents=True)
    (tmp_path / "shared/env/bin/activate").write_text(f"PATH=$PATH:{Path(sys.executable).parent}\n")
    write("shared/data/rows.jsonl", [{"prompt": "1 + 1?", "answer": "2"}])
    text = (DOCS / "launch.md").read_text(encoding="utf-8")
    blocks = [(kind, name, file, block) for kind, name, file, block in BLOCK.findall(text)]
    assert len(re.findall("^<!-- ", text, re.MULTILINE)) == len(blocks)
    blocks = [(*names, block.replace("/shared", f"{tmp_path}/shared")) for *names, block in blocks]
    for kind, name, _, block in blocks:
        if kind == "file":
            write(name, block)
    return blocks


def sessions(blocks, scheduler):
    """The commands of a scheduler's session, each with what it prints."""
    [block] = [block for kind, name, _, block in blocks if (kind, name) == ("session", scheduler)]
    parts = [part.partition("\n") for part in re.split(r"^\$ rewardlab ", block, flags=re.MULTILINE)[1:]]
    return [(command.partition(" #")[0].split(), printed) for command, _, printed in parts]


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_the_way_from_a_recipe_to_the_end_of_its_job_is_as_the_page_shows(shown, main, tmp_path, scheduler):
    session = sessions(shown, scheduler)
    assert [command[1] for command, _ in session][-3:] == ["status", "logs", "stop"]
    for command, printed in session:
        code, out, err = main(*command)
        assert code == 0, err
        if printed:
            assert out == printed
    folder = tmp_path / "launches" / "grpo-2-nodes"
    for kind, name, file, block in shown:
        if (kind, name) == ("made", scheduler):
            assert block in (folder / file).read_text(encoding="utf-8"), file
    assert not [file for file in folder.iterdir() if "a-very-secret-token" in file.read_text(encoding="utf-8")]


def test_the_page_shows_all_three(shown):
    assert {name for kind, name, *_ in shown if kind == "file"} == {
        "grpo_2_nodes.yaml",
        *(f"{scheduler}.yaml" for scheduler in SCHEDULERS),
    }
    assert {name for kind, name, *_ in shown if kind == "made"} == {*SCHEDULERS}
