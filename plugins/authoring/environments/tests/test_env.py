"""`rewardlab env`: what is built, listed and taken away, and what it says."""

import json
import subprocess

import pytest
from rewardlab.workers import EnvironmentDefinition, InstallStep
from rewardlab_environments.managed import Environment, exclusive_access

PLUGIN = """
import rewardlab
from rewardlab import RewardSpec, hookimpl

@hookimpl
def rewardlab_rewards():
    made = dict(summary="apart", build=lambda options, context: None, environment="requirements.txt")
    return [RewardSpec(name="one", **made), RewardSpec(name="two", **made)]
"""


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # no uv
    return tmp_path / "cache" / "rewardlab" / "environments"


@pytest.fixture
def apart(offer):
    """An installed plugin whose two rewards need an environment (of nothing)."""
    folder = offer("apart", PLUGIN)
    (folder / "requirements.txt").write_text("# nothing\n")
    step = InstallStep(requirements=folder / "requirements.txt")
    return Environment(EnvironmentDefinition(name="apart", steps=(step,)))


@pytest.fixture
def half_built(cache):
    """What a killed build leaves."""
    folder = cache / "old-0123456789ab"
    folder.mkdir(parents=True)
    (folder / "file").write_bytes(b"0" * 5000)
    return folder


def test_create_prints_the_python_and_how_to_use_it(main, apart):
    python = f"{apart.folder}/bin/python\n"
    code, out, err = main("env", "create", "apart")
    assert (code, out) == (0, python)
    assert "building the environment of 'apart'" in err
    assert "recipes use it automatically; one of your own instead: environment: {python: PATH} of apart/..." in err
    code, out, err = main("env", "create", "apart")
    assert (code, out) == (0, python)
    assert "building" not in err


def test_list_shows_what_is_there_and_who_asks_for_it(main, apart, half_built):
    main("env", "create", "apart")
    code, out, _ = main("env", "list", "--json")
    ready, half = json.loads(out)
    assert code == 0
    assert (ready["name"], ready["key"], ready["state"]) == ("apart", apart.key, "ready")
    assert (ready["asked_for_by"], half["asked_for_by"]) == (["apart"], [])
    assert ready["python"] == f"{apart.folder}/bin/python"
    assert (half["name"], half["state"], half["built"]) == ("old", "half-built", None)
    assert half["bytes"] >= 5000

    with exclusive_access(half_built, "builds it", print):
        code, out, _ = main("env", "list")
    heading, ready_line, half_line = out.splitlines()
    assert heading.split() == ["name", "key", "state", "size", "built", "asked", "for", "by"]
    assert ready_line.endswith("  apart")
    assert "being built" in half_line
    assert half_line.endswith("nothing here (stale)")


def test_an_empty_list_says_where_environments_come_from(main):
    code, out, err = main("env", "list")
    assert (code, err) == (0, "")
    assert out == "no environments; a recipe that needs one builds it, or `rewardlab env create NAME`\n"
    assert main("env", "list", "--json") == (0, "[]\n", "")


def test_stale_ones_are_removed_and_no_others(main, apart, half_built):
    main("env", "create", "apart")
    with exclusive_access(half_built, "builds it", print):
        assert main("env", "remove", "--stale")[2] == "nothing is stale\n"
    code, out, _ = main("env", "remove", "--stale")
    assert (code, out) == (0, "removed old-0123456789ab (0 MB)\n")
    assert apart.folder.exists()
    assert not half_built.exists()


@pytest.mark.parametrize("word", ["old", "0123456789ab", "old-0123456789ab"])
def test_one_is_removed_by_its_name_or_key(main, half_built, word):
    assert main("env", "remove", word)[0] == 0
    assert not half_built.exists()


def test_what_is_in_use_or_being_built_stays(main, apart, half_built):
    main("env", "create", "apart")
    program = "import sys; print(flush=True); sys.stdin.read()"
    python, pipes = apart.folder / "bin" / "python", {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([python, "-c", program], **pipes) as user:
        user.stdout.readline()
        code, _, err = main("env", "remove", "apart")
        assert (code, err) == (2, f"error: {apart.folder}: in use by process {user.pid}; end it first\n")
        user.stdin.close()
    assert main("env", "remove", "apart")[0] == 0

    with exclusive_access(half_built, "builds it", print):
        code, _, err = main("env", "remove", "old")
    assert code == 2
    assert err.startswith(f"error: {half_built}: not removed, because of process ")
    assert half_built.exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["create"], "which one? rewardlab env create NAME, an installed plugin"),
        (["create", "apert"], "no plugin 'apert' with an environment of its own; did you mean 'apart'?"),
        (["create", "openrlfh"], "no plugin 'openrlfh' with an environment of its own; did you mean 'openrlhf'?"),
        (["create", "math"], "plugin 'math' has no separate environment: it lives in this one"),
        (["create", "apart", "--cpu"], "--cpu: apart has no separate environment for a CPU alone"),
        (["create", "apart", "--stale"], "--stale goes with `rewardlab env remove`"),
        (["list", "apart"], "`rewardlab env list` lists all environments; it takes no name"),
        (["remove"], "which ones? rewardlab env remove NAME or KEY, as `rewardlab env list` shows them, or --stale"),
        (["remove", "odl"], "no environment 'odl'; did you mean 'old'?"),
    ],
)
def test_mistakes(main, apart, half_built, arguments, says):
    code, out, err = main("env", *arguments)
    assert (code, out, err) == (2, "", f"error: {says}\n")
