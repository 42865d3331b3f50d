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
    """A folder into which pip has installed the third-party distribution `toy-rewards`, plugin `toy`."""
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
    """Run the command line as a user does, in `tmp_path` unless told: `rewardlab("check", "r.yaml")`."""

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
    """Write a text, or rows as JSON lines, to a file in `tmp_path`; `write("r.yaml", text)` is its path."""

    def file(name, content):
        if not isinstance(content, str):
            content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content)
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(content), encoding="utf-8")
        return path

    return file


@pytest.fixture
def offer(tmp_path, monkeypatch):
    """Put a few lines on sys.path as an installed distribution: `offer("mine", code)` is its folder."""
    modules = []

    def install(plugin, code, distribution=None, version="1.0", module=None):
        distribution = distribution or f"{plugin}-rewards"
        module = module or f"plugin_{plugin}_{distribution.replace('-', '_')}"
        folder = tmp_path / "site" / distribution
        metadata = folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        )
        (metadata / "entry_points.txt").write_text(f"[rewardlab]\n{plugin} = {module}\n")
        (folder / f"{module}.py").write_text(dedent(code), encoding="utf-8")
        monkeypatch.syspath_prepend(folder)
        modules.append(module)
        return folder

    yield install
    for module in modules:
        sys.modules.pop(module, None)
