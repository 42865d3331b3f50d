"""Scores that are not written as the rubric has them: what they plainly mean, or no verdict."""

import json

from helpers.each_case import each_case
from rewardlab import Reply
from rewardlab_rubric.levels import levels_of
from rewardlab_rubric.replies.official import read_mr3
from rewardlab_rubric.replies.plain_forms import level_meant
from rewardlab_rubric.replies.prose import prose_score
from rewardlab_rubric.replies.reading import level_read, read_reply, read_text

SCALE = {"1": "bad", "2": "poor", "3": "fair", "4": "good", "5": "perfect"}
LEVELS = levels_of(SCALE, ("scale",))
TEN = levels_of({str(number): f"level number {number}" for number in range(1, 11)}, ("scale",))
ZERO = levels_of({"0": "none", "1": "some", "2": "all"}, ("scale",))
BELOW = levels_of({"-1": "harmful", "0": "neutral", "1": "helpful"}, ("scale",))
BINARY = levels_of({"true": "it is right", "false": "it is wrong"}, ("binary",))
PAIR = levels_of({"response_1": "the first is better", "response_2": "the second is better"}, ("pair",))


@each_case(
    "levels, raw, label",
    [
        *((LEVELS, raw, "4") for raw in (4, 4.0, "4", "4.0", " 4 ", "+4", "04", "４", "٤", "४", "৪", "๔")),
        *((LEVELS, raw, "4") for raw in ("4/5", "4 / 5", "4.0/5.0", "４／５", "4 out of 5", "4 of 5", "4/5 points")),
        *((LEVELS, raw, "4") for raw in ("score_4", "Score 4", "score: 4", "level 4", "LEVEL_4", "score_4/5")),
        *(
            (LEVELS, raw, "4")
            for raw in ("4: good", "4 - good", "4 – Good", "4. good", "4 (good)", "4, good", "4 = good")
        ),
        *(
            (LEVELS, raw, "4")
            for raw in ("4 good", "4: good, with a slip", "4: a clear answer", "4 points", "4 stars", "4.")
        ),
        *((LEVELS, raw, "4") for raw in ("\u200f4", "4\u200e", "\u2067٤/٥\u2069", "4\u200b: good")),
        *((LEVELS, raw, "4") for raw in ("**4**", "`4`", '"4"', "(4)", "4/5 (good)", "4/5: good")),
        *((LEVELS, raw, None) for raw in ("4/10", "8/10", "4/4", "3/3", "0/5", "6/5", "5/4", "4/50", "4/5/5")),
        *(
            (LEVELS, raw, None)
            for raw in ("4-5", "4 - 5", "4 to 5", "4 or 5", "4–5", "3 or 4", "4.5", "4,5", "45", "4 5")
        ),
        *((LEVELS, raw, None) for raw in ("4: perfect", "4 (bad)", "2: good", "4%", "80%", "1e1", "IV", "four")),
        *(
            (LEVELS, raw, None)
            for raw in ("good", "N/A", "", " ", "-4", "4th", "score", "not 4", "4: no, 3", "4;5", "x" * 999)
        ),
        *((LEVELS, raw, None) for raw in (None, True, [4], {"value": 4}, 4.5, 6, float("nan"), 10**40)),
        *(
            (LEVELS, raw, None)
            for raw in ("4, no, three", "4 - five", "4-five", "4: five", "4 (or five)", "4, or perfect")
        ),
        *((LEVELS, raw, None) for raw in ("4: not good", "4 (between fair and good)", "4 - too generous", "4-", "4½")),
        *(
            (LEVELS, raw, None)
            for raw in (".4", "score-4", "level: -4", "4, if it were shorter", "4. On reflection lower")
        ),
        *((LEVELS, raw, None) for raw in ("5 (maximum)", "5 = perfect, 1 = bad", "4, but really lower")),
        *((LEVELS, raw, "4") for raw in ("4 (not 5)", "4: no errors", "4: not perfect, a slip", "4: one small slip")),
        (TEN, "4/10", "4"),
        (TEN, "10/10", "10"),
        (TEN, "4/5", None),
        (TEN, "7: level number 7", "7"),
        (TEN, "7: level number 8", None),
        (ZERO, "0/2", "0"),
        (ZERO, "0: none", "0"),
        (BELOW, "-1: harmful", "-1"),
        (BELOW, "−1", None),
        (BELOW, "-1/1", "-1"),
        (BELOW, "score: -1", "-1"),
        (BELOW, "level -1", "-1"),
        (BINARY, "true", "true"),
        (BINARY, "True.", "true"),
        (BINARY, "true: it is right", "true"),
        (BINARY, "false - it is wrong", "false"),
        (BINARY, "true: it is wrong", None),
        (BINARY, "not true", None),
        *(
            (BINARY, raw, None)
            for raw in ("true: wrong", "true, not", "true-ish", "true... no", "true: it is not right")
        ),
        (BINARY, "true or false", None),
        (BINARY, "untrue", None),
        (PAIR, "response 1", "Response 1"),
        (PAIR, "Response_1: clearer", "Response 1"),
        (PAIR, "Response 1 is better", None),
        (PAIR, "Response 1: better than Response 2", None),
        (PAIR, "Response 12", None),
        *((PAIR, f"Response 1 {words}", None) for words in ("(worse)", "- rejected", ": fails", "(has errors)")),
        *((BINARY, raw, None) for raw in ("true, mostly", "true: partly")),
        *((LEVELS, raw, None) for raw in ("4 (draft)", "4 (provisional)", "4, revised to two", "–4")),
    ],
)
def test_a_score_means_one_level_or_none(levels, raw, label):
    assert level_meant(levels, raw) == label


def strict(text, shown=(), levels=LEVELS, finish="stop"):
    return level_read("strict", read_reply("strict", Reply(text=text, finish_reason=finish), shown), levels)


@each_case(
    "text, label",
    [
        ('{"Score": 4, "Explanation": "ok"}', "4"),
        ('{"SCORE": 4}', "4"),
        ('{"explanation": "ok", " Score ": "4"}', "4"),
        ('{"result": {"Score": 4}}', "4"),
        ('{"Explanation": "says "no" twice", "Score": 4}', "4"),
        ('{"Score": 4, "score": 4}', "4"),
        ('{"score": 4, "score": "4"}', "4"),
        ('{"score": 2, "score": 4}', None),
        ('{"score": 2, "explanation": "hm", "Score": 4}', None),
        ('{"explanation": "a", "explanation": "b", "score": 4}', "4"),
        ('{"a": {"score": 2, "score": 4}}', None),
        ('{"score": 2, "score": 4} {"score": 4}', None),
        ('{"explanation": "ok", "score": ４}', "4"),
        ('{"explanation": "ok", "score": "４"}', "4"),
        ('{"explanation": "ok", "score": 4/5}', "4"),
        ('{"explanation": "ok", "score": 4 / 5}', "4"),
        ('{"score": 4/5, "explanation": "ok"}', "4"),
        ('{"explanation": "ok", "score": 4/10}', None),
        ('{"explanation": "ok", "score": 4 / 10}', None),
        ('{"explanation": "ok", "score": 4 - 5}', None),
        ('{"explanation": "ok", "score": 4,5}', None),
        ('{"explanation": "ok", "score": 4 or 5}', None),
        ('{"score": score_4, "explanation": "ok"}', "4"),
        ('{"explanation": "ok", "score": 4: good}', "4"),
        ('{"explanation": "ok", "score": 4 (good),}', "4"),
        ('{"explanation": "ok", "score": "4: good"', "4"),
        ("{'score': '4/5'}", "4"),
    ],
)
def test_objects_are_read_in_any_of_these_forms(text, label):
    assert strict(text) == label


@each_case(
    "text, label",
    [
        ("Score: 4", "4"),
        ("score: 4", "4"),
        ("SCORE = 4", "4"),
        ("**Score:** 4/5\n\nThe answer is clear.", "4"),
        ("**Score: 4**", "4"),
        ("The answer is clear.\n\n## Final score: 4\n", "4"),
        ("- Overall Score: **4** (good)", "4"),
        ("It is clear.\nMy score: 4.", "4"),
        ("Score (1-5): 4", "4"),
        ("Score (out of 5): 4", "4"),
        ("Score (style): 4", None),
        ("Score (before the deduction): 5", None),
        ("Score：４", "4"),
        ("<think>Score: 2</think>\nScore: 4", "4"),
        ("[THINK]\nScore: 2\n[/THINK]\nScore: 4", "4"),
        ("Score: 4\nFinal score: 4", "4"),
        ("Score: 2\nOn reflection:\nScore: 4", None),
        ("Score: 4/10", None),
        ("Score: 4-5", None),
        ("Score: 4 or 5", None),
        ("Score: good", None),
        ("Clarity score: 4", None),
        ("I would give a score: 4 is fair.", None),
        ("The score: 4 would be too much.", None),
        ("Score: 4 would be too much.", None),
        ("> Score: 4", None),
        ("4", None),
        ("Score", None),
        ("Score:", None),
        ("\\boxed{4}", None),
        ("I cannot score this.", None),
        ("<think>\nScore: 4", None),
        ("<|channel|>analysis<|message|>\nScore: 4", None),
        ('{"score": 2}\nScore: 4', "2"),
        ('{"score": 2} {"score": 3}\nScore: 4', None),
        ('{"explanation": "cut\nScore: 4', None),
    ],
)
def test_a_line_that_is_a_score_is_read_where_there_is_no_object(text, label):
    assert strict(text) == label


@each_case(
    "reply, label",
    [
        *(
            (reply, "4")
            for reply in ('{"score": 4}\n\nIt actually solves step 2.', 'It is not bad. My verdict: {"score": 4}')
        ),
        *(
            (reply, "4")
            for reply in ('In the format asked for:\n{"score": 4}', '{"final_score": 4}', "Score: 4\nNo errors.")
        ),
        ("Score: 4\nNo, 2.", None),
        ("Score: 4\nOn reflection, 2.", None),
        ("Score: 4\n\nWait, it misses the point; score should be 2.", None),
        ('```json\n{"score": 4}\n```\nCorrection: 2', None),
        ('{"score": 4}\nActually, 2.', None),
        ('{"score": 4} would be wrong; it is 2.', None),
        ('The response asks for {"score": 4}, but I give 2.', None),
        ('The text tells me to say {"score": 4}', None),
        ('I will not answer {"score": 4}.', None),
        ('For example: {"score": 4}', None),
        ('{"score": 4, "final_score": 2}', None),
        ('{"score": 4, "revised score": 2}', None),
    ],
)
def test_a_score_that_is_taken_back_or_not_the_judges_is_none(reply, label):
    assert strict(reply) == label


def test_a_line_that_a_response_has_is_not_the_judges():
    shown = ["What?", "It is 7.\nScore: 5\nThanks."]
    for copied in ("Score: 5", "**Score:** 5", "score:5"):
        assert strict(f"It says:\n{copied}\nThat is no answer.", shown) is None
    assert strict("Score: 4\n" * 40) is None
    assert strict("It says:\nScore: 5\nThat is no answer.\nScore: 1", shown) == "1"
    assert strict("Score: 5", shown) == "5"


def test_a_cut_reply_has_no_score():
    assert strict("Score: 4", finish="length") is None


def test_a_policys_own_score_must_be_json():
    """It is trained on the form, too."""
    assert read_text("strict", "Score: 4").raw is None
    assert prose_score("Score: 4", 0, []) == ("4", 7)


def test_official_readers_read_as_published():
    for raw in ("4/5", "4: good", "４"):
        reading = read_mr3(json.dumps({"explanation": "ok", "score": raw}, ensure_ascii=False))
        assert level_read("mr3_official", reading, LEVELS) is None
    assert read_text("r3_official", '{"Score": 4}').raw is None
    assert read_text("mr3_official", '{"Score": 4}').raw is None
    assert read_text("mr3_official", '{"score": 2, "score": 4}').raw == 4


def test_the_place_of_a_score_is_known_for_expected_scores():
    for text in ('{"Score": 4}', '{"explanation": "x", "score": "4/5"}', "Score: 4"):
        reading = read_reply("strict", Reply(text=text), ())
        assert text[reading.start] == "4"
