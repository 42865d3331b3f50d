"""A response taken apart, and other texts put into its form."""

from helpers.each_case import each_case
from rewardlab_probe.corruptions import (
    halves,
    is_short,
    repeated,
    sentences,
    shuffled,
    words,
    wrong_guess,
)
from rewardlab_probe.response_form import Form, response_parts

TAGGED = "<think>Drei und vier. Das sind sieben.</think><answer>7</answer>"
BOXED = r"Drei und vier. Das sind \boxed{7}."


@each_case("text, reasoning, answer, written", [
        (TAGGED, "Drei und vier. Das sind sieben.", "7", "<think>R</think><answer>A</answer>"),
        (BOXED, "Drei und vier. Das sind 7.", "7", "R\n\n\\boxed{A}"),
        ("Drei und vier sind sieben.", "Drei und vier sind sieben.", "", "R\n\nA"),
        (r"<think>D</think><answer>Also \boxed{7}</answer>", "D", "7", r"<think>R</think><answer>\boxed{A}</answer>"),
        ("<think>Drei.</think>\nSieben.", "Drei.", "Sieben.", "<think>R</think>\nA"),
        ("Drei.\n<answer>7</answer>", "Drei.", "7", "R\n\n<answer>A</answer>"),
        (r"<think>D \boxed{5}</think><answer>7</answer>", "D 5", "7", "<think>R</think><answer>A</answer>"),
        ("So:\n```python\nx = 7\n```\nGut.", "So:\nGut.", "x = 7", "R\n\n```python\nA\n```"),
        ("<think>D</think>```\n1\n```\n```\n2\n```", "D", "2", "<think>R</think>\n```\nA\n```"),
        ("```js\n```\nopen: ```js\n", "open: ```js", "", "R\n\n```js\nA\n```"),
        ("Drei.\n#### 7", "Drei.", "7", "R\n\n#### A"),
        ("Drei.\n**Answer:** 7\n", "Drei.", "7", "R\n\n**Answer:** A"),
        ("Drei. The final answer is 7.", "Drei.", "7", "R\n\nThe final answer is A."),
        ("Drei.\n<final>7</final>", "Drei.", "7", "R\n\n<final>A</final>"),
        ("Drei.\nEndergebnis: 7", "Drei.", "7", "R\n\nEndergebnis: A"),
        ("Drei.\n**Answer: 7**", "Drei.", "7", "R\n\n**Answer: A**"),
        ("```py\nx\n```\nanswer: \\boxed{7}", "```py\nx\n```\nanswer: 7", "7", "R\n\n\\boxed{A}"),
        ("Drei.</think> Sieben.", "Drei.", "Sieben.", "<think>R</think>\nA"),  # opened by the chat template
    ])  # fmt: skip
def test_what_is_taken_apart_can_be_written_again_with_other_texts(text, reasoning, answer, written):
    parts = response_parts(text)
    assert (parts.reasoning, parts.answer) == (reasoning, answer)
    assert parts.form == Form.of(text)
    assert parts.form.write("R", "A") == written


def test_what_is_written_in_a_form_has_that_form():
    for text in (TAGGED, BOXED, "<think>Drei.</think>\nSieben.", r"<think>x</think><answer>\boxed{7}</answer>"):
        assert Form.of(Form.of(text).write("one", "two")) == Form.of(text)


def test_sentences_end_where_their_script_ends_them():
    assert sentences("Pi is 3.14. Right?\nYes") == ["Pi is 3.14.", "Right?", "Yes"]
    assert sentences("三加四。等于七。") == ["三加四。", "等于七。"]
    assert sentences("तीन और चार। सात हैं।") == ["तीन और चार।", "सात हैं।"]
    assert sentences(" \n ") == []


def test_a_text_is_halved_between_sentences_or_else_in_the_middle():
    assert halves("One. Two. Three.") == ("One.", "Two. Three.")
    assert halves("One. Two. Three. Four.") == ("One. Two.", "Three. Four.")
    assert halves("abcdef") == ("abc", "def")


def test_words_are_without_markup_and_in_pieces_where_a_script_writes_no_spaces():
    assert words(r"<think>Das sind \boxed{7}</think>") == ["Das", "sind", "7"]
    assert words("तीन और चार।") == ["तीन", "और", "चार"]
    assert words("一二三四五六。") == ["一二三四", "五六"]
    assert words("กขคงก้า") == ["กขคง", "ก้า"]
    assert words("กขคก้า") == ["กขคก้", "า"]
    assert words("Geschwindigkeitsbegrenzungen, don't!") == ["Geschwindigkeitsbegrenzungen", "dont"]


def test_random_words_are_as_long_as_asked_and_the_same_each_time():
    text = shuffled(["ja", "nein"], 30, "seed")
    assert set(text.split()) <= {"ja", "nein"}
    assert 30 <= len(text) + 1 <= 35
    assert text == shuffled(["ja", "nein"], 30, "seed") != shuffled(["ja", "nein"], 30, "other")
    assert shuffled(["ja"], 0, "seed") == "ja"


def test_repetition_reaches_the_length():
    assert repeated("ab", 7) == "ab ab ab"
    assert repeated("ab", 1) == "ab"


@each_case("answer", ["7", "12", "(B)", "C.", "(F)", "Paris", "", "0123456789"])
def test_a_guess_is_wrong_and_of_the_same_kind(answer):
    for seed in "abcdefgh":
        guess = wrong_guess(answer, seed)
        assert guess not in answer or guess == ""
        assert guess.isalpha() == (answer in ("(B)", "C.", "(F)"))


def test_a_short_answer_is_no_prose():
    assert [is_short(answer) for answer in ("7", "Paris", "", "It is so. I know.", "x" * 30)] == [
        True, True, False, False, False,
    ]  # fmt: skip
