"""Environments with packages in them: real pip, wheels and folders of this test, no network.

`slow_package` is a source folder whose build waits for a file, so that a test can look while pip is at work.
"""

import os
import signal
import subprocess
import sys
import time
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from rewardlab.errors import JobError
from rewardlab.workers import EnvironmentDefinition, InstallStep, Workers
from rewardlab_environments.managed import Environment

pytestmark = pytest.mark.slow

BACKEND = """
import os, pathlib, time, zipfile
gate = pathlib.Path({gate!r})

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with open(gate / "began", "a") as began:
        began.write(f"{{os.getpid()}}\\n")
    while not (gate / "open").exists():
        time.sleep(0.02)
    name = "slowpoke-1.0-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w") as wheel:
        for path, text in {files!r}.items():
            wheel.writestr(path, text)
    return name
"""
BUILDER = """
import sys
from pathlib import Path
from rewardlab.workers import EnvironmentDefinition, InstallStep
from rewardlab_environments.managed import Environment
step = InstallStep(requirements=Path(sys.argv[1]))
print(Environment(EnvironmentDefinition(name=sys.argv[2], steps=(step,))).provide())
"""


def wheel_files(name, version, code):
    info = f"{name}-{version}.dist-info"
    return {
        f"{name}.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }


def wheel(folder, name, version, code):
    path = folder / f"{name}-{version}-py3-none-any.whl"
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in wheel_files(name, version, code).items():
            archive.writestr(file, text)
    return path


@pytest.fixture(autouse=True)
def offline(tmp_path, monkeypatch):
    """A cache of the test's own, and no index: what pip finds lies in `tmp_path/wheels`."""
    (tmp_path / "wheels").mkdir()
    for name, value in {
        "XDG_CACHE_HOME": tmp_path / "cache",
        "PATH": "/usr/bin:/bin",  # no uv
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": tmp_path / "wheels",
        "PIP_RETRIES": "0",
        "PIP_TARGET": tmp_path / "elsewhere",  # where to install is not the user's to say here
    }.items():
        monkeypatch.setenv(name, str(value))


@pytest.fixture
def slow_package(tmp_path, write):
    """Requirements of one package whose build waits until the file gate/open is there."""
    gate = tmp_path / "gate"
    gate.mkdir()
    backend = BACKEND.format(gate=str(gate), files=wheel_files("slowpoke", "1.0", "arrived = True"))
    write("slowpoke/backend.py", backend)
    write(
        "slowpoke/pyproject.toml",
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        '[project]\nname = "slowpoke"\nversion = "1.0"\n',
    )
    return write("slow.txt", "./slowpoke\n")


def environment(requirements, name="toy", **more):
    return Environment(EnvironmentDefinition(name=name, steps=(InstallStep(requirements=requirements),), **more))


def folder_of(requirements, name="toy"):
    return environment(requirements, name).folder


@pytest.fixture
def builder(slow_package):
    """Processes that ask for the environment: `builder("toy")`. None of them is left."""
    processes = []

    def start(name="toy"):
        command = [sys.executable, "-c", BUILDER, str(slow_package), name]
        processes.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return processes[-1]

    yield start
    (slow_package.parent / "gate" / "open").touch()
    for process in processes:
        process.kill()
        process.communicate()


def until(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def began(requirements):
    """The processes that have begun to build the package so far."""
    path = requirements.parent / "gate" / "began"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.nightly
def test_one_of_two_processes_builds_and_the_other_takes_over_when_it_is_killed(slow_package, builder):
    first = builder()
    until(lambda: began(slow_package))
    second = builder()
    waiting = second.stderr.readline()
    assert waiting.startswith(f"waiting for process {first.pid}, which builds it: {folder_of(slow_package)}")
    first.kill()
    first.communicate()
    until(lambda: len(began(slow_package)) == 2)
    assert not alive(began(slow_package)[0])
    (slow_package.parent / "gate" / "open").touch()
    out, err = second.communicate(timeout=60)
    assert err.splitlines()[0].startswith("the environment of 'toy' is half-built: building it again in ")
    assert out.strip() == str(folder_of(slow_package) / "bin" / "python")
    subprocess.run([out.strip(), "-c", "import slowpoke; assert slowpoke.arrived"], check=True)
    assert len(began(slow_package)) == 2
    assert environment(slow_package, "toy").provide(pytest.fail) == out.strip()


@pytest.mark.nightly
def test_an_interrupted_build_leaves_no_process_running(slow_package, builder):
    interrupted, terminated = builder("one"), builder("two")
    until(lambda: len(began(slow_package)) == 2)
    interrupted.send_signal(signal.SIGINT)
    terminated.send_signal(signal.SIGTERM)
    for process in (interrupted, terminated):
        process.wait(10)
    until(lambda: not any(map(alive, began(slow_package))), seconds=3)
    for name in ("one", "two"):
        assert not (folder_of(slow_package, name) / "ready.json").exists()


def test_a_package_that_is_not_there_is_told_with_pips_own_words_and_no_secret(write, monkeypatch):
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://to-ken-in-user@127.0.0.1:9/simple")
    requirements = write("r.txt", "no-such-package==9\n")
    with pytest.raises(JobError) as failed:
        environment(requirements, "toy").provide(lambda line: None)
    text = str(failed.value)
    assert "ERROR: No matching distribution found for no-such-package==9" in text
    assert "once that is fixed: rewardlab env create toy (pip keeps what it has downloaded)" in text
    log = folder_of(requirements).parent / ".building" / f"{folder_of(requirements).name}.log"
    assert f"all that it said: {log}" in text
    assert "127.0.0.1:9" in log.read_text()
    assert "to-ken-in-user" not in text + log.read_text()
    assert log.stat().st_mode & 0o077 == 0
    assert not folder_of(requirements).exists()


def test_a_third_partys_worker_has_another_version_of_a_package_than_the_host(tmp_path, write, monkeypatch):
    wheel(tmp_path / "wheels", "collides", "2.0", "version = 2")
    monkeypatch.syspath_prepend(write("host/collides.py", "version = 1").parent)
    worker = write(
        "worker.py",
        """
        import collides

        class Model:
            def answer(self, requests):
                return [[request, collides.version] for request in requests]

        def build(settings, context):
            return Model()
        """,
    )
    python = environment(write("theirs.txt", "collides==2.0\n"), "theirs").provide(lambda line: None)
    with Workers() as workers:
        opener = workers.of(use="theirs/reward", python=python, device="cpu", threads=1, timeout=30.0)
        assert _ask(opener.open(worker, {}), ["a", "b"]) == [["a", 2], ["b", 2]]
        opener = workers.of(use="ours/reward", python=None, device="cpu", threads=1, timeout=30.0)
        assert _ask(opener.open(worker, {}), ["a"]) == [["a", 1]]


def _ask(worker, questions):
    import asyncio

    return asyncio.run(worker.ask(questions))


def test_a_distribution_of_the_host_goes_in_from_where_it_came(tmp_path, write, monkeypatch):
    path = wheel(tmp_path / "kept", "hosted", "1.0", "here = __file__")
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "-q", "--target", str(site), str(path)]
    subprocess.run(install, check=True, capture_output=True)
    monkeypatch.syspath_prepend(site)
    requirements = write("none.txt", "# nothing\n")
    python = environment(requirements, "toy", distributions=["hosted"]).provide(lambda line: None)
    there = subprocess.run([python, "-c", "import hosted; print(hosted.here)"], capture_output=True, text=True)
    assert there.stdout.startswith(os.path.dirname(os.path.dirname(python)))
    assert environment(requirements, "toy").provide(lambda line: None) != python


def as_wheel(folder, name):
    """A wheel of a distribution that is installed here, which is of Python alone."""
    found = distribution(name)
    path = folder / f"{name.replace('-', '_')}-{found.version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file in found.files:
            if ".." not in file.parts and file.suffix != ".pyc" and file.name not in ("INSTALLER", "direct_url.json"):
                archive.write(file.locate(), "/".join(file.parts))


@pytest.mark.nightly
def test_folders_that_hatchling_builds_share_one_environment_for_it(tmp_path, write, monkeypatch):
    wanted = ["hatchling", "editables"]
    for name in wanted:
        as_wheel(tmp_path / "wheels", name)
        needed = map(Requirement, distribution(name).requires or [])
        wanted += [one.name for one in needed if not one.marker or one.marker.evaluate({"extra": ""})]
    site = tmp_path / "site"
    for name in ("first", "second"):
        write(
            f"{name}/pyproject.toml",
            '[build-system]\nrequires = ["hatchling>=1.25"]\nbuild-backend = "hatchling.build"\n'
            f'[project]\nname = "{name}"\nversion = "1.0"\ndependencies = ["needed"]\n',
        )
        write(f"{name}/{name}.py", "import needed")
        install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", site]
        subprocess.run([*install, "-e", tmp_path / name], check=True, capture_output=True)
    wheel(tmp_path / "wheels", "needed", "1.0", "")
    monkeypatch.syspath_prepend(site)
    lines = []
    python = environment(write("none.txt", ""), distributions=["first", "second"]).provide(lines.append)
    code = "import first, second; print(first.__file__, second.__file__)"
    there = subprocess.run([python, "-c", code], capture_output=True, text=True)
    assert there.stdout.split() == [str(tmp_path / name / f"{name}.py") for name in ("first", "second")], there.stderr
    log = (Path(python).parents[2] / ".building" / f"{Path(python).parents[1].name}.log").read_text()
    assert "Installing build dependencies" not in log
