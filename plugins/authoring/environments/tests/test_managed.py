"""A managed environment is built once, by one process, and is whole or not used.

Nothing is installed here, so that a build is a virtual environment without pip: test_install has pip.
"""

import json
import resource
import subprocess
import threading

import pytest
from rewardlab.errors import JobError
from rewardlab.workers import EnvironmentDefinition, InstallStep
from rewardlab_environments.managed import Environment, exclusive_access


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # no uv
    return tmp_path / "cache" / "rewardlab" / "environments"


@pytest.fixture
def nothing(write):
    """Requirements without a line."""
    return write("nothing.txt", "# the standard library is enough\n")


def environment(requirements, name="toy", **more):
    return Environment(EnvironmentDefinition(name=name, steps=(InstallStep(requirements=requirements),), **more))


def folder_of(requirements, name="toy"):
    return environment(requirements, name).folder


def test_an_environment_is_built_once_and_then_only_looked_at(nothing, monkeypatch):
    said = []
    python = environment(nothing, "toy").provide(said.append)
    assert said[0] == f"building the environment of 'toy', once, in {folder_of(nothing)}"
    assert said[1].startswith("built the environment of 'toy' in")
    prefix = subprocess.run([python, "-c", "import sys; print(sys.prefix)"], capture_output=True, text=True).stdout
    assert prefix.strip() == str(folder_of(nothing))

    ready = json.loads((folder_of(nothing) / "ready.json").read_text())
    assert (ready["name"], ready["versions"], ready["installer"]) == ("toy", {}, "pip")
    assert ready["identity"]["steps"] == [{"requirements": [], "options": []}]

    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    assert environment(nothing, "toy").provide(said.append) == python
    assert len(said) == 2


@pytest.mark.slow
def test_what_was_interrupted_or_lost_its_python_is_built_again(nothing):
    python = environment(nothing, "toy").provide(lambda line: None)
    folder = folder_of(nothing)
    (folder / "ready.json").unlink()
    (folder / "left over").touch()
    said = []
    assert environment(nothing, "toy").provide(said.append) == python
    assert said[0] == f"the environment of 'toy' is half-built: building it again in {folder}"
    assert not (folder / "left over").exists()

    (folder / "bin" / "python").unlink()
    (folder / "bin" / "python").symlink_to("/gone/with/an/upgrade/python3")
    said.clear()
    assert environment(nothing, "toy").provide(said.append) == python
    assert said[0] == f"the environment of 'toy' is without its Python: building it again in {folder}"
    assert subprocess.run([python, "-c", ""]).returncode == 0


@pytest.fixture
def ask(nothing):
    """Ask for an environment in a thread: `ask("toy")` is the thread, what it was told, and the path, once known."""

    def start(name, barrier=None):
        said, pythons = [], []

        def run():
            if barrier:
                barrier.wait()
            pythons.append(environment(nothing, name).provide(said.append))

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread, said, pythons

    return start


@pytest.mark.slow
def test_others_wait_and_say_for_whom_while_another_name_does_not(nothing, ask):
    with exclusive_access(folder_of(nothing), "builds it", print):
        waiting, said, pythons = ask("toy")
        another, _, theirs = ask("another")
        another.join(10)
        assert theirs == [str(folder_of(nothing, "another") / "bin" / "python")]
        assert pythons == []
    waiting.join(10)
    assert pythons == [str(folder_of(nothing) / "bin" / "python")]
    (holder, _, _) = said
    assert holder.startswith("waiting for process ")
    assert f", which builds it: {folder_of(nothing)} (its log: " in holder


@pytest.mark.slow
def test_of_several_at_once_one_builds(ask):
    barrier = threading.Barrier(3)
    asked = [ask("toy", barrier) for _ in range(3)]
    for thread, _, _ in asked:
        thread.join(10)
    assert len({python for _, _, pythons in asked for python in pythons}) == 1
    assert sum(line.startswith("built") for _, said, _ in asked for line in said) == 1


def test_a_disk_that_takes_no_more_leaves_nothing_behind(nothing):
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limit[1]))  # the next file that grows beyond ends the build
    try:
        with pytest.raises(JobError) as failed:
            environment(nothing, "toy").provide(lambda line: None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert "the environment of 'toy' cannot be built; pip said last:" in str(failed.value)
    assert "File too large" in str(failed.value)
    assert "once that is fixed: rewardlab env create toy" in str(failed.value)
    assert not folder_of(nothing).exists()
    assert environment(nothing, "toy").provide(lambda line: None)


def test_a_cache_that_cannot_be_written_is_told(nothing, cache):
    cache.parent.mkdir(parents=True)
    cache.write_text("no folder")
    with pytest.raises(JobError, match=r"environments.*: Not a directory"):
        environment(nothing, "toy").provide(lambda line: None)
