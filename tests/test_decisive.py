"""What of a recipe decides results, and what an attempt that goes on may have changed."""

import pytest
from rewardlab.decisive import decisive

RECIPE = {
    "version": 1,
    "judges": {"main": {"use": "openai/chat", "with": {"model": "m", "temperature": 0.6}}, "small": {"use": "a/b"}},
    "reward": {"total": "a"},
}


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    "change",
    [
        {"judges": {**RECIPE["judges"], "main": {"use": "openai/chat", "with": {"model": "m"}}}},
        {"judges": {**RECIPE["judges"], "main": {"use": "pairwise/overlap"}}},
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
