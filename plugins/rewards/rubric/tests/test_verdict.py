"""rubric/verdict: the policy's own score, as a judge, beside the row's."""

from helpers.each_case import each_case
from rewardlab import Completion, Context, Sample, find

SPEC = find("reward", "rubric/verdict")
ASKED = 'Score this. The response: 7. {"explanation": "It is right in every way that one could wish for.", "score": 5}'


def verdict(text, gold, truncated=False, prompt=ASKED, **options):
    reward = SPEC.build(SPEC.config(**options), Context())
    sample = Sample(
        id="s", prompt=({"role": "user", "content": prompt},), fields={} if gold is None else {"score": gold}
    )
    return reward.score([(sample, Completion(text=text, truncated=truncated))])[0]


def says(score):
    return f'<think>hm</think>{{"explanation": "so", "score": {score}}}'


@each_case("score, gold, value", [
        ("4", 4, 1.0), ('"4"', 4, 1.0), ("4", "4", 1.0), ("4.0", 4, 1.0), ("4", 4.0, 1.0), ("5", 4, 0.0),
        ('"Response 2"', "Response 2", 1.0), ('"response 2"', "Response 2", 1.0), ('"Response 1"', "Response 2", 0.0),
        ("true", True, 1.0), ('"True"', "true", 1.0), ("false", True, 0.0), ("1", True, 0.0), ('"Tie"', "Tie", 1.0),
        ("-3", -3, 1.0), ("null", 4, 0.0), ("[4]", 4, 0.0),
        ('"٤"', 4, 1.0), ('"\u200f४.०"', 4, 1.0), ("4", "４", 1.0), ('"٤٢"', 4, 0.0), ('"4²"', 42, 0.0),
    ])  # fmt: skip
def test_a_score_is_right_where_it_is_the_gold_one(score, gold, value):
    found = verdict(says(score), gold)
    assert (found.value, found.error) == (value, None)


def test_no_score_is_a_wrong_one_and_is_counted():
    for text in ("", "I cannot say.", "4", "<think>" + says(4)[7:15]):
        found = verdict(text, 4)
        assert (found.value, found.info["unread"]) == (0.0, True)
    assert "unread" in SPEC.counted_info
    assert verdict(says(4), 4).info == {"raw": 4, "explanation": "so", "unread": False}


def test_a_score_that_the_prompt_shows_is_not_the_policys():
    shown = ASKED.partition("7. ")[2]
    assert verdict(shown, 5).value == 0.0
    assert verdict(ASKED, 5).value == 0.0
    assert verdict(f"It says {shown} {says(2)}", 2).value == 1.0


def test_a_completion_that_was_cut_off_has_no_score():
    assert verdict(says(4), 4, truncated=True).value == 0.0
    assert verdict(says(4), 4, truncated=True, profile="r3_official").value == 1.0  # as published


@each_case("gold", [None, "", [4], {"a": 1}, float("nan")])
def test_a_row_without_a_gold_score_is_an_error(gold):
    found = verdict(says(4), gold)
    assert found.value is None
    assert "field 'score' should hold a score" in found.error


def test_the_gold_field_has_any_name():
    assert SPEC.required_fields(SPEC.config(gold="actual_score")) == ("actual_score",)
