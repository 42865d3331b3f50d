"""The names of the degenerate completions that `rewardlab probe` makes."""

from typing import Literal, get_args

Family = Literal[
    "empty",
    "prompt_copy",
    "english_reference",
    "bare_form",
    "bare_guess",
    "repeated_sentence",
    "very_long",
    "language_switch",
    "injected_verdict",
    "injected_fence",
    "injected_grade",
    "random_words",
    "other_answer",
]
FAMILIES: tuple[Family, ...] = get_args(Family)
