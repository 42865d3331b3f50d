"""An upgrade in the middle of a job, by two built wheels: the other version names both and changes nothing."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from helpers.paths import ROOT, TESTS

pytestmark = pytest.mark.slow

OBEYS = """
version: 1
reward: {components: {obey: {use: cases/obey, with: {unless: well}}}, total: obey}
"""
STAGES = """
version: 1
model: {use: tiny}
stages:
  - {use: data, dataset: {use: data/arithmetic, with: {kind: prompts}}, to: first.jsonl}
  - {use: data, dataset: {use: data/jsonl, with: {path: first.jsonl}}, to: second.jsonl}
"""


@pytest.fixture(scope="module")
def versions(installed, tmp_path_factory):
    """version -> the folder into which a wheel of the core of that version is unpacked."""
    sites = {}
    for version in ("0.1.0", "0.1.1"):
        source = tmp_path_factory.mktemp("source") / "core"
        shutil.copytree(ROOT / "core", source, ignore=shutil.ignore_patterns("__pycache__"))
        for path in (source / "pyproject.toml", source / "rewardlab" / "version.py"):
            text = path.read_text(encoding="utf-8")
            assert text.count('"0.1.0"') == 1, path
            path.write_text(text.replace('"0.1.0"', f'"{version}"'))
        sites[version] = installed(source)
    return sites


@pytest.fixture
def rewardlab(versions, tmp_path):
    """`rewardlab("0.1.1", "score", ...)`: (exit code, what it says), in the test's folder."""

    def run(version, *arguments):
        paths = [versions[version], TESTS / "score_plugin"]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths)), "NO_COLOR": "1"}
        command = [sys.executable, "-m", "rewardlab", *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    return run


def files(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_versions_are_those_of_the_wheels(rewardlab):
    assert [rewardlab(version, "--version") for version in ("0.1.0", "0.1.1")] == [
        (0, "rewardlab 0.1.0\n"),
        (0, "rewardlab 0.1.1\n"),
    ]


def test_an_output_of_score(rewardlab, tmp_path):
    (tmp_path / "r.yaml").write_text(OBEYS)
    (tmp_path / "rows.jsonl").write_text(json.dumps({"id": 1, "prompt": "?", "completions": ["a", "raise"]}) + "\n")
    score = ("score", "r.yaml", "rows.jsonl", "-o", "out.jsonl")
    assert rewardlab("0.1.0", *score)[0] == 1
    (tmp_path / "well").touch()
    before = files(tmp_path)
    code, said = rewardlab("0.1.1", *score, "--resume")
    assert (code, files(tmp_path)) == (2, before)
    assert 'rewardlab: was version "0.1.0", is "0.1.1"' in said
    assert rewardlab("0.1.0", *score, "--resume")[0] == 0


def test_a_run(rewardlab, tmp_path):
    (tmp_path / "r.yaml").write_text(STAGES)
    code, said = rewardlab("0.1.0", "run", "r.yaml", "--run-dir", "made", "--stage", "0")
    assert code == 0, said
    before = files(tmp_path)
    code, said = rewardlab("0.1.1", "run", "--resume", "made")
    assert (code, files(tmp_path)) == (2, before)
    assert "made was made with rewardlab: 0.1.0, now 0.1.1; resume with what it was made with" in said
    code, said = rewardlab("0.1.0", "run", "--resume", "made")
    assert code == 0, said
    assert (tmp_path / "second.jsonl").exists()
