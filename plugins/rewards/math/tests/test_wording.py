"""Words, choices, formulas."""

from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_math.wording import choice, kind, normalised, with_commas


@each_case(
    "text, expected",
    [
        ("B", "choice"),
        ("(b)", "choice"),
        ("Paris", "words"),
        ("no", "words"),
        ("yes", "words"),
        ("北京", "words"),
        ("হ্যাঁ", "words"),
        ("3 apples and 4 pears", "words"),
        ("Route 66", "words"),
        ("12", "formula"),
        ("ab", "formula"),
        ("2ab", "formula"),
        ("2xyz + abc", "formula"),
        (r"\frac{x}{2}", "formula"),
        (r"x=1 \text{ or } x=2", "formula"),
        ("x=1 or x=2", "formula"),
        (r"\begin{pmatrix}1\\2\end{pmatrix}", "formula"),
        (r"10\pi \text{ inches}", "formula"),
        ("α+β", "formula"),
    ],
)
def test_what_an_answer_is(text, expected):
    assert kind(text) == expected


@each_case("text", ["B", "b", "(B)", "[b]", "B.", "B) 12 cm", "(B) 12 cm", "B: 12 cm", r"\text{B}", "{B}"])
def test_the_letter_of_a_choice(text):
    assert choice(text) == "B"


@each_case("text", ["because", "AB", "B12", "B or C", "12", "B 12", ""])
def test_other_texts_choose_nothing(text):
    assert choice(text) is None


@each_case("text", ["New York", "new  york", r"\text{New York}", "New York.", "“New York”", "ＮＥＷ York"])
def test_words_are_compared_without_their_dress(text):
    assert normalised(text) == "new york"


@each_case("joined", ["x=1 und x=2", "x=1 و x=2", "x=1和x=2", "x=1 বা x=2", "x=1 atau x=2", "x=1 или x=2"])
def test_and_and_or_of_many_languages_list(joined):
    assert with_commas(joined) == "x=1, x=2"


@each_case("word", [" oder ", " ou ", "或", "または", " или ", " y ", " o "])
def test_as_do_those_in_a_text_group(word):
    assert with_commas(rf"x=1\text{{{word}}}x=2") == "x=1, x=2"
    assert with_commas(rf"x=1 \mathrm{{{word}}} x=2") == "x=1, x=2"


@each_case("text", [r"2\text{y}", r"3\text{ cm }", r"4\text{ o'clock}", "x + y = 2"])
def test_other_text_groups_stay(text):
    assert with_commas(text) == text


@given(st.text(max_size=30))
def test_no_text_is_too_strange(text):
    assert normalised(normalised(text)) == normalised(text)
    choice(text)
    kind(text)
