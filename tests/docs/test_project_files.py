"""What stands around the code is true: citation, workflows, hooks, containers, and what is said of Pythons."""

import re
import subprocess
import sys
import tomllib

import pytest
import yaml
from helpers.our_commands import NAMES
from helpers.paths import RECIPES, ROOT
from rewardlab import __version__

PYTHONS = ["3.11", "3.12", "3.13"]
NAMING_SESSIONS = [".ci/run", "README.md", "AGENTS.md", "CONTRIBUTING.md"]
NAMING_SESSIONS += [".github/workflows/ci.yml", ".github/workflows/nightly.yml"]
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


def test_the_tests_on_other_pythons_are_here():
    listed = subprocess.run(
        ["bash", "-c", "eval \"$(grep ^tests .ci/other_pythons)\"; printf '%s\\n' \"${tests[@]}\""],
        cwd=ROOT, capture_output=True, encoding="utf-8", check=True,
    ).stdout.split()  # fmt: skip
    ignored = re.findall(r"--ignore (\S+)", text(".ci/other_pythons"))
    assert [path for path in listed + ignored if not (ROOT / path).exists()] == []
    assert len(listed) > 8


def test_the_sessions_that_are_named_are_those_of_nox():
    sessions = set(re.findall(r"^@nox\.session.*\ndef (\w+)", text("noxfile.py"), re.MULTILINE))
    named = {place: re.findall(r"nox -s ((?:[a-z]+ ?)+)", text(place)) for place in NAMING_SESSIONS}
    assert all(named.values()), named
    assert {name for found in named.values() for name in " ".join(found).split()} <= sessions


def test_commit_hooks_are_valid():
    hooks = [hook for repo in yaml.safe_load(text(".pre-commit-config.yaml"))["repos"] for hook in repo["hooks"]]
    assert all(hook["language"] == "system" for hook in hooks), "the versions stand in requirements-dev.txt"
    developing = text("requirements-dev.txt")
    known = {"ruff": "ruff", "lint-imports": "import-linter", "mypy": "mypy"}
    for hook in hooks:
        program, *rest = hook["entry"].split()
        assert (rest[0] in NAMES) if program == "rewardlab" else f"\n{known[program]}==" in developing


PIN = re.compile(r"(?<![\w.-])([A-Za-z][\w.-]*)(?:\[[\w,-]+\])?==([0-9][\w.]*)")
OTHER_VERSIONS = {
    ("plugins/engines/openrlhf/rewardlab_openrlhf/requirements/cpu.txt", "transformers"): "openrlhf asks for this one",
    ("plugins/engines/verl/rewardlab_verl/requirements/cpu.txt", "transformers"): "verl pins this one",
    **{
        ("plugins/engines/verl/rewardlab_verl/requirements/gpu.txt", package): "verl's extra `vllm` pins this one"
        for package in ("torch", "transformers", "vllm")
    },
    ("plugins/engines/verl/rewardlab_verl/requirements/gpu.txt", "ray"): "that of verl's tests",
    ("plugins/engines/verl/rewardlab_verl/requirements/cpu.txt", "ray"): "verl's loop is tried with this one",
    ("plugins/engines/verl/rewardlab_verl/requirements/cpu.txt", "aiohttp"): "this ray asks for it",
    (
        "plugins/engines/openrlhf/rewardlab_openrlhf/requirements/cpu.txt",
        "tokenizers",
    ): "transformers 5.15 asks for this one",
}


def test_a_package_has_one_version_wherever_one_is_named():
    places = ("*.md", "*.toml", "requirements*", "docs/**/*.md", "docker/*", ".github/**/*.yml", "plugins/*/*/*.*")
    places += ("plugins/*/*/tests/*.md", "plugins/*/*/rewardlab_*/**/*.py", "plugins/*/*/rewardlab_*/**/*.txt")
    versions = {}
    for path in (path for place in places for path in ROOT.glob(place) if path.name != "CHANGELOG.md"):
        file = str(path.relative_to(ROOT))
        for name, version in PIN.findall(text(file)):
            package = re.sub(r"[-_.]+", "-", name).lower()
            if (file, package) not in OTHER_VERSIONS:
                versions.setdefault(package, {}).setdefault(version, set()).add(file)
    assert len(versions) > 100
    assert {"requirements.txt", "plugins/rewards/comet/rewardlab_comet/requirements.txt"} <= versions["torch"]["2.13.0"]
    assert {package: found for package, found in versions.items() if len(found) > 1} == {}


def test_the_lock_has_each_requirement_with_hashes_and_no_address():
    lines = text("requirements.lock").splitlines()
    locked = {line.partition("==")[0] for line in lines if re.match(r"[a-z]", line)}
    wanted = {re.sub(r"[_.]", "-", name.lower()) for name, _ in PIN.findall(text("requirements.txt"))}
    assert wanted - locked == {"torch"}
    blocks = re.split(r"\n(?=[a-z])", text("requirements.lock"))[1:]
    assert all("--hash=sha256:" in block for block in blocks)
    assert not re.search(r"https?:|file:|--index|--find-links", text("requirements.lock"))


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.stem)
def test_containers_copy_and_install_what_is_here(path):
    dockerfile = path.read_text(encoding="utf-8").replace("\\\n", " ")
    copied = [word for line in re.findall(r"^COPY (.*) \S+$", dockerfile, re.MULTILINE) for word in line.split()]
    assert {"core", "plugins", "pyproject.toml"} <= {*copied}
    for name in [*copied, *re.findall(r"(?:\./|/rewardlab/)?(plugins/\w[\w/.-]+)", dockerfile)]:
        assert (ROOT / name).exists(), name
    for command in re.findall(r"^RUN (.*)$", dockerfile, re.MULTILINE):
        subprocess.run(["bash", "-n", "-c", command], check=True)


def test_what_verl_pins_is_what_its_image_gets():
    """As its own distribution says, where it is installed."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        wanted = {line.partition(";")[0].strip() for line in requires("verl") if 'extra == "vllm"' in line}
    except PackageNotFoundError:
        pytest.skip("needs the environment of requirements-verl-cpu.txt")
    pinned = text("plugins/engines/verl/rewardlab_verl/requirements/gpu.txt").splitlines()
    assert {line for line in wanted if line.startswith(("torch==", "vllm==", "transformers=="))} <= {*pinned}


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.stem)
def test_containers_have_what_the_recipes_of_their_engine_need(path):
    """release/lists.py writes what a recipe needs into its head."""
    texts = [recipe.read_text(encoding="utf-8") for recipe in RECIPES.rglob("*.yaml")]
    commands = [re.findall(r"(?m)# pip install .*$", text)[0] for text in texts]
    needed = [set(re.findall(r"[\w-]+", command.partition("[")[2])) for command in commands]
    (extras,) = re.findall(r"\[([a-z,-]+)\]\"", path.read_text(encoding="utf-8"))
    assert set().union(*(extras for extras in needed if path.stem in extras)) <= {*extras.split(",")}


def test_scripts_can_be_run():
    for name in (".ci/run", ".ci/other_pythons"):
        assert (ROOT / name).stat().st_mode & 0o111
        subprocess.run(["bash", "-n", ROOT / name], check=True)


def test_what_the_rules_of_the_house_name_is_there():
    page = text("AGENTS.md")
    for file in re.findall(r"(?:tests|release|docs|\.ci)/[\w./-]*\w", page):
        assert (ROOT / file).exists() or file.startswith("tests/ROOM"), file


def test_the_table_of_engines_has_the_versions_that_are_installed():
    """As far as files of requirements name them: what an engine's own package brings, it alone says."""
    table = text("docs/environments.md").partition("<!-- engines -->\n")[2].partition("\n\n")[0]
    heads, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines())
    folder = "plugins/engines/{0}/rewardlab_{0}/requirements/{1}.txt"
    compared = 0
    for engine, image, *cells in rows:
        name, on_cpu = engine.split()[0], "CPU" in engine
        assert (ROOT / image.strip("`")).is_file() or "none" in image
        files = ["requirements.txt"] if name == "trl" else [folder.format(name, kind) for kind in ("gpu", "gpu-built")]
        pins = dict(PIN.findall("\n".join(map(text, [folder.format(name, "cpu")] if on_cpu else files))))
        for package, version in zip(heads[2:], cells, strict=True):
            if pinned := pins.get(package.lower()):
                assert version == pinned, (engine, package)
                compared += 1
        assert on_cpu or name == "trl" or engine == f"{name} {pins[name]}"
    assert compared >= 9


@pytest.mark.slow
def test_the_bench_of_trl_needs_no_package_of_the_tests():
    """The README's first commands install none, and benchmarks/equal_rewards.py is for whoever has typed these."""
    code = "import sys; sys.modules |= {'pytest': None, 'hypothesis': None}; import judge_server; "
    code += "from helpers import equal_rewards, learning, trl_batches"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT / "tests", check=True)


def test_contributing_says_which_plugins_import_which():
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("| plugin | also imports |")[2]
    told = {
        (plugin, imported)
        for plugins, imports in re.findall(r"^\| ([a-z_, ]+) \| ([a-z_, ]+) \|$", table, re.MULTILINE)
        for plugin in plugins.split(", ")
        for imported in imports.split(", ")
    }
    imported = set()
    for file in (ROOT / "plugins").rglob("*.py"):
        parts = file.relative_to(ROOT).parts
        package = next((part for part in parts if part.startswith("rewardlab_")), "")
        if package and "tests" not in parts and package != "rewardlab_verifiers":  # of the distribution trainers
            named = re.findall(r"^\s*(?:from|import) (rewardlab_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
            imported |= {(package, other) for other in named if other != package}
    assert {tuple(name.removeprefix("rewardlab_") for name in pair) for pair in imported} == told


def test_the_core_stays_small():
    """What plugins alone use belongs to the lowest of them."""
    files = [*(ROOT / "core/rewardlab").rglob("*.py")]
    assert len(files) <= 160
    assert sum(file.read_bytes().count(b"\n") for file in files) <= 18_500
