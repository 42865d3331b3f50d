"""Fifteen pairs by somebody who had not seen the probe, nor any of its results: see `pairs`."""

from hack_pairs.fifth import countdown, judged, programs, short_answers
from hack_pairs.fifth.pairs import PAIRS

VERIFIERS = (countdown, programs, short_answers)
BIASES, SOUND = judged.BIASES, judged.SOUND

__all__ = ["BIASES", "PAIRS", "SOUND", "VERIFIERS"]
