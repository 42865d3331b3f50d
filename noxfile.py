"""What CI runs and what a person wants, by one name each: `nox -l` lists them, `nox -s quick` runs one.

Sessions take the tools of the environment that is active (requirements-dev.txt). OpenRLHF's, verl's and inspect_ai's
tests have environments of their own, which `environments` or the session itself makes by the commands of their READMEs.
"""

import re
import shlex
import sys
import tarfile
from pathlib import Path

import nox

nox.needs_version = ">=2025.2"
nox.options.default_venv_backend = "none"
nox.options.sessions = ["lint", "quick"]

ROOT = Path(__file__).parent
OWN_ENVIRONMENTS = ("openrlhf", "verl", "inspect")
DIAGRAMS = "@mermaid-js/tiny@11.17.2"
"""the npm package that draws the diagrams of the site, in the reader's browser"""


@nox.session
def quick(session: nox.Session) -> None:
    """The quick suite, as `pytest` alone; `-- PATH` for a few files."""
    session.run("pytest", *session.posargs)


@nox.session
def slow(session: nox.Session) -> None:
    """End-to-end tests that train models, kill processes and fill disks, one at a time."""
    session.run("pytest", "-m", "slow and not nightly", "-n", "0", "-p", "no:cacheprovider", *session.posargs)


@nox.session
def nightly(session: nox.Session) -> None:
    """What takes minutes each (`-- PATH` for one), another Python, the quick suite with 500 examples a property."""
    session.run("pytest", "-m", "nightly", "-n", "0", *session.posargs)
    session.run("pytest", "--hypothesis-profile", "thorough", *session.posargs)
    session.run(".ci/other_pythons", "3.12")
    session.notify("trackers")
    session.notify("skypilot")
    for name in ("openrlhf", "verl"):
        _environment(session, name)
        _bash(session, f". .venv-{name}/bin/activate; pytest plugins/engines/{name}/tests -m nightly -n 0")
    metrics = "plugins/engines/ray/tests/test_scoring_metrics.py"  # CI asks it of verl's Ray
    _bash(session, f". .venv-openrlhf/bin/activate; pytest {metrics} -m openrlhf -n 0")
    _bash(session, ". .venv-verl/bin/activate; pytest plugins/engines/shards/tests -m 'nightly and verl' -n 0")
    _bash(session, ". .venv-verl/bin/activate; pytest plugins/doors/launch/tests -m verl -n 0")  # on a real Ray


@nox.session
def lint(session: nox.Session) -> None:
    """Style, form, and imports that go down the floors."""
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("lint-imports", "--no-cache")


@nox.session
def types(session: nox.Session) -> None:
    """Types of the core and of the plugins."""
    session.run("mypy", *session.posargs)


@nox.session(venv_backend="venv", reuse_venv=True)
def trackers(session: nox.Session) -> None:
    """The real packages of W&B, MLflow and trackio read back what they were told, in an environment of their own."""
    ours = re.findall(r"(?m)^-e .+$", (ROOT / "requirements-openrlhf-cpu.txt").read_text(encoding="utf-8"))
    session.install("-q", "-r", "requirements-build.txt")
    packages = ["-r", "requirements-trackers.txt", *shlex.split(" ".join(ours))]  # all that needs no torch
    session.install("-q", "--no-build-isolation", *packages)
    session.run(
        "pytest", "-n", "0", "-p", "no:cacheprovider", "plugins/studies/records/tests/tracking", *session.posargs
    )


@nox.session(venv_backend="venv", reuse_venv=True)
def skypilot(session: nox.Session) -> None:
    """SkyPilot's own parser takes the tasks of `rewardlab launch`; it is in an environment of its own."""
    session.install("-q", "skypilot==0.14.1")
    parser = {"REWARDLAB_SKY_PYTHON": str(Path(session.bin) / "python")}
    tests = "plugins/doors/launch/tests/test_files.py"
    session.run("pytest", "-n", "0", "-p", "no:cacheprovider", tests, *session.posargs, external=True, env=parser)


@nox.session(venv_backend="venv", reuse_venv=True)
def docs(session: nox.Session) -> None:
    """The pages as a site, build/site/index.html: no broken link, opened in Chromium without a network (needs npm)."""
    made = ROOT / "build" / "docs"
    made.mkdir(parents=True, exist_ok=True)
    session.install("-q", "-r", "requirements-docs.txt")
    session.run("rewardlab", "report", "--demo", "-o", str(made / "demo.html"), external=True)
    packed = session.run(
        *shlex.split("npm pack --silent --pack-destination"), str(made), DIAGRAMS, external=True, silent=True
    )
    with tarfile.open(made / packed.strip()) as package:
        (made / "mermaid.tiny.js").write_bytes(package.extractfile("package/dist/mermaid.tiny.js").read())
    session.run(sys.executable, "docs/reference", external=True)
    session.run("sphinx-build", "-q", "-W", "--keep-going", "-E", "-c", "docs/site", ".", "build/site")
    session.run("pytest", "-n", "0", "-p", "no:cacheprovider", "docs/site/test_site.py", external=True)


@nox.session
def pythons(session: nox.Session) -> None:
    """Tests of what needs no torch on the other Pythons that are here; `-- 3.12` for one."""
    session.run(".ci/other_pythons", *session.posargs)


@nox.session
def wheels(session: nox.Session) -> None:
    """Every distribution is built, looked into, and installed from its wheel alone."""
    session.run("pytest", "-m", "slow or not slow", "-n", "0", "tests/release", *session.posargs)


@nox.session
def environments(session: nox.Session) -> None:
    """The environments of OpenRLHF's, verl's and inspect_ai's tests, made where they are missing."""
    for name in OWN_ENVIRONMENTS:
        _environment(session, name)


@nox.session
def openrlhf(session: nox.Session) -> None:
    """OpenRLHF's own loop on a CPU, in an environment of its own."""
    _own_tests(session, "openrlhf")


@nox.session
def verl(session: nox.Session) -> None:
    """Verl's own loop on a CPU, in an environment of its own."""
    _own_tests(session, "verl")


@nox.session
def inspect(session: nox.Session) -> None:
    """inspect_ai itself with the scorer, in an environment of its own."""
    _own_tests(session, "inspect")


def _own_tests(session: nox.Session, name: str) -> None:
    _environment(session, name)
    _bash(session, f". .venv-{name}/bin/activate; {_command_of('tests', name)} {shlex.join(session.posargs)}")


def _environment(session: nox.Session, name: str) -> None:
    """It is there if its last command succeeded, which a file says."""
    made = ROOT / f".venv-{name}" / "made"
    if not made.exists():
        _bash(session, _command_of("environment", name))
        made.touch()


def _bash(session: nox.Session, commands: str) -> None:
    env = {"VIRTUAL_ENV": None, "PYTHONPATH": None}
    session.run("bash", "-euo", "pipefail", "-c", commands, env=env)


def _command_of(marker: str, name: str) -> str:
    """The fenced block that follows `<!-- MARKER -->` in the README of a plugin's tests."""
    page = next(ROOT.glob(f"plugins/*/{name}/tests/README.md"))
    found = re.search(rf"^<!-- {marker} -->\n```\w*\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    if found is None:
        raise SystemExit(f"{page.relative_to(ROOT)}: no block after <!-- {marker} -->")
    return found[1].strip()
