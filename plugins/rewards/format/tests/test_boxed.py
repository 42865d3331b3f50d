import json
from pathlib import Path

from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab import Completion, Context, Sample, find
from rewardlab_answers import official_box

CASES = Path(__file__).parents[4] / "tests" / "data" / "sp3f_boxed_cases.jsonl"


def judge(text, **options):
    spec = find("reward", "format/boxed")
    (score,) = spec.build(spec.config(**options), Context()).score([(Sample(), Completion(text=text))])
    return score


@each_case(
    "text",
    [
        r"So it is \boxed{7}.",
        r"<think>\boxed{}</think> It is \boxed{7}",
        r"\boxed{1} or rather \boxed{\frac{1}{2}}",
        r"\boxed {7}",
        r"\boxed{答え}",
        r"\boxed 42",
        r"It is $\boxed7$.",
        r"\boxed -3",
        r"\boxed B",
        r"\[ \fbox{42} \]",
        r"\fbox{\boxed{7}}",
        r"<think>\boxed{1}</think> \fbox{7}",
        r"\boxed{7} or \boxed{}",
        r"\boxed{7}. Put it into \boxed{}.",
    ],
)
def test_a_closed_box_with_something_in_it_earns_the_point(text):
    assert judge(text).value == 1.0


@each_case(
    "text, reason",
    [
        ("", "no closed box"),
        ("It is 7.", "no closed box"),
        (r"\boxed{7", "no closed box"),
        (r"boxed{7}", "no closed box"),
        (r"\boxed", "no closed box"),
        (r"\boxed x^2", "no closed box"),
        (r"Put it in \boxed please.", "no closed box"),
        (r"\fbox{7", "no closed box"),
        (r"\fbox{}", "an empty box"),
        (r"\fbox{ }", "an empty box"),
        (r"\boxed{} or \boxed{ }", "an empty box"),
        (r"<think>\boxed 7</think> It is 7.", "no closed box after the reasoning"),
        (r"\boxed{}", "an empty box"),
        (r"\boxed{ }", "an empty box"),
        (r"\boxed{\quad{} \text{ }}", "an empty box"),
        ("\\boxed{\u200b}", "an empty box"),
        (r"\boxed{7}</think> \boxed{}", "an empty box"),
        (r"<think>\boxed{7}</think> It is 7.", "no closed box after the reasoning"),
    ],
)
def test_anything_else_earns_nothing_and_says_why(text, reason):
    score = judge(text)
    assert (score.value, score.info["reason"]) == (0.0, reason)


def test_the_official_profile_gives_the_published_format_reward():
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        assert judge(case["input"], profile="sp3f_official").value == case["format_reward"], case["input"]


def test_an_empty_box_earns_the_official_point_only():
    assert judge(r"\boxed{}", profile="sp3f_official").value == 1.0


@given(st.text(st.sampled_from(list("\\boxed{} <>/think\n答")), max_size=60))
def test_no_text_is_too_strange(text):
    assert judge(text).value in (0.0, 1.0)
    assert judge(text, profile="sp3f_official").value == float(official_box(text) != "None")
