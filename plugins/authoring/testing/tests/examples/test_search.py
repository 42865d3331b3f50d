"""The search for the smallest failing example: within bounds, the same at every run, and of a given list the fewest."""

import time

import pytest
from helpers.each_case import each_case
from hypothesis import settings
from hypothesis import strategies as st
from rewardlab import Completion
from rewardlab_testing.examples.search import search
from rewardlab_testing.outcomes.outcome import LawViolation


def refusing(wrong):
    def check(numbers):
        if wrong(numbers):
            raise LawViolation(f"{numbers!r}")

    return check


def test_it_tells_how_many_cases_it_saw():
    assert search(lambda number: None, st.integers(), tries=7) == 7
    assert search(lambda numbers: None, st.lists(st.integers()), tries=7, first=[1, 2]) == 8


@pytest.mark.parametrize("profile", ["default", "ci"])  # the second one is hypothesis's own choice where CI is set
def test_the_smallest_is_raised_the_same_at_every_run(profile, request):
    usual = settings.get_current_profile_name()
    request.addfinalizer(lambda: settings.load_profile(usual))
    settings.load_profile(profile)
    for _ in range(2):
        with pytest.raises(LawViolation, match=r"\A\[100\]\Z"):
            search(refusing(lambda numbers: any(n >= 100 for n in numbers)), st.lists(st.integers()), tries=200)


@each_case("count", [2, 3, 10, 97])
def test_of_a_given_list_the_fewest_elements_are_told(count):
    check = refusing(lambda numbers: {0, count - 1} <= set(numbers))
    with pytest.raises(LawViolation, match=rf"\A\[0, {count - 1}\]\Z"):
        search(check, st.just([]), tries=1, first=list(range(count)))


def test_of_completions_the_texts_are_made_short_too():
    def check(completions):
        if any("a" in one.text and "z" in one.text for one in completions):
            raise LawViolation(repr([(one.text, one.truncated) for one in completions]))

    first = [Completion(text="b"), Completion(text=f"{'xay' * 30}{'yzx' * 30}", truncated=True)]
    with pytest.raises(LawViolation, match=r"\A\[\('az', True\)\]\Z"):
        search(check, st.just([]), tries=1, first=first)


def test_nothing_is_begun_that_would_not_be_done_in_time(monkeypatch):
    monkeypatch.setattr("rewardlab_testing.examples.search.MAX_SECONDS", 0.3)
    assert search(lambda numbers: time.sleep(0.2), st.lists(st.integers()), tries=9, first=[1]) == 1


def test_what_breaks_once_and_then_holds_is_told():
    calls = []

    def check(number):
        calls.append(number)
        if len(calls) == 2:
            raise LawViolation("the second call")

    with pytest.raises(LawViolation, match="the second call"):
        search(check, st.integers(), tries=5)


def test_slow_checks_are_made_less_often(monkeypatch):
    monkeypatch.setattr("rewardlab_testing.examples.search.MAX_SECONDS", 0.05)
    assert search(lambda number: time.sleep(0.02), st.integers(), tries=100) < 10


def test_other_exceptions_are_raised_as_they_are():
    def check(number):
        raise LookupError("not found")

    with pytest.raises(LookupError, match="not found"):
        search(check, st.integers(), tries=5)
