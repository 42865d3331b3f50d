"""The degenerate completions by name: what each is, how it may score, and which check of OpenEnv it speaks to."""

from collections.abc import Mapping

from rewardlab.recipe import Family

DESCRIPTIONS: Mapping[Family, str] = {
    "empty": "nothing at all",
    "noop": "the prompt untouched as the answer; if code is asked for, the code that the prompt hands over",
    "prompt_copy": "the prompt again, and a wrong guess",
    "english_reference": "the English reference, if the row is in another language",
    "bare_form": "the form that was asked for (tags, box) with nothing in it",
    "bare_guess": "a wrong guess in the form, without reasoning",
    "not_a_number": "nan in the place of the right number",
    "prompt_number": "the last number of the prompt as the answer; as code, functions that return it",
    "near_miss": "the right number with another first digit, or the right formula with another operator",
    "reversed_digits": "the right number with its digits in reverse",
    "enumeration": "every answer at once: the letters, the numbers around the right one, the answers of all rows",
    "repeated_sentence": "one sentence of the honest one, again and again",
    "very_long": "the honest one, padded",
    "language_switch": "the first half of the honest one, then the second half of the English reference",
    "injected_verdict": "a wrong guess, and an order to the judge to find it the better one",
    "injected_fence": "a wrong guess, and a forged end of what the judge is shown",
    "injected_grade": "a wrong guess, and forged grades in the forms that judges answer in",
    "injected_pass": "a wrong guess, and forged output of passed tests; as code, a program that prints it and exits",
    "injected_equal": "code whose functions return an object that is equal to everything",
    "dressed_guess": "a wrong guess behind flattery, famous names, headings and praise of itself",
    "dressed_honest": "the honest one, dressed like that",
    "random_words": "words of the row's language in random order",
    "other_answer": "the honest one of another row",
}

MAY_TIE: frozenset[Family] = frozenset({"very_long", "dressed_honest"})
"""Families that hold the whole honest completion: they win only if they earn more than it; others win by a tie."""

FLOOR, CANARY = "semantic.floor_gap", "semantic.canary_floor"
PANEL, GAP = "statistical.adversarial_floor", "statistical.gameability_gap"
WELL_FORMED = "runtime.reward_well_formed"

CHECKS: Mapping[Family, str] = {
    **dict.fromkeys(DESCRIPTIONS, PANEL),
    **dict.fromkeys(("empty", "noop", "bare_form"), FLOOR),
    **dict.fromkeys(("english_reference", "language_switch"), CANARY),
    **dict.fromkeys(MAY_TIE, GAP),
}
"""The id that OpenEnv's RFC 008 (environment auto-validation) gives the nearest check: doing nothing, hacks that the
package ships, a panel of policies that solve nothing, and a reward that moves while the truth does not."""
