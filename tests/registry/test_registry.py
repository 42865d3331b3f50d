"""Plugins are found through entry points; a broken one is a row, and stops only what names it."""

import pytest
import yaml
from helpers.each_case import each_case
from rewardlab import RewardSpec
from rewardlab.errors import UserError
from rewardlab.registry import Registry, pip_install
from rewardlab.specs.entry_points import entry_points_of

BREVITY = """
from rewardlab import RewardSpec, hookimpl

@hookimpl
def rewardlab_rewards():
    return [RewardSpec(name="brevity", summary="short answers", build=lambda options, context: None)]
"""


def problem(kind, use, registry=None):
    with pytest.raises(UserError) as caught:
        (registry or Registry()).find(kind, use)
    return str(caught.value)


# --- finding


def test_an_installed_distribution_is_found_by_its_entry_point(toy):
    plugin = Registry().plugin("toy")
    assert (plugin.distribution, plugin.version, plugin.broken) == ("toy-rewards", "1.2.0", None)
    offered = set(plugin.specs)
    assert {
        ("reward", "brevity"),
        ("judge", "polite"),
        ("dataset", "counting"),
        ("curriculum", "reversed"),
        ("normalizer", "halved"),
    } <= offered


def test_first_party_plugins_come_in_through_the_same_door():
    registry = Registry()
    names = {"math", "format", "language", "pairwise", "normalize", "curriculum", "data"}
    assert names <= set(registry.names())
    assert [(p.name, p.broken) for p in registry if p.name in names and p.broken] == []


def test_the_same_distribution_twice_on_the_path_is_one_plugin(offer, monkeypatch):
    folder = offer("mine", BREVITY)
    monkeypatch.syspath_prepend(folder)
    assert Registry().plugin("mine").broken is None


def test_find_gives_the_spec(toy):
    spec = Registry().find("reward", "toy/brevity")
    assert isinstance(spec, RewardSpec)
    assert (spec.name, spec.scope, spec.range, spec.runs) == ("brevity", "completion", (0.0, 1.0), "inline")


def test_only_what_is_named_is_loaded(offer):
    offer("fine", BREVITY)
    offer("loud", "raise AssertionError('loaded without need')")
    registry = Registry()
    assert registry.find("reward", "fine/brevity").name == "brevity"
    assert list(registry._loaded) == ["fine"]


# --- names that are not there


@each_case(
    "kind, use, says",
    [
        ("reward", "toy/brevety", "plugin 'toy' has no reward 'brevety'; did you mean 'toy/brevity'?"),
        ("reward", "serve/brevity", "no plugin 'serve'; rewardlab-serve has no components"),
        ("reward", "toi/brevity", "no plugin 'toi'; did you mean 'toy/brevity'?"),
        ("judge", "toy/brevity", "plugin 'toy' has no judge 'brevity'; toy/brevity is a reward"),
        ("reward", "brevity", "no reward 'brevity'; did you mean 'toy/brevity'?"),
        ("reward", "math", "no reward 'math'; there is 'math/accuracy'"),
        ("reward", "nothing", "no reward 'nothing'; write <plugin>/<name>"),
    ],
)
def test_a_wrong_name_gets_the_nearest_one(toy, kind, use, says):
    assert problem(kind, use) == says


def test_a_name_unlike_any_other_gets_the_names_that_there_are(toy):
    said = problem("normalizer", "toy/zzz")
    assert said == "plugin 'toy' has no normalizer 'zzz'; there is 'toy/halved'"
    assert problem("reward", "qqq/zzz").startswith("no plugin 'qqq'; there are ")


# --- broken plugins

BROKEN = {
    "import error": (
        "import no_such_module_anywhere",
        "ModuleNotFoundError: No module named 'no_such_module_any",
    ),
    "syntax error": ("def", "SyntaxError: "),
    "exit at import": ("raise SystemExit('no licence found')", "SystemExit: no licence found"),
    "error in a hook": (
        """
        from rewardlab import hookimpl

        @hookimpl
        def rewardlab_judges():
            raise RuntimeError("no judge today")
        """,
        "RuntimeError: no judge today",
    ),
    "no such hook": (
        """
        from rewardlab import hookimpl

        @hookimpl
        def rewardlab_reward():
            return []
        """,
        "rewardlab_reward is not a hook; did you mean rewardlab_rewards, with @hookimpl above it?",
    ),
    "forgotten mark": (
        """
        def rewardlab_rewards():
            return []
        """,
        "rewardlab_rewards is never called; write @hookimpl (from rewardlab) above it",
    ),
    "forgotten mark and a slip": (
        """
        def rewardlab_reward():
            return []
        """,
        "rewardlab_reward is not a hook; did you mean rewardlab_rewards, with @hookimpl above it?",
    ),
    "hook that nobody awaits": (
        """
        from rewardlab import hookimpl

        @hookimpl
        async def rewardlab_rewards():
            return []
        """,
        "TypeError: rewardlab_rewards is a coroutine function, and it is never awaited; write `def rewardlab_rewards`",
    ),
    "hook with an argument": (
        """
        from rewardlab import hookimpl

        @hookimpl
        def rewardlab_rewards(config):
            return []
        """,
        "Argument(s) {'config'} are declared in the hookimpl but can not be found in the hookspec",
    ),
    "no return": (
        """
        from rewardlab import hookimpl

        @hookimpl
        def rewardlab_rewards():
            []
        """,
        "rewardlab_rewards returned None, not a list of RewardSpec",
    ),
    "no list": (
        """
        from rewardlab import RewardSpec, hookimpl

        @hookimpl
        def rewardlab_rewards():
            return RewardSpec(name="one", summary="alone", build=print)
        """,
        "rewardlab_rewards returned RewardSpec(name='one'",
    ),
    "wrong kind of spec": (
        """
        from rewardlab import JudgeSpec, hookimpl

        @hookimpl
        def rewardlab_rewards():
            return [JudgeSpec(name="one", summary="a judge", build=print)]
        """,
        "rewardlab_rewards returned JudgeSpec(name='one'",
    ),
    "offered twice": (
        BREVITY.replace("return [", "return 2 * ["),
        "rewardlab_rewards offers 'brevity' twice",
    ),
    "name": (
        BREVITY.replace('"brevity"', '"much brevity"'),
        "name 'much brevity': use letters, digits and _ . -",
    ),
    "range": (
        BREVITY.replace("build", "range=(1, 0), build"),
        "brevity: range (1, 0) is not a closed finite interval",
    ),
    "range of one": (
        BREVITY.replace("build", "range=1, build"),
        "brevity: range 1 is not two numbers, (lowest, highest)",
    ),
    "scope": (
        BREVITY.replace("build", "scope='prompt', build"),
        "brevity: scope 'prompt' is not one of completion, g",
    ),
    "options": (
        BREVITY.replace("build", "config=dict, build"),
        "brevity: config must be a subclass of rewardlab.Con",
    ),
    "argument": (BREVITY.replace("summary", "sumary"), "unexpected keyword argument 'sumary'"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_plugin_is_a_row_and_stops_only_what_names_it(offer, how):
    code, why = BROKEN[how]
    offer("fine", BREVITY)
    offer("faulty", code, version="0.3")
    rows = {plugin.name: plugin for plugin in Registry()}
    assert rows["fine"].broken is None
    assert why in rows["faulty"].broken
    assert "\n" not in rows["faulty"].broken
    assert (rows["faulty"].distribution, rows["faulty"].version) == ("faulty-rewards", "0.3")
    assert Registry().find("reward", "fine/brevity").name == "brevity"
    said = problem("reward", "faulty/brevity")
    assert said.startswith("plugin 'faulty' (faulty-rewards) cannot be used: ")
    assert why in said


ODD = "Metadata-Version: 2.1\nName: odd-thing\nVersion: 1.0\n"


@pytest.mark.parametrize(
    ("points", "metadata"),
    [
        (b"[console_scripts]\nfoo bar\n", ODD),
        (b"[rewardlab]\nmine\n", ODD),
        (b"[x]\nfoo = b\xff\xfe\n", ODD),
        (b"[x]\nfoo = b\xff\xfe\n", None),
    ],
)
def test_malformed_entry_points_of_another_distribution_stop_nothing(offer, main, write, points, metadata):
    folder = offer("fine", BREVITY)
    other = folder / "odd_thing-1.0.dist-info"
    other.mkdir()
    (other / "entry_points.txt").write_bytes(points)
    if metadata is not None:
        (other / "METADATA").write_text(metadata)
    assert Registry().find("reward", "fine/brevity").name == "brevity"
    assert "entry points of " in problem("reward", "mine/brevity")
    code, out, err = main("plugins")
    assert (code, "fine/brevity" in out) == (0, True)
    assert ("odd-thing" if metadata else str(folder)) in err
    recipe = write("r.yaml", "{version: 1, reward: {components: {box: {use: format/boxed}}, total: box}}")
    rows = write("rows.jsonl", [{"prompt": "?", "completions": ["x"]}])
    assert main("score", recipe, rows, "-o", "out.jsonl")[0] == 0


def test_an_entry_point_that_names_no_module_is_a_broken_plugin(offer):
    folder = offer("odd", BREVITY)
    (points,) = folder.glob("*/entry_points.txt")
    points.write_text("[rewardlab]\nodd = one:two:three\n")
    assert Registry().plugin("odd").broken == (
        "the entry point 'odd' of odd-rewards is 'one:two:three'; it should name a module"
    )


def test_a_keyboard_interrupt_is_not_taken_for_a_broken_plugin(offer):
    offer("slow", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        Registry().plugin("slow")


def test_a_name_of_two_distributions_is_refused_with_both_named(offer):
    offer("same", BREVITY, distribution="first-rewards", version="1.0")
    offer("same", BREVITY, distribution="second-rewards", version="2.0")
    offer("fine", BREVITY)
    broken = Registry().plugin("same").broken
    assert "first-rewards 1.0" in broken
    assert "second-rewards 2.0" in broken
    assert "uninstall one" in problem("reward", "same/brevity")
    assert Registry().find("reward", "fine/brevity").name == "brevity"


@pytest.mark.parametrize("backend", [{"use": "trl"}, {}])
def test_two_distributions_of_a_name_are_both_told_to_who_uses_it(offer, main, write, backend):
    offer("trl", BREVITY, distribution="other-trl")
    stage = {"use": "sft", "steps": 1, "dataset": {"use": "data/arithmetic", "with": {"kind": "responses"}}}
    recipe = {"version": 1, "model": {"use": "tiny"}, "stages": [stage], "backend": backend}
    code, out, err = main("check", write("r.yaml", yaml.safe_dump(recipe)))
    assert (code, out) == (2, "")
    both = "the name 'trl' is offered by other-trl 1.0 and rewardlab-trl 0.1.0; uninstall one of them"
    assert err.endswith(f"backend.use: plugin 'trl' (other-trl + rewardlab-trl) cannot be used: {both}\n")


@pytest.mark.parametrize("name", ["my/plugin", "my plugin", "../mine"])
def test_a_plugin_name_that_no_recipe_could_write_is_broken(offer, name):
    offer(name, BREVITY, distribution="odd-rewards", module="odd_rewards")
    assert Registry().plugin(name).broken.startswith(f"no recipe can name {name!r}; ")


class TestEntryPoints:
    def test_one_that_was_forgotten_is_named_with_the_line_to_write(self, tmp_path, monkeypatch):
        (tmp_path / "lonely.py").write_text("")
        monkeypatch.syspath_prepend(tmp_path)
        with pytest.raises(UserError) as told:
            Registry().find("reward", "lonely/brevity")
        assert str(told.value) == (
            "no plugin 'lonely'; the module lonely is there, but no entry point makes it a plugin: "
            'write lonely = "lonely" under [project.entry-points.rewardlab] in its pyproject.toml, and install it again'
        )

    @pytest.mark.parametrize("name", ["json", "sys", "no_such_module_anywhere"])
    def test_a_module_of_python_is_no_forgotten_plugin(self, name):
        with pytest.raises(UserError, match=f"^no plugin '{name}'; there are "):
            Registry().find("reward", f"{name}/brevity")

    def test_one_that_is_stale_says_so(self, offer):
        [module] = offer("gone", BREVITY).glob("*.py")
        module.unlink()
        with pytest.raises(
            UserError, match=r"the entry point 'gone' of gone-rewards names a module that does not exist"
        ) as told:
            Registry().find("reward", "gone/brevity")
        assert f'[tool.setuptools] py-modules = ["{module.stem}"]' in str(told.value)


# --- What is not installed


def test_a_plugin_of_ours_that_is_not_installed_comes_with_the_pip_install_that_brings_it():
    nothing = Registry(points=[])
    assert problem("reward", "math/accuracy", nothing) == f"no plugin 'math'; {pip_install('math')} brings it"
    assert problem("reward", "reward_model/score", nothing).endswith("plugins/rewards/reward_model brings it")


def test_it_does_so_where_another_plugin_has_a_component_of_that_name():
    others = Registry(points=[point for point in entry_points_of("rewardlab") if point.name in ("choice", "format")])
    assert problem("reward", "math/accuracy", others) == f"no plugin 'math'; {pip_install('math')} brings it"
    assert problem("reward", "maths/accuracy", others) == "no plugin 'maths'; did you mean 'choice/accuracy'?", (
        "not ours"
    )
