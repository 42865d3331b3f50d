"""All wheels of a release in one fresh environment: they install together, all plugins are listed, a recipe is fine."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from zipfile import ZipFile

RECIPE = "quickstart"
"""a recipe that the core's wheel brings; its plugins are ours"""


def installed_problems(wheels: Sequence[Path], dependencies: str) -> list[str]:
    """Return what is wrong where all wheels are installed; dependencies: of the "index", or those that are "here"."""
    with tempfile.TemporaryDirectory(prefix="release_") as folder:
        environment = Path(folder) / "environment"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
        python = environment / "bin" / "python"
        given = [str(wheel.resolve()) for wheel in wheels]
        if dependencies == "here":
            _lend_packages(python)
            given = ["--no-deps", "--no-index", *given]
        pip = ["--python", str(python), "install", "-q", "--disable-pip-version-check"]
        done = _run(Path(sys.executable), "pip", *pip, *given, cwd=folder)
        if done.returncode:
            return [f"they cannot be installed together: {done.stdout}{done.stderr}"]
        return [*_of_the_listing(python, wheels, folder), *_of_a_recipe(python, folder)]


def _lend_packages(python: Path) -> None:
    """Have the environment find this Python's packages behind its own; editable installs among them are left out."""
    command = [str(python), "-c", "import site; print(site.getsitepackages()[0])"]
    own = Path(subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout.strip())
    lent = [path for path in sys.path if path.endswith("site-packages")]
    (own / "lent.pth").write_text("".join(f"{path}\n" for path in lent), encoding="utf-8")


def _of_the_listing(python: Path, wheels: Sequence[Path], folder: str) -> Iterator[str]:
    done = _run(python, "rewardlab.cli", "plugins", "--json", cwd=folder)
    if done.returncode:
        yield f"`rewardlab plugins` ends with {done.returncode}: {done.stderr}"
        return
    rows = json.loads(done.stdout)
    for row in rows:
        if row["kind"] == "broken":
            yield f"`rewardlab plugins`: {row['use']} is broken: {row['summary']}"
    expected = {wheel.name.split("-")[0].replace("_", "-") for wheel in wheels if _has_components(wheel)}
    expected -= {"rewardlab-core", "rewardlab-studies", "rewardlab-testing"}  # which have commands alone
    for name in sorted(expected - {row["distribution"] for row in rows}):
        yield f"`rewardlab plugins` does not list {name}"


def _has_components(wheel: Path) -> bool:
    with ZipFile(wheel) as parts:
        [name] = [name for name in parts.namelist() if name.endswith(".dist-info/entry_points.txt")]
        return "[rewardlab]" in parts.read(name).decode("utf-8").splitlines()


def _of_a_recipe(python: Path, folder: str) -> Iterator[str]:
    for command in (["check", RECIPE], ["run", RECIPE, "--dry-run"]):
        done = _run(python, "rewardlab.cli", *command, cwd=folder)
        if done.returncode:
            yield f"`rewardlab {' '.join(command)}` ends with {done.returncode}: {done.stderr}"


def _run(python: Path, module: str, *arguments: str, cwd: str) -> "subprocess.CompletedProcess[str]":
    """Run a module away from the repository, with nothing of this process's Python about it."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    command = [str(python), "-m", module, *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8")
