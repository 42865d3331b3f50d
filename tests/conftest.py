"""What the tests share: the toy plugin, really installed, and the real command line."""

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

TOY = Path(__file__).parent / "toy_plugin"


@pytest.fixture(scope="session")
def toy_path(tmp_path_factory):
    """A folder into which pip has installed the third-party distribution `toy-rewards` (entry point `toy`)."""
    folder = tmp_path_factory.mktemp("installed")
    quiet = ["-q", "--disable-pip-version-check", "--no-deps", "--no-build-isolation"]
    install = [sys.executable, "-m", "pip", "install", *quiet, "--target", str(folder), str(TOY)]
    subprocess.run(install, check=True, capture_output=True, text=True)
    return folder


@pytest.fixture(scope="session")
def toy_environment(toy_path):
    """The environment of a subprocess in which the toy plugin is installed."""
    paths = [str(toy_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


@pytest.fixture
def toy(toy_path, monkeypatch):
    """The toy plugin installed in this process, for one test: a new `Registry()` finds it."""
    monkeypatch.syspath_prepend(toy_path)
    return toy_path


@pytest.fixture
def rewardlab(toy_environment, tmp_path):
    """Run the command line as a user does: `rewardlab("check", "r.yaml").returncode`, in `tmp_path` unless told."""

    def run(*arguments, cwd=None, env=None, **options):
        return subprocess.run(
            [sys.executable, "-m", "rewardlab.cli", *map(str, arguments)],
            cwd=cwd or tmp_path,
            env={**toy_environment, **(env or {})},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            **options,
        )

    return run


@pytest.fixture
def write(tmp_path):
    """Write a text, or rows as JSON lines, to a file in `tmp_path`: `write("r.yaml", "version: 1")` is its path."""
    def file(name, content):
        if not isinstance(content, str):
            content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content)
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(content), encoding="utf-8")
        return path

    return file
