"""choice/accuracy: what names a choice, what names none, and rows that cannot be scored."""

import random
import re

import pytest
from helpers.each_case import each_case
from helpers.growth import many, refuse_growth
from rewardlab import Completion, Sample
from rewardlab_choice.accuracy import ChoiceAccuracy, choices_of, official_right
from rewardlab_choice.choice_set import ChoiceSet
from rewardlab_choice.options import ChoiceOptions
from rewardlab_choice.reading import read

CITIES = {"A": "Lagos", "B": "Nairobi", "C": "Accra"}


def score(text, answer="B", choices=CITIES, **options):
    fields = {"answer": answer} | ({} if choices is None else {"choices": choices})
    [found] = ChoiceAccuracy(ChoiceOptions(**options)).score([(Sample(id="s", fields=fields), Completion(text=text))])
    return found


def named(answer, choices):
    return ChoiceSet.of(choices).named(answer).label


@each_case(
    "answer, label",
    [
        ("B", "B"),
        ("b", "B"),
        (" ( B ) ".replace(" ", ""), "B"),
        ("[b]", "B"),
        ("B.", "B"),
        ("B)", "B"),
        ("Ｂ", "B"),
        ("（B）", "B"),
        (r"\text{B}", "B"),
        (r"\textbf{B}", "B"),
        (r"\mathrm{(B)}", "B"),
        ("**B**", "B"),
        ("$B$", "B"),
        ("B. Nairobi", "B"),
        ("(B) nairobi.", "B"),
        (r"\text{B: Nairobi}", "B"),
        ("B、Nairobi", "B"),
        ("Nairobi", "B"),
        ("NAIROBI", "B"),
        # no choice, several, or a contradiction
        ("", None),
        ("D", None),
        ("AB", None),
        ("A, B", None),
        ("A or B", None),
        ("B. Accra", None),
        ("because", None),
        ("Bonn", None),
        ("not B", None),
        ("(B", None),
        ("Lagos Nairobi", None),
    ],
)
def test_a_choice_is_named_by_its_label_or_its_text(answer, label):
    assert named(answer, CITIES) == label


def test_labels_are_the_rows_own():
    arabic = {"أ": "القاهرة", "ب": "نيروبي"}
    assert score(r"\boxed{ب}", "ب", arabic).value == 1.0
    assert score(r"\boxed{(ب) نيروبي}", "ب", arabic).value == 1.0
    ten = {letter: f"{n}" for n, letter in enumerate("ABCDEFGHIJ")}
    assert score(r"\boxed{J}", "J", ten).value == 1.0
    numbers = {"1": "ten", "10": "one", "2": "2nd"}
    assert named("10.", numbers) == "10"


def test_a_label_that_is_the_text_of_another_choice_names_none():
    letters = {"A": "B", "B": "A"}
    assert named("A", letters) is None
    assert named("A. B", letters) == "A"
    assert named("4", {"A": "4", "B": "4"}) is None


@each_case(
    "kind, text, found",
    [
        ("boxed", r"<think>\boxed{A}</think>\boxed{B}", "B"),
        ("boxed", "B", None),
        ("tag", "<think><answer>A</answer></think><answer> B </answer>", "B"),
        ("tag", r"<answer>so \boxed{C}</answer>", "C"),
        ("tag", "<answer>A", None),
        ("last_label", "(A)? No, (B).", "B"),
        ("last_label", "First:\nA\nThen:\n**B**", "B"),
        ("last_label", "<think>(C)</think>A bear", None),
        ("last_label", "Answer: B", "B"),
    ],
)
def test_where_the_choice_stands(kind, text, found):
    assert read(text, kind, CITIES).extracted == found


def test_the_gold_may_be_the_label_or_the_text():
    for gold in ("B", "b", "Nairobi"):
        assert score(r"\boxed{B}", gold).value == 1.0
    assert score(r"\boxed{B}", "Nairobi", list(CITIES.values())).value == 1.0


def test_a_row_without_choices_gets_no_value_and_one_without_a_right_one_fails():
    assert (score(r"\boxed{B}", choices=None).value, score(r"\boxed{B}", choices=None).error) == (None, None)
    for gold in ("D", "", None, True, ["B"]):
        found = score(r"\boxed{B}", gold)
        assert found.value is None
        assert f"the right choice is {gold!r}, not one of A, B, C" in found.error
    assert "neither label -> text nor a list" in score(r"\boxed{B}", choices="A, B").error
    assert "neither label -> text nor a list" in score(r"\boxed{B}", choices=["only"]).error
    with pytest.raises(ValueError, match="neither label"):
        choices_of([str(n) for n in range(27)])


@pytest.mark.slow
def test_beside_math_accuracy_each_row_is_scored_by_one_of_the_two():
    from rewardlab import load_reward

    components = {
        "number": {"use": "math/accuracy", "with": {"unless": "choices"}, "on_abstain": 0, "workers": 1},
        "choice": {"use": "choice/accuracy", "on_abstain": 0},
    }
    rows = [
        {"prompt": "?", "answer": "B", "choices": CITIES, "completions": [r"\boxed{B}", r"\boxed{B. Accra}"]},
        {"prompt": "!", "answer": "7", "completions": [r"\boxed{7}", r"\boxed{8}"]},
    ]
    with load_reward({"version": 1, "reward": {"components": components, "total": "max(number, choice)"}}) as reward:
        assert [group.totals for group in reward.score(rows)] == [[1.0, 0.0], [1.0, 0.0]]


def test_what_was_found_is_told():
    assert score(r"\boxed{(b)}").info == {"extracted": "(b)", "choice": "B"}
    assert score(r"\boxed{because}").info == {"extracted": "because", "choice": None, "unreadable": True}
    assert score(r"\boxed{A or B}").info == {"extracted": "A or B", "choice": None, "hedged": True}
    assert score("B").info == {"extracted": None, "choice": None, "no_answer": True}


def test_an_answer_line_may_name_several_right_choices():
    right = [score(f"ANSWER: {said}", ["C", "B"], extract="answer_line") for said in ("BC", "C, B", "B and C")]
    assert [found.value for found in right] == [1.0] * 3
    assert right[0].info == {"extracted": "BC", "choice": ["B", "C"]}
    wrong = [score(f"ANSWER: {said}", ["C", "B"], extract="answer_line") for said in ("B", "ABC", "B or C", "")]
    assert [found.value for found in wrong] == [0.0] * 4
    assert score("ANSWER: B,C", "B,C", extract="answer_line").value == 1.0


@each_case(
    "answer, right",
    [("B", 1), ("b", 1), (r"\text{B}", 1), ("nairobi", 1), ("because", 1), ("(B)", 0), ("A", 0), ("", 0), ("None", 0)],
)
def test_the_published_evaluation_of_sp3f_looks_at_the_first_character(answer, right):
    assert official_right(answer, "B", "Nairobi") is bool(right)
    assert score(rf"\boxed{{{answer}}}", profile="sp3f_official").value == right


def test_the_published_evaluation_reads_boxes_only():
    with pytest.raises(ValueError, match="reads boxes only"):
        ChoiceOptions(profile="sp3f_official", extract="tag")
    assert score("B", profile="sp3f_official").value == 0.0


SHAPES = [
    "\n",
    " ",
    "(",
    "(A",
    "**",
    "\\boxed{",
    "<answer>",
    "A\n",
    "\\text{",
    "  \n",
    "answer: ",
    "answer is ",
    "(A) or ",
]
SHAPES += [
    "ANSWER:",
    "ANSWER: \n",
    "A, ",
    "$A ",
    "：",
    "答案是",
    "½",
    "'",
    "\\boxed{A}",
    "</answer>",
    "1,",
    "\u0301",
    "not ",
]


@pytest.mark.nightly  # in CI, tests/text/test_growth.py reads the default extraction
@pytest.mark.parametrize("kind", ["boxed", "tag", "last_label", "answer_line"])
def test_long_texts_of_any_shape_are_read_in_linear_time(kind):
    for shape in SHAPES:
        for begin, end in (("", ""), (r"\boxed{", "}"), ("<answer>", "</answer>")):
            refuse_growth(shape, lambda text: score(text, extract=kind), many(shape, begin, end))


def test_text_groups_are_taken_off_as_by_the_published_pattern():
    draw = random.Random(4)
    parts = ["\\text{", "}", "A", "b", "\n", " ", "{"]
    for _ in range(2_000):
        answer = "".join(draw.choices(parts, k=draw.randint(0, 12)))
        said = re.sub(r"\\text\{(.*?)\}", r"\1", answer).lower()
        assert official_right(answer, "A", "nothing") == (said in ("a", "nothing") or said[:1] == "a"), answer
