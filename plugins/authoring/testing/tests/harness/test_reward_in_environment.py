"""A reward with an environment of its own is tried where `score` builds it: there, and not in the host."""

import os
import sys
import sysconfig
from dataclasses import replace

import pytest
from rewardlab import installed
from rewardlab.errors import JobError
from rewardlab.testing import check_reward
from rewardlab_testing.laws.run_laws import try_laws

pytestmark = pytest.mark.slow

PLUGIN = """
import sys
from rewardlab import Config, RewardSpec, Sample, Score, hookimpl
from rewardlab.laws import Laws, RewardExample
from rewardlab.specs import EnvironmentChoice

class Options(Config):
    environment: EnvironmentChoice = "managed"

class Longer:
    def __init__(self, options, context):
        import only_there  # what the host does not have

        self.longest = only_there.LONGEST

    def value(self, text):
        if "hang" in text:
            while True:
                pass
        return min(1.0, len(text) / self.longest)

    def score(self, items):
        return [Score(value=self.value(c.text), info={"prefix": sys.prefix}) for _, c in items]

class Grouped(Longer):
    async def score(self, stream):
        return [Score(value=self.value(c.text)) for c in (await stream.group()).completions]

def examples():
    return [RewardExample(sample=Sample(id="s"), good=["a long text"], bad=["short"])]

@hookimpl
def rewardlab_rewards():
    laws = Laws(examples=examples)
    more = dict(summary="s", config=Options, runs="worker", environment="requirements.txt", laws=laws)
    return [
        RewardSpec(name="longer", build=Longer, timeout=0.5, on_timeout=0.0, **more),
        RewardSpec(name="grouped", build=Grouped, scope="group", **more),
    ]
"""


@pytest.fixture
def there(offer, tmp_path):
    """The interpreter of an environment that has what the plugin `there` needs, and the host lacks."""
    offer("there", PLUGIN)
    environment = tmp_path / "environment"
    packages = environment / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    packages.mkdir(parents=True)
    (environment / "bin").mkdir()
    (environment / "bin" / "python").symlink_to(os.path.realpath(sys.executable))
    (environment / "pyvenv.cfg").write_text(f"home = {sysconfig.get_config_var('BINDIR')}\n")
    (packages / "host.pth").write_text("\n".join(filter(None, sys.path)))
    (packages / "only_there.py").write_text("LONGEST = 20")
    return str(environment / "bin" / "python")


def states(name, *laws, **options):
    plugin = installed().plugin("there")
    [result] = try_laws(plugin.specs["reward", name], plugin=plugin, given=options, tries=1, only=laws)
    return {outcome.law: (outcome.state, outcome.why) for outcome in result.outcomes}


def test_the_laws_of_a_reward_are_tried_in_its_environment(there):
    found = states("longer", "range", "order", "repeat", environment={"python": there})
    assert found == dict.fromkeys(["range", "order", "repeat"], ("held", ""))


@pytest.mark.slow
def test_of_group_scope_and_in_another_process(there):
    found = states("grouped", "order", "arrival", "worker", environment={"python": there})
    assert found == dict.fromkeys(["order", "arrival", "worker"], ("held", ""))


@pytest.mark.slow
def test_what_hangs_there_is_killed_and_has_the_score_of_hosts(there):
    plugin = installed().plugin("there")
    spec = plugin.specs["reward", "longer"]
    example = replace(spec.laws.examples()[0], bad=["hang"])
    options = {"environment": {"python": there}}
    [result] = try_laws(spec, plugin=plugin, examples=[example], given=options, tries=1, only=["range", "order"])
    assert [(outcome.state, outcome.why) for outcome in result.outcomes] == [("held", "")] * 2


def test_what_cannot_be_built_there_is_no_broken_law(there, tmp_path):
    next(tmp_path.glob("environment/lib/*/site-packages/only_there.py")).unlink()
    options = {"environment": {"python": there}}
    found = states("longer", "range", "order", **options)
    assert {state for state, _ in found.values()} == {"unbuilt"}
    why = "there/longer cannot be built: ModuleNotFoundError: No module named 'only_there'"
    assert found["order"][1].startswith(why)
    with pytest.raises(JobError, match=f"^{why}"):
        check_reward("there/longer", options=options, tries=1)


def test_the_command_says_that_it_could_not_be_built(there, main, tmp_path):
    next(tmp_path.glob("environment/lib/*/site-packages/only_there.py")).unlink()
    code, out, _ = main("plugins", "check", "there/longer", f"environment={{python: {there}}}", "--tries", "1")
    assert code == 1
    table, broken, *_, summary = out.split("\n\n")
    assert table.splitlines()[-1].split()[1:] == ["24", "laws", "could", "not", "be", "built"]
    assert "breaks" not in broken
    assert "ModuleNotFoundError: No module named 'only_there'" in broken
    assert " could not be built, " in summary


def test_without_an_installed_plugin_its_environment_cannot_find_it(there):
    spec = installed().plugin("there").specs["reward", "longer"]
    [result] = try_laws(spec, given={"environment": {"python": there}}, tries=1, only=["range"])
    assert (result.outcomes[0].state, "offered by an installed plugin" in result.outcomes[0].why) == ("untried", True)
