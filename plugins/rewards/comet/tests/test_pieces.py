"""Cutting of pairs that do not fit: arithmetic on token positions."""

import itertools

from helpers.each_case import each_case
from helpers.growth import refuse_growth
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_comet.comet_scorer.pieces import EncoderWindow, cut, pieces

XLM_R = EncoderWindow(together=508, each=508)
WINDOWS = [XLM_R, EncoderWindow(507, 506), EncoderWindow(1016, 508), EncoderWindow(20, 20)]
LENGTHS = st.integers(1, 3000)


def nowhere(place):
    return 0


def at(*places, rank=2):
    return lambda place: rank if place in places else 0


@each_case("mt, src", [(1, 1), (500, 8), (8, 500), (254, 254), (507, 1)])
def test_what_fits_stays_whole(mt, src):
    assert pieces(mt, src, XLM_R, nowhere, nowhere) == [((0, mt), (0, src))]


def test_one_token_too_many_is_cut():
    assert pieces(501, 8, XLM_R, nowhere, nowhere) == [((0, 250), (0, 8)), ((250, 501), (0, 8))]


def test_a_side_of_half_the_window_is_repeated_whichever_it_is():
    assert [src for _, src in pieces(2000, 254, XLM_R, nowhere, nowhere)] == [(0, 254)] * 8
    assert [mt for mt, _ in pieces(254, 2000, XLM_R, nowhere, nowhere)] == [(0, 254)] * 8


def test_two_long_sides_are_cut_into_equally_many_pieces():
    assert pieces(600, 300, XLM_R, nowhere, nowhere) == [((0, 300), (0, 150)), ((300, 600), (150, 300))]


def test_each_side_may_have_a_window_of_its_own():
    window = EncoderWindow(together=200, each=100)
    assert pieces(100, 100, window, nowhere, nowhere) == [((0, 100), (0, 100))]
    assert pieces(101, 20, window, nowhere, nowhere) == [((0, 50), (0, 20)), ((50, 101), (0, 20))]


@given(mt=LENGTHS, src=LENGTHS, window=st.sampled_from(WINDOWS))
def test_every_piece_fits_and_no_token_is_left_out(mt, src, window):
    found = pieces(mt, src, window, lambda place: place % 3, lambda place: place % 2)
    for length, spans in ((mt, [a for a, _ in found]), (src, [b for _, b in found])):
        assert all(begin < end for begin, end in spans)
        assert set(itertools.chain(*itertools.starmap(range, spans))) == set(range(length))
    assert all(window.holds(a[1] - a[0], b[1] - b[0]) for a, b in found)


def test_cuts_move_to_the_best_place_nearby():
    assert cut(100, 2, nowhere) == [(0, 50), (50, 100)]
    assert cut(100, 2, at(46)) == [(0, 46), (46, 100)]
    assert cut(100, 2, at(56)) == [(0, 56), (56, 100)]
    assert cut(100, 2, at(48, 53)) == [(0, 48), (48, 100)]
    assert cut(100, 2, at(20)) == [(0, 50), (50, 100)], "too far"


def test_a_sentence_goes_before_white_space():
    assert cut(100, 2, lambda place: {49: 1, 45: 2}.get(place, 0)) == [(0, 45), (45, 100)]


def test_more_pieces_than_tokens_repeat_tokens():
    assert cut(2, 4, nowhere) == [(0, 1), (0, 1), (1, 2), (1, 2)]


def test_a_megabyte_is_cut_in_linear_time():
    assert len(pieces(500_000, 400, XLM_R, nowhere, nowhere)) > 900
    refuse_growth("tokens", lambda count: pieces(count, 400, XLM_R, nowhere, nowhere), lambda length: 10 * length)
