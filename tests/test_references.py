"""A spec names functions by their places: a wrong place is one error that says whose it is."""

import sys

import pytest

PLUGIN = """
from rewardlab import RewardSpec, hookimpl

LIMIT = 3

class Brief:
    def __init__(self, options, context):
        pass

    def score(self, items):
        return []

@hookimpl
def rewardlab_rewards():
    return [RewardSpec(name="brief", summary="brief", {})]
"""
RECIPE = """\
version: 1
model: {use: tiny}
dataset: {use: toy/counting}
reward: {components: {brief: {use: mine/brief}}, total: brief}
stages: [{use: rl, algorithm: grpo}]
"""
OWNER = "reward mine/brief (mine-rewards): "


@pytest.fixture
def told(offer, main, write):
    """Run a command with a plugin whose spec has these fields; what it printed, and its exit code."""

    def run(fields, *command, more=""):
        folder = offer("mine", PLUGIN.format(fields), module="mine")
        (folder / "slow.py").write_text(more)
        write("r.yaml", RECIPE)
        code, out, err = main(*command)
        return out + err, code

    yield run
    sys.modules.pop("slow", None)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ('build="gone.rewards:Brief"', "build='gone.rewards:Brief': there is no module gone"),
        ('build="mine.gone:Brief"', "build='mine.gone:Brief': there is no module mine.gone"),
        ('build="mine:Brif"', "build='mine:Brif': mine has no Brif; did you mean 'Brief'?"),
        ('build="mine:Brief", question="slow:ask"', "question='slow:ask': slow has no ask; there is none"),
        ('build="mine:LIMIT"', "build='mine:LIMIT': it is of type int, which cannot be called"),
    ],
)
def test_check_tells_a_wrong_place_and_whose_it_is(told, fields, says):
    printed, code = told(fields, "check", "r.yaml")
    assert code == 2
    assert f"error: r.yaml:4: reward.components.brief.use: {OWNER}{says}" in printed.splitlines()


@pytest.mark.parametrize("field", ["build", "laws=Laws(examples", "requires"])
def test_a_text_that_is_no_place_breaks_the_plugin(told, field):
    fields = {"build": 'build="Brief"', "requires": 'build="mine:Brief", requires="answer"'}
    fields = fields.get(field, 'build="mine:Brief", laws=__import__("rewardlab.laws").laws.Laws(examples="mine.Brief")')
    printed, code = told(fields, "check", "r.yaml")
    assert code == 2
    assert "is not a function: write 'package.module:name'" in printed


def test_plugins_check_imports_every_place(told):
    laws = 'laws=__import__("rewardlab.laws").laws.Laws(examples="slow:LIMIT")'
    printed, code = told(f'build="mine:Brief", {laws}', "plugins", "check", "mine", more="LIMIT = 3")
    assert (printed, code) == (f"error: {OWNER}examples='slow:LIMIT': it is of type int, which cannot be called\n", 2)


@pytest.mark.parametrize(
    ("name", "code", "says"), [("Brief", 0, ""), ("brief", 2, "slow cannot be imported: OSError: imported")]
)
def test_check_imports_nothing_where_the_name_is_there(told, name, code, says):
    more = "raise OSError('imported')\nclass Brief: 'never'"
    printed, ended = told(f'build="slow:{name}"', "check", "r.yaml", more=more)
    assert (ended, "imported" in printed, says in printed) == (code, bool(code), True), printed
