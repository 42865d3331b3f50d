"""The sets of pairs, and what may be claimed of each.

A half of the first thirty was fixed before anything was measured, by the hash of the name: what is changed in the probe
is tried on `tuned` pairs. The others were held out, and have been looked at since. The fresh ones were written later,
by one person a set who had not seen the probe, and each set was measured before the probe was changed for it: the
first by a probe that named 4 of 15, the second and third by the one that had learnt from these. Each author
had the weaknesses of all pairs before to avoid: 45 of them, then 75, then 90.
"""

import hashlib
from collections.abc import Sequence

from hack_pairs import fifth, fourth, second, third
from hack_pairs.pairs import FRESH, PAIRS, Pair
from hack_pairs.seventh import SEVENTH
from hack_pairs.sixth import SIXTH

_ORDER = sorted(PAIRS, key=lambda one: hashlib.sha256(one.name.encode()).digest())
SETS: dict[str, Sequence[Pair]] = {
    "tuned": [one for one in PAIRS if one in _ORDER[: len(PAIRS) // 2]],
    "held out": [one for one in PAIRS if one in _ORDER[len(PAIRS) // 2 :]],
    "fresh 1": FRESH,
    "fresh 2": second.PAIRS,
    "fresh 3": third.PAIRS,
    "fresh 4": fourth.PAIRS,
    "fresh 5": fifth.PAIRS,
    "fresh 6, open": [one for one in SIXTH.pairs if one.name not in SIXTH.avoided],
    "fresh 6, avoided": [one for one in SIXTH.pairs if one.name in SIXTH.avoided],
    "fresh 7, open": [one for one in SEVENTH.pairs if one.name not in SEVENTH.avoided],
    "fresh 7, avoided": [one for one in SEVENTH.pairs if one.name in SEVENTH.avoided],
}
CLAIMED = {"fresh 2 and 3": ("fresh 2", "fresh 3"), "fresh 4 and 5": ("fresh 4", "fresh 5")}
"""sets that are claimed together: the probe had seen none of them when it was measured"""
LEARNT_FROM = (
    *("nan", "value_only", "hardcoded"),
    *("unit_ignored", "hundredfold", "order_ignored", "infinite", "more_numbers", "many_answers", "sees_expected"),
    *("no_tests", "judge_opener", "judge_reference", "judge_confidence"),
    *("second_unreduced", "second_power", "third_unreduced", "third_floored"),
    *("fourth_point", "fourth_speaker", "fourth_dated", "fourth_criteria"),
    *("fifth_unsure", "fifth_parked_numbers", "fifth_from_the_left", "fifth_changed_given", "fifth_vague"),
)
"""pairs that the probe missed when it was first measured, and names since these were looked at"""


CLEARED = ("fourth_trivial",)
"""pairs whose sound twin the probe named when it was first measured, and does not since that was looked at"""


def set_of(pair: Pair) -> str:
    """Return the name of the pair's set."""
    return next(name for name, pairs in SETS.items() if pair in pairs)


def contemporaries(pair: Pair) -> Sequence[Pair]:
    """Return the pairs whose exploits a policy knows that is trained on this one: those of its authors."""
    return PAIRS if pair in PAIRS else SETS[set_of(pair)]
