"""What stands around the code is true: citation, workflows, hooks, containers, and what is said of Pythons."""

import re
import subprocess
import tomllib

import pytest
import yaml
from helpers.paths import ROOT
from rewardlab import __version__
from rewardlab.commands import BUILT_IN

COMMANDS = [spec.name for spec in BUILT_IN]

PYTHONS = ["3.11", "3.12", "3.13"]
DOCKERFILES = sorted((ROOT / "docker").glob("*.Dockerfile"))


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_citation_has_this_version_and_the_five_papers():
    citation = yaml.safe_load(text("CITATION.cff"))
    assert citation["version"] == __version__
    assert citation["license"] == tomllib.loads(text("pyproject.toml"))["project"]["license"]
    assert len(citation["references"]) == 5
    assert all(paper["authors"] and paper["title"] for paper in citation["references"])


def test_the_pythons_are_the_same_wherever_they_are_named():
    workflow = yaml.safe_load(text(".github/workflows/ci.yml"))
    assert workflow["jobs"]["everything"]["strategy"]["matrix"]["python"] == PYTHONS
    assert f"set -- {' '.join(PYTHONS)}\n" in text(".ci/other_pythons")
    classifiers = tomllib.loads(text("pyproject.toml"))["project"]["classifiers"]
    assert [c.rpartition(" ")[2] for c in classifiers if ":: 3." in c] == PYTHONS


def test_workflows_call_what_is_here():
    steps = [
        step["run"]
        for path in (ROOT / ".github/workflows").glob("*.yml")
        for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
        for step in job["steps"]
        if "run" in step
    ]
    assert ".ci/run" in steps
    for file in re.findall(r"[\w./-]+/[\w.-]+\.py|\.ci/\w+|requirements[\w-]*\.txt", " ".join(steps)):
        assert (ROOT / file).is_file(), file


def test_commit_hooks_are_valid():
    hooks = [hook for repo in yaml.safe_load(text(".pre-commit-config.yaml"))["repos"] for hook in repo["hooks"]]
    assert all(hook["language"] == "system" for hook in hooks), "the versions stand in requirements-dev.txt"
    developing = text("requirements-dev.txt")
    known = {"ruff": "ruff", "lint-imports": "import-linter", "mypy": "mypy"}
    for hook in hooks:
        program, *rest = hook["entry"].split()
        assert (rest[0] in COMMANDS) if program == "rewardlab" else f"\n{known[program]}==" in developing


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.stem)
def test_containers_copy_and_install_what_is_here(path):
    dockerfile = path.read_text(encoding="utf-8").replace("\\\n", " ")
    copied = [word for line in re.findall(r"^COPY (.*) \S+$", dockerfile, re.MULTILINE) for word in line.split()]
    assert {"core", "plugins", "pyproject.toml"} <= {*copied}
    for name in [*copied, *re.findall(r"(?:\./|/rewardlab/)?(plugins/[\w/.-]+)", dockerfile)]:
        assert (ROOT / name).exists(), name
    installed = set(re.findall(r"\./plugins/(\w+)", dockerfile))
    engine = path.name.removesuffix(".Dockerfile")
    assert engine in installed
    assert {"math", "format", "language", "pairwise", "normalize", "curriculum", "data", "openai"} <= installed


def test_scripts_can_be_run():
    for name in (".ci/run", ".ci/other_pythons"):
        assert (ROOT / name).stat().st_mode & 0o111
        subprocess.run(["bash", "-n", ROOT / name], check=True)


def test_what_the_rules_of_the_house_name_is_there():
    page = text("AGENTS.md")
    for file in re.findall(r"(?:tests|release|docs|\.ci)/[\w./-]*\w", page):
        assert (ROOT / file).exists() or file.startswith("tests/ROOM"), file
