import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_embed.pieces import cut, join

bits = st.sampled_from(["a", "bb", ". ", "! ", " ", "\n", "\n\n", "。", "\n \n", "？", "x" * 30, "3.14"])


@given(st.lists(bits, max_size=60).map(lambda found: "".join(found).strip()), st.sampled_from([5, 20, 50]))
def test_pieces_are_short_and_together_the_text(text, most):
    pieces = cut(text, most)
    assert "".join(piece + gap for piece, gap in pieces) == text
    assert all(len(piece) <= most for piece, _ in pieces)
    assert join(pieces, [piece for piece, _ in pieces]).split() == " ".join(piece for piece, _ in pieces).split()


@pytest.mark.parametrize(
    ("text", "most", "pieces"),
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


def test_translations_are_joined_as_the_pieces_stood():
    pieces = cut("Eins.\n\nZwei. Drei.", 7)
    assert join(pieces, ["One.", "Two.", "Three."]) == "One.\n\nTwo. Three."


def test_translations_of_a_language_without_spaces_are_apart():
    assert join(cut("书。弟。", 2), ["Books.", "A brother."]) == "Books. A brother."


@pytest.mark.parametrize(
    "text", ["a. " * 30_000, "。" * 100_000, "x" * 100_000, "a\n\n" * 30_000, "a" + " \n" * 50_000 + "b"]
)
def test_a_hostile_text_does_not_hold_the_loop(text):
    begin = time.process_time()
    cut(text.strip(), 4000)
    assert time.process_time() - begin < 0.3
