"""Mistakes at the start of the tiny models' scripts end in a sentence, and before anything is built."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # starts processes

HERE = Path(__file__).parent


def told(script, *arguments):
    """What the script ends with; it must fail, and show no traceback."""
    command = [sys.executable, str(HERE / script), *map(str, arguments)]
    environment = {name: value for name, value in os.environ.items() if name != "REWARDLAB_COMET_PYTHON"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize("script", ["build.py", "embedder.py"])
def test_a_file_is_no_folder(script, tmp_path):
    (tmp_path / "file").touch()
    assert f"{tmp_path / 'file'}: File exists" in told(script, tmp_path / "file")


def test_a_python_without_comet_is_told_with_what_to_install(tmp_path):
    said = told("build.py", tmp_path / "out", "--comet-python", sys.executable)
    assert (
        f'{sys.executable} has no COMET: `{sys.executable} -m pip install unbabel-comet==2.2.7 "setuptools<82"`' in said
    )
    assert "No such file" in told("build.py", tmp_path / "out", "--comet-python", tmp_path / "python")
    assert list((tmp_path / "out").iterdir()) == []


def test_the_builder_of_comet_says_what_it_must_be_run_by(tmp_path):
    said = told("comet.py", tmp_path)
    assert f"{sys.executable} has no COMET" in said
    assert "`rewardlab env create comet`" in said


def test_a_port_that_is_taken_is_told_with_the_way_out():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = told("translator.py", "--port", taken.getsockname()[1])
    assert "Address already in use" in said
    assert "--port" in said
    assert "PB_TRANSLATOR_URL" in said


def test_a_number_that_is_no_port():
    assert told("translator.py", "--port", 99999).startswith("port 99999: no port.")
