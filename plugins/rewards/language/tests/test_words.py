"""Words, their scripts and their letters."""

from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_language.words import BREAK, MIXED, words


def shape(text):
    return [(word.script, word.text, word.letters) for word in words(text) if word.script != BREAK]


@each_case(
    "text, expected",
    [
        ("Qu'il y a 5", [("Latn", "qu'il", 4)]),
        ("हिन्दी में", [("Deva", "हिन्दी", 5), ("Deva", "में", 3)]),
        ("ที่นี่", [("Thai", "ที่นี่", 4)]),
        ("итак x", [("Cyrl", "итак", 4)]),
        ("и", [("Cyrl", "и", 1)]),
        ("りんごが合計", [("Kana", "りんごが", 4), ("Hani", "合計", 2)]),
        ("한국어total을", [("Hang", "한국어", 3), ("Latn", "total", 5), ("Hang", "을", 1)]),
        ("Àkọ́kọ́", [("Latn", "àkọ́kọ́", 5)]),
        ("рertama", [(MIXED, "рertama", 7)]),
        ("Δx αβ", [("Grek", "αβ", 2)]),
        ("ជំហាន", [("other", "ជំហាន", 5)]),
        ("x² ½ ⑤ 🙂 _", []),
    ],
)
def test_words(text, expected):
    assert shape(text) == expected


@each_case("end", [".", "!", "?", "。", "।", "؟", "\n", ":", "։"])
def test_sentences_break(end):
    assert [word.script for word in words(f"one{end} two")] == ["Latn", BREAK, "Latn"]


def test_a_capital_inside_a_sentence_may_be_a_name():
    names = [word.text for word in words("Then Mary has one. Two are left, says John.") if word.name]
    assert names == ["mary", "john"]


@given(st.text())
def test_any_text_has_words(text):
    assert all(word.letters > 0 or word.script == BREAK or not word.text.isalpha() for word in words(text))
