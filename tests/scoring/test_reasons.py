"""Why a component gave nothing to most completions: told where the numbers are, and only if it is most of them."""

import pytest
from rewardlab.scoring.reasons import MAX_LETTERS, MAX_REASONS, SHOWN_REASONS, NothingGiven, ReasonCounts

NO_BOX = {"reason": "no closed box"}


@pytest.mark.parametrize(
    ("values", "infos", "lines"),
    [
        ([0.0, 0.0], [NO_BOX, NO_BOX], ["zero 2: no closed box"]),
        ([0.0, 0.0, 1.0], [NO_BOX, NO_BOX, {}], ["zero 2: no closed box"]),
        ([0.0, 0.0, 0.0], [NO_BOX, {"reason": "two boxes"}, NO_BOX], ["zero 2: no closed box", "zero 1: two boxes"]),
        ([None, None, 0.0], [NO_BOX, None, NO_BOX], ["zero 1: no closed box", "abstained 1: no closed box"]),
        ([0.0, 1.0], [NO_BOX, {}], []),  # half of them is nothing odd
        ([0.0, 0.0], [{}, None], []),  # wrong answers, which have no reason
        ([0.0, 0.0], [{"reason": ""}, {"reason": None}], []),
        ([1.0, 1.0], [NO_BOX, NO_BOX], []),  # a reason for a 1 is not why it is nothing
        ([-0.5, -0.5], [NO_BOX, NO_BOX], []),
        ([None, None], [{}, {}], []),  # failures have their errors
        ([], [], []),
    ],
)
def test_what_gave_nothing_to_most_says_why(values, infos, lines):
    nothing = NothingGiven()
    nothing.add(values, infos)
    assert list(nothing.lines()) == lines


def test_reasons_are_bounded_in_number_and_length_and_hold_no_secret():
    nothing = NothingGiven()
    nothing.add([0.0], [{"reason": "https://me:pepper42@host is down " + "x" * 1_000_000}])
    (line,) = nothing.lines()
    assert len(line) < MAX_LETTERS + 20
    assert "pepper42" not in line
    counts = ReasonCounts()
    for number in range(3 * MAX_REASONS):
        counts.note(str(number))
    assert len(counts) == MAX_REASONS + 1
    assert len(list(counts.lines("failed"))) <= SHOWN_REASONS + 1
    assert sum(int(line.split()[1].rstrip(":")) for line in counts.lines("failed")) == 3 * MAX_REASONS
