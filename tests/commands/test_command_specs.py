"""Commands as modules: a stranger's own, and what follows from each declaration."""

import inspect
import json
import os
import subprocess
import sys

import pytest
import rewardlab
from helpers.each_case import each_case
from helpers.our_commands import NAMES, command_named
from rewardlab.commands.arguments import arguments_of
from rewardlab.commands.parsing import command_line, options_of, parser_of
from rewardlab.errors import UserError
from rewardlab.first_party import our_commands
from rewardlab.registry import Registry

TALLY = '''
from typing import Annotated, Literal
from rewardlab import CommandResult, Config, Flag, Overrides, Positional, PythonOnly

SUMMARY = "count things"


class Options(Config):
    """Count things."""

    file: Annotated[str, Positional("FILE")]
    """what to count"""
    overrides: Annotated[tuple[str, ...], Overrides()] = ()
    """changes"""
    limit: Annotated[int, Flag("-n", metavar="N")] = 3
    """the first N"""
    names: Annotated[dict[str, str], Flag("--name", metavar="NAME=TEXT")] = {}
    """names"""
    how: Literal["fast", "slow"] = "fast"
    """the way"""
    loud: bool = False
    """whether to shout"""
    secret: Annotated[int, PythonOnly()] = 0
    """for programs"""


def run(options):
    found = options.model_dump()
    return CommandResult(ok=options.limit < 9, text=f"{options.limit} of {options.file}", data=found, warnings=["slow"])
'''


@pytest.fixture
def call(main):
    """Runs `rewardlab ...`, and returns what it prints."""

    def run(*words, code=0):
        ended, out, err = main(*words)
        assert ended == code, out + err
        return out, err

    return run


def test_a_strangers_command_is_listed_with_its_origin_and_runs(call, offer):
    offer("odd", TALLY, "stranger", command="tally")
    offer("bad", "raise RuntimeError('no use')", "broken", command="worse")
    listed = call("--help")[0]
    assert "\n  tally     count things (stranger 1.0)\n" in listed
    assert "\n  worse     cannot be used (broken 1.0)\n" in listed
    assert call("tally", "x", "-n", "5", "a.b=1") == ("5 of x\n", "warning: slow\n")
    found = json.loads(call("tally", "x", "--limit", "9", "--name", "a=b", "--loud", "--json", code=1)[0])
    assert found == {
        "file": "x",
        "overrides": [],
        "limit": 9,
        "names": {"a": "b"},
        "how": "fast",
        "loud": True,
        "secret": 0,
    }
    assert "usage: rewardlab tally" in call("tally", "--help")[0]
    assert "the first N (3)" in call("tally", "--help")[0]
    assert "FILE is needed; found none" in call("tally", "a=b", code=2)[1]
    too_many = "error: it takes FILE and no more, found x, a:1; an override is written KEY=VALUE\n"
    assert call("tally", "x", "a:1", code=2)[1] == too_many
    assert "invalid choice: 'x'" in call("tally", "f", "--how", "x", code=2)[1]
    assert call("check", "--help")[0].startswith("usage: rewardlab check")


@pytest.mark.parametrize("name", ["tally", "score"])
def test_a_command_that_two_distributions_offer_is_refused_with_both_names(call, offer, name):
    offer("odd", TALLY, "stranger", command=name)
    if name == "tally":
        offer("even", TALLY, "other", command=name)
    other = "other 1.0" if name == "tally" else "rewardlab-core 0.1.0"
    error = call(name, "x", code=2)[1]
    assert f"the command '{name}' is offered by" in error
    assert other in error
    assert "stranger 1.0" in error
    call("--version")
    call("--help")


def test_the_same_distribution_twice_on_the_path_offers_its_command_once(call, offer, monkeypatch):
    monkeypatch.syspath_prepend(offer("odd", TALLY, "stranger", command="tally"))
    call("tally", "x")


def test_what_a_commands_module_lacks_is_told_with_its_distribution(call, offer):
    offer("odd", TALLY.replace("SUMMARY", "summary"), "stranger", command="tally")
    error = call("tally", "x", code=2)[1]
    assert error.startswith("error: the command 'tally' (stranger 1.0) cannot be used: AttributeError: module ")
    assert "has no attribute 'SUMMARY'" in error


def test_a_module_that_is_not_there_is_told_with_its_distribution(call, offer):
    folder = offer("odd", TALLY, "stranger", command="tally")
    (metadata,) = folder.glob("*.dist-info/entry_points.txt")
    metadata.write_text("[console_scripts]\nodd = odd:main\n\n[rewardlab.commands]\ntally=gone.tally\n[other]\na = b\n")
    cannot = "error: the command 'tally' (stranger 1.0) cannot be used"
    assert call("tally", "x", code=2)[1] == f"{cannot}: ModuleNotFoundError: No module named 'gone'\n"
    assert call("a", code=2)[1].startswith("error: no command 'a'")


def test_what_a_commands_module_prints_while_it_is_imported_is_not_in_the_output(call, offer):
    offer("odd", TALLY + "\nprint('hello')\n", "stranger", command="tally")
    assert json.loads(call("tally", "x", "--json")[0])["file"] == "x"


def test_the_hook_that_commands_had_says_what_is_written_now(offer):
    offer("odd", "from rewardlab import hookimpl\n\n@hookimpl\ndef rewardlab_commands():\n    return []\n")
    assert '[project.entry-points."rewardlab.commands"]' in Registry().plugin("odd").broken


def test_a_program_calls_a_strangers_command_by_its_name(offer):
    offer("odd", TALLY, "stranger", command="tally")
    found = rewardlab.tally("x", "a=1", limit=4, secret=2)
    assert (str(found), found.data["overrides"], found.ok) == ("4 of x", ("a=1",), True)


@pytest.mark.slow
def test_the_shell_completes_commands_and_flags(tmp_path):
    environment = {**os.environ, "_ARGCOMPLETE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "said")}
    for line, expected in (("rewardlab ta", {"tables"}), ("rewardlab tables --meas", {"--measure"})):
        given = {**environment, "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "\n"}
        subprocess.run([sys.executable, "-m", "rewardlab.cli", "x"], env=given, check=True)
        assert {word.strip() for word in (tmp_path / "said").read_text().split("\n")} == expected


@each_case("command", list(map(command_named, NAMES)))
def test_each_of_our_commands_is_declared_whole_and_has_a_function_of_its_name(command):
    assert command.summary == our_commands()[command.name]
    assert all(argument.help for argument in arguments_of(command.options))
    function = getattr(rewardlab, command.name)
    assert set(inspect.signature(function).parameters) == set(command.options.model_fields)
    with pytest.raises(TypeError, match="has no argument 'nonsense'"):
        function(nonsense=1)


def test_the_words_to_go_on_give_the_same_options_again():
    command = command_named("winrates")
    words = ["r.yaml", "seed=1", "--model", "a=a.jsonl", "--model", "b=b.jsonl", "-o", "out", "--missing", "leave-out"]
    options = options_of(command, parser_of(command).parse_intermixed_args(words))
    again = command_line(command.name, options, "--resume")
    assert again[:2] == ["rewardlab", "winrates"]
    read = options_of(command, parser_of(command).parse_intermixed_args(again[2:]))
    assert read == options.model_copy(update={"resume": True})


def test_a_wrong_value_names_the_flag_that_gave_it():
    with pytest.raises(UserError, match=r"--digits: Input should be less than or equal to 6"):
        rewardlab.tables({"a": "x"}, digits=9)
