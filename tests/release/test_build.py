"""release/build.py: every distribution is built, looked into, and installed with all others."""

import json
import subprocess
import sys
import tomllib
import zipfile

import pytest
from helpers.each_case import each_case
from helpers.paths import ROOT
from rewardlab import __version__
from rewardlab.first_party import first_party

PROJECTS = [ROOT / "pyproject.toml", ROOT / "core/pyproject.toml", *sorted(ROOT.glob("plugins/*/*/pyproject.toml"))]
URLS = "published = true\n[urls]\n" + "".join(
    f'{name} = "https://rewardlab.example/{name}"\n' for name in ("Repository", "Documentation", "Changelog", "Issues")
)


def build(*arguments, folder=None):
    command = [sys.executable, str(ROOT / "release/build.py"), *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", timeout=600)


def project_of(path):
    return tomllib.loads(path.read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def checks():
    """The module release/wheel_checks.py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "release")
        import wheel_checks

        yield wheel_checks
    del sys.modules["wheel_checks"]


@each_case("path", PROJECTS)
def test_the_metadata_is_the_same_everywhere(path):
    ours, cores = project_of(path), project_of(PROJECTS[0])
    for key in ("version", "license", "license-files", "requires-python", "classifiers"):
        assert ours[key] == cores[key], key
    assert "urls" not in ours, "release/project.toml alone has them"
    assert (path.parent / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert ours["version"] == __version__


def test_what_is_said_of_pythons_is_what_is_checked(checks):
    said = {line.rpartition(" :: ")[2] for line in project_of(PROJECTS[0])["classifiers"] if "Python :: 3." in line}
    assert said == {*checks.PYTHONS}


def test_a_release_needs_the_projects_urls_and_that_it_is_published(tmp_path):
    project = tmp_path / "project.toml"
    lacking = {
        "published = true\n[urls]\nRepository = 'https://rewardlab.example'\n": "no Documentation, Changelog, Issues",
        URLS.replace("true", "false"): "published is not true",
    }
    for text, says in lacking.items():
        project.write_text(text, encoding="utf-8")
        done = build("--out", tmp_path / "dist", "--project", project)
        assert done.returncode == 2
        assert f"{says}; a release needs that" in done.stdout
        assert not (tmp_path / "dist").exists()


def test_nothing_is_written_over(tmp_path):
    (tmp_path / "old.whl").write_text("kept")
    done = build("--draft", "--out", tmp_path)
    assert (done.returncode, "is not empty" in done.stdout) == (2, True)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """The folder of a release whose other packages are those that are installed here, and what was printed."""
    folder = tmp_path_factory.mktemp("release")
    (folder / "project.toml").write_text(URLS, encoding="utf-8")
    out = folder / "dist"
    done = build("--out", out, "--project", folder / "project.toml", "--dependencies", "here")
    assert done.returncode == 0, done.stdout + done.stderr
    return out, done.stdout


@pytest.mark.slow
def test_all_distributions_are_built_and_fine(released):
    out, printed = released
    names = [project_of(path)["name"] for path in PROJECTS]
    assert [line.split()[0] for line in printed.splitlines()[1 : len(names) + 1]] == names
    assert f"{len(names)} distributions, nothing wrong" in printed
    assert len([*out.glob("*.whl")]) == len([*out.glob("*.tar.gz")]) == len(names)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "change", "says"),
    [
        ("rewardlab_format/py.typed", None, "no rewardlab_format/py.typed"),
        ("rewardlab_format/tests/test_x.py", ("", "x"), "rewardlab_format/tests/test_x.py does not belong into it"),
        ("LICENSE", ("Apache", "Another"), "no LICENSE, or another one"),
        ("METADATA", ("Python :: 3.13", "Python :: 2.7"), "no classifier Programming Language :: Python :: 3.13"),
        ("METADATA", ("rewardlab-core~=0.1.0", "rewardlab-core"), "it needs rewardlab-core, and not one"),
        ("METADATA", ("https://rewardlab.example/Issues", "https://else.example"), "project URLs {"),
        ("METADATA", ("text/markdown", "text/plain"), "no README as its description"),
        ("entry_points.txt", ("rewardlab_format", "rewardlab_formats"), "which is not in it"),
        ("entry_points.txt", ("[rewardlab]\nformat = rewardlab_format", ""), "no entry point"),
    ],
)
def test_a_fault_in_a_wheel_is_found(checks, released, tmp_path, file, change, says):
    (wheel,) = released[0].glob("rewardlab_format-*.whl")
    urls = tomllib.loads(URLS)["urls"]
    project = project_of(ROOT / "plugins/rewards/format/pyproject.toml")
    assert checks.wheel_problems(wheel, project, urls, ROOT / "LICENSE") == []
    broken = tmp_path / wheel.name
    rewrite(wheel, broken, file, change)
    found = checks.wheel_problems(broken, project, urls, ROOT / "LICENSE")
    assert len(found) == 1, found
    assert says in found[0]


def rewrite(wheel, target, file, change):
    """Copy a wheel with one file changed (what, to what), added, or (None) left out."""
    with zipfile.ZipFile(wheel) as packed, zipfile.ZipFile(target, "w") as changed:
        names = packed.namelist()
        for name in names:
            text = packed.read(name)
            if not name.endswith(file):
                changed.writestr(name, text)
            elif change is not None:
                old, new = (part.encode() for part in change)
                assert old in text
                changed.writestr(name, text.replace(old, new))
        if not any(name.endswith(file) for name in names):
            changed.writestr(file, change[1])


@pytest.fixture(scope="module")
def environments():
    """The module release/installed.py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "release")
        import installed

        yield installed
    del sys.modules["installed"]


@pytest.mark.nightly
def test_a_wheel_that_does_not_fit_the_others_is_found(environments, released):
    wheels = [wheel for wheel in released[0].glob("*.whl") if "pairwise" not in wheel.name]
    found = environments.installed_problems(wheels, "here")
    assert any("`rewardlab check quickstart` ends with 2" in problem for problem in found), found


@pytest.fixture(scope="module")
def wheels_alone(environments, released, tmp_path_factory):
    """Install by pip what the wheels alone offer, without an index: `wheels_alone("rewardlab-core")` returns `run`.

    `run(module, *arguments)` runs there, in a folder of its own, which `run.folder` is.
    """

    def install(wanted):
        folder = tmp_path_factory.mktemp("alone")
        python, done = environments.installed(folder / "env", ["--find-links", str(released[0]), wanted], "here")
        assert done.returncode == 0, done.stdout + done.stderr

        def run(*arguments):
            return environments.run(python, *map(str, arguments), cwd=str(folder))

        run.folder = folder
        return run

    return install


MISSING = """
import json
from rewardlab.commands.find import find_command
from rewardlab.errors import UserError
from rewardlab.first_party import first_party
from rewardlab.registry import Registry

def told(function, *arguments):
    try:
        return f"{function(*arguments)} is here"
    except UserError as error:
        return str(error)

registry, says = Registry(), {}
for name, plugin in first_party().items():
    for kind, use in map(str.split, plugin["components"]):
        found = told(registry.find_backend, use) if kind == "backend" else told(registry.find, kind, use)
        says.setdefault(name, {})[use] = found
    says.setdefault(name, {}).update({command: told(find_command, command) for command in plugin["commands"]})
print(json.dumps(says))
"""
FROM_A_CLONE = "at the root of a clone of rewardlab, pip install -c constraints.txt"
"""what a wheel says before the project is published, whose core knows no clone"""


@pytest.mark.slow
def test_the_core_alone_says_what_brings_each_command_and_component_that_it_lacks(wheels_alone):
    run = wheels_alone("rewardlab-core")
    (run.folder / "missing.py").write_text(MISSING)
    says = json.loads(run("missing").stdout)
    assert {project_of(path)["name"] for path in PROJECTS[2:]} == {
        row["distribution"] for row in first_party().values()
    }
    for name, found in says.items():
        brings = f"{FROM_A_CLONE} {first_party()[name]['distribution']} brings it"
        assert [text for text in found.values() if not text.endswith(brings)] == []
    (run.folder / "rows.jsonl").write_text('{"prompt": "1 + 1?", "answer": "2", "completions": ["2"]}\n')
    lacking = run("rewardlab", "score", "quickstart", "rows.jsonl", "-o", "out.jsonl")
    assert (lacking.returncode, lacking.stdout) == (2, "")
    assert f"no plugin 'math'; {FROM_A_CLONE} rewardlab-math brings it" in lacking.stderr
    helped = run("rewardlab", "--help").stdout
    for row in first_party().values():
        brings = f"{FROM_A_CLONE} {row['distribution']} brings it"
        for command, summary in row["commands"].items():
            lacking = run("rewardlab", command)
            assert (lacking.returncode, lacking.stdout) == (2, "")
            assert lacking.stderr == f"error: the command {command!r} is not installed; {brings}\n"
            assert f"{summary} ({brings})" in helped


@pytest.mark.slow
def test_training_alone_says_what_brings_the_engine_and_the_rewards_of_a_recipe(wheels_alone):
    lacking = wheels_alone("rewardlab-training")("rewardlab", "check", "quickstart")
    assert (lacking.returncode, lacking.stdout) == (2, "")
    assert f"no plugin 'math'; {FROM_A_CLONE} rewardlab-math brings it" in lacking.stderr
    assert f"no backend 'trl' is installed; {FROM_A_CLONE} rewardlab-trl brings it" in lacking.stderr


SHORT = ("stages.0.steps=20", "stages.1.steps=1", "stages.1.group_size=2", "stages.1.batch_size=4")
SHORT += ("stages.1.eval.prompts=6", "stages.1.eval.samples=2")


@pytest.mark.nightly
def test_the_readmes_recipe_runs_from_wheels_with_an_extra(wheels_alone):
    run = wheels_alone("rewardlab[trl]")
    rows = [{"question": f"What is {n} + 1?", "answer": str(n + 1)} for n in range(20)]
    (run.folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for arguments in (
        ("run", "quickstart", "--run-dir", "one", *SHORT),
        ("tables", "one"),
        ("new", "recipe", "rows.jsonl", "-o", "mine.yaml"),
        ("check", "mine.yaml"),
        ("plugins", "new", "mine"),
    ):
        done = run("rewardlab", *arguments)
        assert done.returncode == 0, (arguments, done.stderr)
    assert (run.folder / "one/models/1-rl/config.json").is_file()
    _, _, missing = run("rewardlab", "--help").stdout.partition("Not installed:\n")
    assert [line.split()[0] for line in missing.partition("\n\n")[0].splitlines()] == ["serve"], "an extra"
