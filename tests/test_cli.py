"""Manners of the command line: usage, exit codes, streams, pipes."""

import io
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys

import pytest
from helpers.each_case import each_case
from helpers.our_commands import NAMES
from rewardlab import __version__

COMMAND = [sys.executable, "-m", "rewardlab.cli"]


def test_no_arguments_show_what_there_is(main):
    code, out, err = main()
    assert (code, out) == (2, "")
    assert err.startswith("usage: rewardlab COMMAND")
    assert all(f"\n  {name} " in err for name in NAMES)


@pytest.mark.parametrize("flag", ["-h", "--help", "help"])
def test_help_is_no_mistake(main, flag):
    code, out, err = main(flag)
    assert (code, err) == (0, "")
    assert out.startswith("usage: rewardlab COMMAND")


def test_version(main):
    assert main("--version") == (0, f"rewardlab {__version__}\n", "")


@each_case("name", NAMES)
def test_every_command_says_how_it_is_used(main, name):
    code, out, err = main(name, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: rewardlab {name}")


def test_an_unknown_command_gets_the_nearest_one(main):
    code, out, err = main("chek", "r.yaml")
    assert (code, out) == (2, "")
    assert err == (
        "error: no command 'chek'; did you mean 'check'?\n"
        "usage: rewardlab COMMAND ...; `rewardlab --help` lists the commands\n"
    )


def test_the_help_of_a_command_is_what_help_and_its_name_ask_for(main):
    assert main("help", "check") == main("check", "--help")


def test_an_option_before_the_command_is_told_its_place(main):
    assert (
        main("--json", "check", "r.yaml")[2] == "error: --json comes before a command; write rewardlab check --json\n"
    )


@each_case("name", NAMES)
def test_the_usage_of_a_command_shows_each_argument_once(main, name):
    usage = main(name, "--help")[1].partition("\n\n")[0].split()
    assert len([word for word in usage if "KEY=VALUE" in word]) < 2


@each_case(
    "arguments, says",
    [
        (["check"], "the following arguments are required: RECIPE [KEY=VALUE ...] [ROWS.jsonl]\n"),
        (["check", "r.yaml", "--jsn"], "unrecognized arguments: --jsn; did you mean '--json'?\n"),
        (
            ["run", "r", "--seed", "3"],
            "unrecognized arguments: --seed 3; keys of a recipe have no dashes: seed=VALUE\n",
        ),
        (["run", "r", "--stages.1.steps=3"], "keys of a recipe have no dashes: stages.1.steps=VALUE\n"),
        (["ledger", "run"], "the following arguments are required: -o"),
    ],
)
def test_wrong_arguments_get_the_usage(main, arguments, says):
    code, out, err = main(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"usage: rewardlab {arguments[0]}")
    assert says in err


def test_words_that_are_no_one_name_get_the_commands_of_plugins(main):
    code, out, err = main("plugins", "a", "b")
    assert (code, out) == (2, "")
    assert err == "error: one name, not 'a b'; the commands are new, check: `rewardlab plugins --help`\n"


def test_a_terminal_that_is_not_utf8_gets_escapes(main, write, monkeypatch):
    write("中.yaml", "version: 1\nreward: {components: {a: {use: toy/letters}}, total: a}\n")
    said = io.BytesIO()
    with io.TextIOWrapper(said, "ascii") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert main("check", "中.yaml")[0] == 0
        assert said.getvalue().startswith(b"\\u4e2d.yaml: fine\n")
        said.truncate(0)
        assert main("check", "中.yaml", "--json", "reward.total=\U0001f600")[0] == 2
        assert "=\U0001f600'" in json.loads(said.getvalue().lstrip(b"\0"))["problems"][0]["where"]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["--help"], ["plugins"], ["plugins", "--json"]])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_gets_no_traceback(toy_environment, arguments, unbuffered):
    read, wrote = os.pipe()
    os.close(read)
    environment = {**toy_environment, "PYTHONUNBUFFERED": unbuffered}
    command = subprocess.Popen([*COMMAND, *arguments], stdout=wrote, stderr=subprocess.PIPE, env=environment)
    os.close(wrote)
    assert command.communicate(timeout=60)[1] == b""
    assert command.returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code"), [("--help >&-", 0), ("--help 2>&-", 0), ("plugins <&- >&- 2>&-", 0), ("nope >&-", 2)]
)
def test_closed_streams_are_no_fault(toy_environment, tmp_path, command, code):
    line = f"exec {shlex.join(COMMAND)} {command}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, env=toy_environment, cwd=tmp_path)
    assert (done.returncode, b"Traceback" in done.stderr, b"fault" in done.stderr) == (code, False, False)


@pytest.mark.parametrize("error", ["GeneratorExit()", "SystemExit(0)", "ValueError('no')"])
def test_nothing_that_a_plugin_raises_ends_a_command_in_silence(main, write, offer, error):
    offer(
        "odd",
        f"""
        from rewardlab import DatasetSpec, hookimpl

        class Rows:
            def __iter__(self):
                raise {error}
                yield

        @hookimpl
        def rewardlab_datasets():
            return [DatasetSpec(name="rows", summary="none", build=lambda options, context: Rows())]
        """,
    )
    write(
        "r.yaml",
        """
        version: 1
        model: {use: tiny}
        dataset: {use: odd/rows}
        reward: {components: {brevity: {use: toy/brevity}}, total: brevity}
        stages: [{use: eval, samples: 2}]
        backend: {use: toy}
        """,
    )
    code, out, err = main("run", "r.yaml")
    assert code in (1, 2)
    assert "Traceback" not in out + err
    assert error.partition("(")[0] in err


ENDING = """
import os, signal, sys
sys.argv = ["rewardlab", "--version"]
from rewardlab.cli import main

code = main()
os.kill(os.getpid(), signal.SIGINT)
sys.exit(code)
"""


def test_an_interrupt_while_python_ends_prints_no_traceback():
    done = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), (["nocommand"], 2), (["check", "no.yaml"], 2)])
def test_what_cannot_be_told_for_lack_of_room_changes_no_exit_code(arguments, code):
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "rewardlab", *arguments]
        assert subprocess.run(command, stdout=subprocess.PIPE, stderr=full, timeout=60).returncode == code


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_rows_are_scored_though_there_is_no_room_for_notes(tmp_path):
    recipe = {"version": 1, "reward": {"components": {"box": {"use": "format/boxed"}}, "total": "box"}}
    (tmp_path / "r.yaml").write_text(json.dumps(recipe))
    (tmp_path / "rows.jsonl").write_text('{"prompt": "?", "completions": ["no"]}\n' * 30)
    command = [sys.executable, "-m", "rewardlab", "score", "r.yaml", "rows.jsonl", "-o", "out.jsonl"]
    with open("/dev/full", "w") as full:
        environment = os.environ | {"REWARDLAB_PROGRESS_S": "0.000001"}
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=full, timeout=60, env=environment)
    assert done.returncode in (0, 1), "1 where stdout is full, too"
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 30
    (tmp_path / "out.jsonl").unlink()
    shutil.rmtree(tmp_path / "out.jsonl.state", ignore_errors=True)
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=full, timeout=60, env=environment)
    assert done.returncode == 0
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 30


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_disk_is_one_line(toy_environment):
    with open("/dev/full", "w") as full:
        result = subprocess.run([*COMMAND, "--help"], stdout=full, stderr=subprocess.PIPE, env=toy_environment)
    assert result.returncode == 1
    assert result.stderr == b"error: the system: No space left on device\n"


def test_the_installed_script_is_this_command_line():
    script = os.path.join(os.path.dirname(sys.executable), "rewardlab")
    result = subprocess.run([script, "--version"], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, f"rewardlab {__version__}\n")


def test_windows_is_refused_before_anything_of_posix_is_imported():
    """As on Windows: another platform's name, and none of the modules that only POSIX has."""
    program = """
import os, sys
os.name, sys.platform = "nt", "win32"
for name in ("fcntl", "grp", "posix", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
from rewardlab.cli import main
sys.exit(main(["check", "recipe.yaml"]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: rewardlab runs on Linux and macOS; on Windows, use it in WSL (wsl --install)\n"
