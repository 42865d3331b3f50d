"""What the strategies promise: the kinds of text that policies write are among few of them, and shrink to little."""

import json
import unicodedata

import pytest
from helpers.each_case import each_case
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from rewardlab import Completion, Group, Sample
from rewardlab.testing import completions, groups, samples, texts
from rewardlab_testing.examples.strategies import HUGE

KINDS = {
    "empty": lambda text: text == "",
    "blank": lambda text: text and not text.strip(),
    "right-to-left": lambda text: any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text),
    "a mark of direction": lambda text: "\u202e" in text or "\u2067" in text,
    "combining marks": lambda text: any(unicodedata.combining(letter) for letter in text),
    "emoji with joiners": lambda text: "👩\u200d" in text,
    "NUL": lambda text: "\0" in text,
    "a lone surrogate": lambda text: any(0xD800 <= ord(letter) < 0xE000 for letter in text),
    "code": lambda text: "```" in text,
    "LaTeX": lambda text: "\\frac" in text,
    "a nested box": lambda text: "\\boxed{\\" in text,
    "a box that is not closed": lambda text: "\\boxed{" in text and text.count("{") > text.count("}"),
    "a closed think block": lambda text: "<think>" in text and "</think>" in text,
    "an open think block": lambda text: "<think>" in text and "</think>" not in text,
    "a think block's end alone": lambda text: "</think>" in text and "<think>" not in text,
    "two answers": lambda text: text.count("<answer>") > 1,
    "several scripts": lambda text: len({unicodedata.name(c, "").split()[0] for c in text if c.isalpha()}) > 2,
    "a number in other digits": lambda text: any(c.isdecimal() and not c.isascii() for c in text),
    "an injection": lambda text: "Ignore the above" in text,
    "what is asked for besides": lambda text: "besides" in text,
}


@pytest.fixture(scope="module")
def drawn():
    """Four hundred texts, the same at every run."""
    listed = []

    @settings(
        max_examples=400,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(texts(also=["besides"]))
    def draw(text):
        listed.append(text)

    draw()
    return listed


@pytest.mark.slow
@each_case("kind", KINDS)
def test_every_kind_of_text_comes(drawn, kind):
    assert any(map(KINDS[kind], drawn)), kind


def test_huge_texts_are_rare_and_bounded(drawn):
    assert 0 < sum(len(text) > 900 for text in drawn) < len(drawn) / 8
    assert max(map(len, drawn)) <= HUGE


def smallest(strategy, wanted):
    return find(strategy, wanted, settings=settings(derandomize=True, database=None, max_examples=2_000))


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (lambda text: True, ""),
        (lambda text: "\\boxed{" in text, "\\boxed{"),
        (lambda text: text.count("}") > text.count("{"), "}"),
    ],
)
def test_texts_shrink_to_what_matters(wanted, found):
    assert smallest(texts(), wanted) == found


def test_halves_of_a_surrogate_pair_never_meet(drawn):
    """JSON joins them: what another process gets would be another text."""
    assert all(json.loads(json.dumps(text)) == text for text in drawn)


def test_completions_are_cut_or_counted_or_neither():
    assert smallest(completions(), lambda one: True) == Completion(text="")
    assert smallest(completions(), lambda one: one.truncated).token_count is None
    assert smallest(completions(st.just("x")), lambda one: one.token_count is not None) == Completion(
        text="x", token_count=0
    )


def test_samples_have_the_fields_asked_for_and_end_in_a_question():
    sample = smallest(samples(fields={"answer": st.integers(3, 5), "language": "sw"}), lambda one: len(one.prompt) > 1)
    assert sample.fields == {"answer": 3, "language": "sw"}
    assert [message["role"] for message in sample.prompt] == ["system", "user"]
    assert isinstance(smallest(samples(), lambda one: one.id), Sample)


def test_groups_may_hold_one_completion_or_equal_ones():
    assert smallest(groups(), lambda one: True).completions == (Completion(text=""),)
    twice = smallest(groups(size=(2, 3)), lambda one: len(set(one.completions)) < len(one.completions))
    assert isinstance(twice, Group)
    assert twice.completions == (Completion(text=""), Completion(text=""))
