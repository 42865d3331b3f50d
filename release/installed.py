"""Environments that have wheels of a release and nothing of this checkout: what can be installed there, and works."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from rewardlab.first_party import first_party

Finished = subprocess.CompletedProcess[str]
RECIPE = "quickstart"
"""a recipe that the core's wheel brings; its plugins are ours"""


def installed_problems(wheels: Sequence[Path], dependencies: str) -> list[str]:
    """Return what is wrong if all wheels are installed; dependencies: of the "index", or those that are "here"."""
    with tempfile.TemporaryDirectory(prefix="release_") as folder:
        given = [str(wheel.resolve()) for wheel in wheels]
        if dependencies == "here":
            given.append("--no-deps")  # inspect_ai has an environment of its own
        python, done = installed(Path(folder) / "environment", given, dependencies)
        if done.returncode:
            return [f"they cannot be installed together: {done.stdout}{done.stderr}"]
        return [*_of_the_listing(python, wheels, folder), *_of_a_recipe(python, folder)]


def installed(folder: Path, wanted: Sequence[str], dependencies: str) -> tuple[Path, Finished]:
    """Make an environment and let pip install there; return its Python, and what pip said.

    dependencies: of the "index", or those of this Python that are "here": all of its packages, but for ours.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    if dependencies == "here":
        _lend_packages(python)
        wanted = ["--no-index", *wanted]
    pip = ["--python", str(python), "install", "-q", "--disable-pip-version-check"]
    return python, run(Path(sys.executable), "pip", *pip, *wanted, cwd=str(folder))


def _lend_packages(python: Path) -> None:
    """Have the environment find this Python's packages, each by a link; of ours there is none, editable or not."""
    command = [str(python), "-c", "import site; print(site.getsitepackages()[0])"]
    own = Path(subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout.strip())
    for lent in (Path(path) for path in sys.path if path.endswith("site-packages")):
        for entry in lent.iterdir():
            is_ours = entry.name.startswith(("rewardlab", "_editable_impl_")) or entry.suffix == ".pth"
            if not is_ours and not (own / entry.name).exists():
                (own / entry.name).symlink_to(entry)


def _of_the_listing(python: Path, wheels: Sequence[Path], folder: str) -> Iterator[str]:
    done = run(python, "rewardlab.cli", "plugins", "--json", cwd=folder)
    if done.returncode:
        yield f"`rewardlab plugins` ends with {done.returncode}: {done.stderr}"
        return
    rows = json.loads(done.stdout)
    for row in rows:
        if row["kind"] == "broken":
            yield f"`rewardlab plugins`: {row['use']} is broken: {row['summary']}"
    given = {wheel.name.split("-")[0].replace("_", "-") for wheel in wheels}
    expected = given & {plugin["distribution"] for plugin in first_party().values() if plugin["components"]}
    for name in sorted(expected - {row["distribution"] for row in rows}):
        yield f"`rewardlab plugins` does not list {name}"


def _of_a_recipe(python: Path, folder: str) -> Iterator[str]:
    for command in (["check", RECIPE], ["run", RECIPE, "--dry-run"]):
        done = run(python, "rewardlab.cli", *command, cwd=folder)
        if done.returncode:
            yield f"`rewardlab {' '.join(command)}` ends with {done.returncode}: {done.stderr}"


def run(python: Path, module: str, *arguments: str, cwd: str) -> Finished:
    """Run a module away from the repository, with nothing of this process's Python about it."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    command = [str(python), "-m", module, *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8")
