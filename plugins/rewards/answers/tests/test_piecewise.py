from helpers.each_case import each_case
from helpers.growth import many, refuse_growth
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_answers.piecewise import cut, join, most_pieces

bits = st.sampled_from(["a", "bb", ". ", "! ", " ", "\n", "\n\n", "。", "\n \n", "？", "x" * 30, "3.14"])


@given(st.lists(bits, max_size=60).map(lambda found: "".join(found).strip()), st.sampled_from([5, 20, 50]))
def test_pieces_are_short_and_together_the_text(text, most):
    pieces = cut(text, most)
    assert "".join(piece + gap for piece, gap in pieces) == text
    assert all(len(piece) <= most for piece, _ in pieces)
    assert len(pieces) <= most_pieces(len(text), most)
    assert join(pieces, [piece for piece, _ in pieces]).split() == " ".join(piece for piece, _ in pieces).split()


@each_case(
    "text, most, pieces",
    [
        ("One. Two.\n\nThree.", 50, ["One. Two.\n\nThree."]),
        ("One. Two.\n\nThree.\n\nFour.", 16, ["One. Two.", "Three.\n\nFour."]),
        ("It is 3.14. That is pi. So.", 12, ["It is 3.14.", "That is pi.", "So."]),
        ("一开始有书。弟弟带了书。所以。", 8, ["一开始有书。", "弟弟带了书。", "所以。"]),
        ("啊。什么？！对。", 5, ["啊。", "什么？！", "对。"]),
        ("one two three", 8, ["one two", "three"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
    ],
)
def test_blank_lines_come_before_sentences_before_words(text, most, pieces):
    assert [piece for piece, _ in cut(text, most)] == pieces


def test_there_are_texts_of_nearly_the_most_pieces():
    text = " ".join(["a" * 15, "b" * 6] * 8)
    assert len(cut(text, 20)) == most_pieces(len(text), 20) - 1


def test_translations_are_joined_as_the_pieces_stood():
    pieces = cut("Eins.\n\nZwei. Drei.", 7)
    assert join(pieces, ["One.", "Two.", "Three."]) == "One.\n\nTwo. Three."


def test_translations_of_a_language_without_spaces_are_apart():
    assert join(cut("书。弟。", 2), ["Books.", "A brother."]) == "Books. A brother."


@each_case("again, last", [("a. ", "a"), ("。", ""), ("x", ""), ("a\n\n", "a"), (" \n", "b")])
def test_a_hostile_text_takes_time_linear_in_its_length(again, last):
    """It would be quadratic if each place looked at all others."""
    refuse_growth(again, lambda text: cut(text, 4000), many(again, "a", last))
