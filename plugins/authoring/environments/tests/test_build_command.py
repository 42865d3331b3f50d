"""One command of a build: what of its output is kept, and what is taken out of it."""

import os
import sys

import pytest
from rewardlab_environments.build_command import CommandError, run_command


@pytest.fixture
def run(tmp_path):
    """`run(program)` runs Python code as a command of a build and is (its log, what progress was told)."""

    def command(program, **variables):
        lock = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
        told = []
        try:
            with open(tmp_path / "log", "w") as log:
                python = [sys.executable, "-I", "-S", "-c", program]
                given = {"lock": lock, "log": log, "progress": told.append, "variables": variables}
                run_command(python, cwd=tmp_path, **given)
        finally:
            os.close(lock)
        return (tmp_path / "log").read_text(), told

    return command


def test_no_user_information_of_a_url_is_logged_or_told(run, tmp_path):
    program = "print('Looking in http://user:pa-ss@host/simple'); import sys; sys.exit(1)"
    with pytest.raises(CommandError) as failed:
        run(program)
    assert str(failed.value) == "Looking in http://***@host/simple"
    assert "pa-ss" not in (tmp_path / "log").read_text()


def test_the_users_configuration_counts_and_where_to_install_does_not(run, monkeypatch):
    monkeypatch.setenv("PIP_TIMEOUT", "3")
    monkeypatch.setenv("PIP_TARGET", "/elsewhere")
    monkeypatch.setenv("VIRTUAL_ENV", "/elsewhere")
    program = "import os; print(*(os.environ.get(n) for n in ('PIP_TIMEOUT', 'PIP_TARGET', 'VIRTUAL_ENV', 'OPS')))"
    assert run(program, OPS="0")[1] == ["3 None None 0"]


def test_what_says_nothing_is_told_by_its_code(run):
    with pytest.raises(CommandError, match="it printed nothing and exited with code 3"):
        run("import sys; sys.exit(3)")
