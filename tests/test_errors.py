"""What people read of an exception: where it was raised, and no traceback unless they ask for one."""

import json
from textwrap import dedent

import pytest
from helpers.secrets_of_tests import forget_secrets
from rewardlab.errors import JobError, one_line, one_line_at, plugin_line
from rewardlab.text.redaction import note_secrets
from rewardlab_testing.commands import plugins

PLUGIN = """
import json
from rewardlab import RewardSpec, Score, hookimpl

class Reward:
    def score(self, items):
        return [Score(value=1.0)] * len(items)

def build(options, context):
    {build}
    return Reward()

{top}

@hookimpl
def rewardlab_rewards():
    return [RewardSpec(name="mine", summary="mine", build=build)]
"""
RECIPE = "version: 1\nreward: {components: {mine: {use: mine/mine}}, total: mine}\n"
ROW = {"id": "a", "prompt": "1 + 1?", "completions": ["2"]}


@pytest.fixture
def score(main, offer, write):
    """`score(build=..., top=...)`: what `rewardlab score` says with a plugin of one's own that has these lines."""

    def scored(build="pass", top=""):
        code = PLUGIN.format(build=build, top=top)
        folder = offer("mine", code)
        write("r.yaml", RECIPE)
        write("rows.jsonl", json.dumps(ROW))
        (module,) = folder.glob("plugin_mine*.py")
        lines = dedent(code).splitlines()
        return main(
            "score", "r.yaml", "rows.jsonl", "-o", "out.jsonl"
        ), lambda text: f"{module}:{lines.index(text) + 1}"

    return scored


@pytest.mark.parametrize(
    ("top", "says"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("undefined_name", "NameError: name 'undefined_name' is not defined"),
        ('json.loads("{")', "JSONDecodeError: "),
        ("def f(:", "SyntaxError: "),
    ],
)
def test_a_plugin_that_cannot_be_imported(score, top, says):
    (code, out, err), line = score(top=top)
    assert (code, out) == (2, "")
    assert says in err
    assert line(top) in err
    assert "Traceback" not in err


def test_a_reward_that_cannot_be_built(score):
    (code, out, err), line = score(build="return json.loads('[')")
    assert (code, out) == (1, "")
    assert "error: component 'mine' (mine/mine) could not be built: JSONDecodeError: " in err
    assert line("    return json.loads('[')") in err


def test_what_no_plugin_raised_has_no_place():
    assert one_line_at(ValueError("no")) == "ValueError: no"


class TestAFault:
    """An exception that nobody expected."""

    @pytest.fixture
    def fault(self, main, monkeypatch):
        def said(*arguments, error=None):
            def run(options):
                raise error or TypeError("the key is abcdefgh")

            monkeypatch.setattr(plugins, "run", run)
            note_secrets(["abcdefgh"])
            return main("plugins", *arguments)

        return said

    def test_is_told_without_a_traceback(self, fault):
        code, out, err = fault()
        first, second = err.splitlines()
        assert (code, out) == (1, "")
        assert first.startswith("error: TypeError: the key is *** (")
        assert second == "error: this is a bug in rewardlab or in a plugin; --traceback shows where"

    def test_has_one_for_who_asks(self, fault, monkeypatch):
        shown = fault("--traceback")[2]
        monkeypatch.setenv("REWARDLAB_TRACEBACK", "1")
        assert fault()[2] == shown
        assert shown.startswith("Traceback (most recent call last):\n")
        assert "TypeError: the key is ***\nerror: TypeError: the key is ***" in shown
        assert "abcdefgh" not in shown
        assert shown.endswith("error: this is a bug in rewardlab or in a plugin\n")
        monkeypatch.setenv("REWARDLAB_TRACEBACK", "0")
        assert "Traceback" not in fault()[2]

    def test_so_has_an_error_that_was_expected(self, fault):
        assert "Traceback" not in fault(error=JobError("the disk"))[2]
        shown = fault("--traceback", error=JobError("the disk"))[2]
        assert shown.startswith("Traceback (most recent call last):\n")
        assert shown.endswith("error: the disk\n")


def test_a_cut_leaves_no_half_of_a_secret():
    note_secrets(["sk-SECRETSECRETSECRET"])
    try:
        assert "SECRET" not in one_line(ValueError("p" * 270 + "sk-SECRETSECRETSECRET"))
        assert one_line(ValueError("http://bob:" + "x" * 400 + "@host")).endswith("http://***@host")
    finally:
        forget_secrets()


@pytest.mark.parametrize("host", ["rewardlab_measure", "rewardlab_testing"])
def test_a_plugin_of_ours_that_calls_others_is_not_where_their_exceptions_come_from(host):
    scope = {}
    exec(compile("def fails():\n    return 1 / 0", "/x/rewardlab_mine/reward.py", "exec"), scope)
    calls = compile("fails()", f"/x/{host}/job.py", "exec")
    with pytest.raises(ZeroDivisionError) as raised:
        exec(calls, scope)
    error = raised.value.with_traceback(raised.value.__traceback__.tb_next)  # without this test's own line
    assert plugin_line(error) == "/x/rewardlab_mine/reward.py:2"
