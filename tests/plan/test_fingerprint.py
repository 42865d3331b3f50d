"""What of a recipe decides results, and what an attempt that goes on may have changed."""

from types import SimpleNamespace

from helpers.each_case import each_case
from rewardlab import JudgeSpec
from rewardlab.plan import fingerprint as module

RECIPE = {
    "version": 1,
    "judges": {"main": {"use": "openai/chat", "with": {"model": "m", "temperature": 0.6}}, "small": {"use": "a/b"}},
    "reward": {"total": "a"},
}

SPEC = JudgeSpec(name="chat", summary="made", address=("base_url",), build=lambda *_: None)


def decisive(recipe):
    """Of the plan of a recipe whose judge `main` can be reached elsewhere."""
    plan = SimpleNamespace(document=SimpleNamespace(raw=recipe), judges={"main": SimpleNamespace(spec=SPEC)})
    return module.decisive(plan)


@each_case(
    "settings",
    [
        {"concurrency": 3},
        {"requests_per_minute": 3, "tokens_per_minute": 100},
        {"timeout": 5, "retries": 0, "group_timeout": 3},
        {"budget": {"tokens": 5}, "price": {"prompt": 1, "completion": 2}},
        {"cassette": {"path": "c.jsonl", "mode": "strict"}},
    ],
)
def test_how_a_judge_is_asked_does_not(settings):
    judges = {**RECIPE["judges"], "main": {**RECIPE["judges"]["main"], **settings}}
    assert decisive({**RECIPE, "judges": judges}) == decisive(RECIPE) == RECIPE


def test_what_is_known_to_a_probe_does_not():
    assert decisive({**RECIPE, "probe": {"known": {"empty": "no gate"}}}) == decisive(RECIPE)


@each_case(
    "change",
    [
        {"judges": {**RECIPE["judges"], "main": {"use": "openai/chat", "with": {"model": "m"}}}},
        {"judges": {**RECIPE["judges"], "main": {"use": "pairwise/overlap"}}},
        {"judges": {**RECIPE["judges"], "main": {**RECIPE["judges"]["main"], "repeats": 3}}},
        {"judges": {"main": RECIPE["judges"]["main"]}},
        {"reward": {"total": "2 * a"}},
        {"timeout": 5},
    ],
)
def test_who_is_asked_and_all_else_does(change):
    assert decisive({**RECIPE, **change}) != decisive(RECIPE)


def test_a_recipe_without_judges_or_with_a_broken_part_stays_as_it_is():
    for recipe in ({"version": 1}, {"judges": None}, {"judges": ["main"]}, {"judges": {"main": "openai/chat"}}):
        assert decisive(recipe) == recipe


def test_the_recipe_itself_is_not_changed():
    recipe = {"judges": {"main": {"use": "a/b", "retries": 3}}}
    decisive(recipe)
    assert recipe == {"judges": {"main": {"use": "a/b", "retries": 3}}}


def test_where_a_judge_is_reached_does_not():
    def at(name, url):
        judges = {name: {"use": "openai/chat", "with": {"model": "m", "base_url": url}}}
        return decisive({"judges": judges})

    assert at("main", "http://a/v1") == at("main", "http://b/v1")
    assert at("small", "http://a/v1") != at("small", "http://b/v1"), "only its spec can say so"
