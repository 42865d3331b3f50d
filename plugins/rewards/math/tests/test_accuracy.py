"""math/accuracy as recipes use it: completion in, score out."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from helpers.each_case import each_case
from pydantic import ValidationError
from rewardlab import Completion, Sample
from rewardlab_math.accuracy import Accuracy
from rewardlab_math.options import AccuracyOptions

RIGHT = [
    # numbers
    ("42", "42"),
    (42, "42.0"),
    ("1/2", "0.5"),
    (r"\frac12", "0.5"),
    ("0.75", r"\frac{3}{4}"),
    ("12", r"\$12"),
    ("12", "12 apples"),
    ("12", r"12\text{ cm}^2"),
    ("50", r"50\%"),
    ("0.5", r"50\%"),
    ("1/3", "0.333333"),
    ("1200", r"1.2 \times 10^3"),
    ("1.5", r"1\frac{1}{2}"),
    ("90", r"90^\circ"),
    ("x=5", "5"),
    ("5", "x=5"),
    ("120", "5!"),
    ("1024", "2^{10}"),
    # numerals and separators
    ("42", "৪২"),
    ("42", "٤٢"),
    ("42", "۴۲"),
    ("42", "४२"),
    ("42", "๔๒"),
    ("42", "౪౨"),
    ("42", "૪૨"),
    ("42", "੪੨"),
    ("42", "၄၂"),
    ("42", "４２"),
    ("1234.5", "1,234.5"),
    ("1234.5", "1.234,5"),
    ("1234.5", "1 234,5"),
    ("1234.5", "1'234.5"),
    ("1234.5", "١٬٢٣٤٫٥"),
    ("123456", "1,23,456"),
    ("1,234", "1234"),
    ("1.5", "1,5"),
    ("30000", "3万"),
    # formulas
    (r"2\sqrt{3}-1", r"2\sqrt{3} - 1"),
    (r"2\sqrt{3}-1", r"-1 + \sqrt{12}"),
    ("(1,2)", "(1, 2)"),
    (r"\{1,2\}", r"\{2,1\}"),
    ("1,2", "2,1"),
    ("1,2", r"x=1 \text{ or } x=2"),
    ("1,2", "x = 1 und x = 2"),
    ("1.5, 2.5", "1,5; 2,5"),
    ("[0,1)", r"\left[0, 1\right)"),
    ("(-2,1)", "-2 < x < 1"),
    (r"x \in [-2,7]", "[-2,7]"),
    (r"(-\infty,3)\cup(3,\infty)", r"x \ne 3"),
    ("y = 2x+1", "2x - y + 1 = 0"),
    (r"10\pi \text{ inches}", r"10\pi"),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{bmatrix}1\\2\end{bmatrix}"),
    ("6-5i", "-5i+6"),
    # words and choices
    ("Paris", r"\text{paris}"),
    ("B", "b"),
    ("(B)", "B) 12 cm"),
    (True, "True"),
    # gold forms
    ("6 * 7 = 42\n#### 42", "42"),
    (r"so \boxed{42}", "42"),
    ("$42$", "42"),
    (["1/2", "one half"], "One half"),
]
WRONG = [
    ("12", "-12"),
    ("12", ""),
    ("12", "x"),
    ("12", "12x"),
    ("12", "12i"),
    ("12", "12 or 13"),
    ("12", r"\pm 12"),
    ("12", "x > 12"),
    ("5", "2+2"),
    ("54", "5 4"),
    ("2ab", "2"),
    ("3t", "3"),
    ("x=5", "y=5"),
    ("(1,2)", "(2,1)"),
    ("[1,2]", "(1,2)"),
    ("p-q", "q-p"),
    ("1/3", "0.33"),
    ("B", "because"),
    ("Paris", "London"),
    ("stop", "pots"),
]
SLOW = ("(x+y+z+w)^{30} = 1", "(x+y+z+w)^{60} = 1")


def boxed(answer):
    return rf"So the answer is \boxed{{{answer}}}."


@each_case("gold, answer", RIGHT)
def test_right_answers(score, gold, answer):
    found = score(boxed(answer), gold)
    assert (found.value, found.error) == (1.0, None)
    assert found.info == {"extracted": answer}


@each_case("gold, answer", WRONG)
def test_wrong_answers(score, gold, answer):
    found = score(boxed(answer), gold)
    assert (found.value, found.error, found.info["extracted"]) == (0.0, None, answer)


@each_case(
    "gold, answer, language, value",
    [
        ("1234", "1.234", None, 1.0),
        ("1234", "1.234", "id", 1.0),
        ("1234", "1.234", "en", 0.0),
        ("1.234", "1,234", "de", 1.0),
        ("1.234", "1,234", "en-GB", 0.0),
        ("1234", "1,234", "en", 1.0),
        ("1000", "1.000", "English", 0.0),
        ("1", "1.000", "English", 1.0),
        ("1000", "1.000", "eng_Latn", 0.0),
        ("1000", "1.000", "German", 1.0),
        ("1.234", "1.234", "de", 1.0),
        ("1.5", "1,5", "en", 0.0),
        ("1.5", "1,5", "zh", 0.0),
        ("1.5", "1,5", "de", 1.0),
        ("1,5", "1,5", "ja", 1.0),
        ("1,2", "1.2", "de", 1.0),
        ("1,2", "2,1", "de", 1.0),
        ("1,2", "1.2", "en", 0.0),
        ("1,2", "2,1", "en", 1.0),
    ],
)
def test_an_ambiguous_separator_is_read_as_in_the_row_s_language(score, gold, answer, language, value):
    assert score(boxed(answer), gold, language=language).value == value


def test_a_completion_without_an_answer_is_wrong(score):
    for text, more in (("", {}), ("42", {"last_number_reads": True}), (r"\boxed{42", {"last_number_reads": True})):
        found = score(text, "42")
        assert (found.value, found.info) == (0.0, {"extracted": None, "no_answer": True, **more})


def test_the_answer_is_where_the_options_say(score):
    assert score("<answer>42</answer>", "42", extract="tag").value == 1.0
    assert score("it is 42.", "42", extract="last_number").value == 1.0
    assert score(boxed(42), "42", field="solution").value == 1.0


@pytest.mark.parametrize("gold", [None, "", [], {"value": 42}, ["42", None]])
@pytest.mark.parametrize("text", [boxed(42), "no answer"])
def test_broken_data_is_a_failure_and_not_a_wrong_answer(score, gold, text):
    found = score(text, gold)
    assert found.value is None
    assert found.error.startswith("field 'answer': ")
    assert "extracted" in found.info


def test_hostile_answers_say_why_they_were_not_judged(score):
    assert "digits" in score(boxed("9^{9^{9^{9}}}"), "12").info["refused"]
    assert "characters" in score(boxed("{" * 50_000 + "}" * 50_000), "12").info["refused"]
    slow = Accuracy(AccuracyOptions(), seconds=0.3).score([item(SLOW)])[0]
    assert (slow.value, slow.info["timed_out"]) == (0.0, True)


def item(pair):
    gold, answer = pair
    return Sample(fields={"answer": gold}), Completion(text=boxed(answer))


@pytest.mark.slow
def test_threads_and_other_processes_judge_as_the_main_thread():
    reward = Accuracy(AccuracyOptions())
    hostile = [("12", "9^{9^{9^{9}}}"), ("12", "1000000!")]
    items = [item(pair) for pair in RIGHT[::3] + WRONG[::3] + hostile]
    expected = reward.score(items)
    with ThreadPoolExecutor(3) as threads:
        assert [scores[0] for scores in threads.map(lambda one: reward.score([one]), items)] == expected
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as processes:
        assert processes.submit(reward.score, items).result() == expected


# raised in a callback that Python itself makes, the exception is dropped, reported, and raised again a second later
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_slow_answer_is_interrupted_in_any_thread():
    slow = item(SLOW)
    with ThreadPoolExecutor(1) as threads:
        (found,) = threads.submit(Accuracy(AccuracyOptions(), seconds=0.3).score, [slow]).result()
    assert (found.value, found.info["timed_out"]) == (0.0, True)


def test_the_spec(spec):
    assert (spec.scope, spec.range, spec.runs, spec.timeout, spec.on_timeout) == (
        "completion",
        (0.0, 1.0),
        "worker",
        10.0,
        0.0,
    )
    assert spec.required_fields(spec.config(field="solution")) == ("solution",)


def test_the_official_profile_reads_boxes_only(spec):
    with pytest.raises(ValidationError, match="boxes only"):
        spec.config(profile="sp3f_official", extract="tag")
