"""Fifteen pairs more, written without a look at the probe, with weaknesses that no pair of `hack_pairs.pairs` has.

tasks           rows, right and careless completions
short_answers   verifiers of short answers
countdown       verifiers of the countdown game
programs        verifiers of programs, and of tests
judged          biases of judges
pairs           the list, and what was expected before anything was measured
"""

from hack_pairs.third import countdown, programs, short_answers
from hack_pairs.third.judged import BIASES
from hack_pairs.third.pairs import PAIRS

VERIFIERS = (countdown, programs, short_answers)

__all__ = ["BIASES", "PAIRS", "VERIFIERS"]
