"""Responses to word problems whose score by a rubric of four levels is known, for judges to learn from."""

import random
from collections.abc import Sequence

from rewardlab_data.wording import STEPS, Form, WordProblem

LEVELS = (1, 2, 3, 4)
"""1: neither the language of the question throughout nor the result in the form; 2: the form alone; 3: the language
alone; 4: both"""


def judged_response(
    problem: WordProblem, level: int, languages: Sequence[str], form: Form, generator: random.Random
) -> str:
    """Return a right solution that has this level. languages: those from which the wrong ones are drawn."""
    written = [problem.language] * STEPS
    if level in (1, 2):
        others = [language for language in languages if language != problem.language]
        other = others[int(generator.random() * len(others))]
        mixture = 1 + int(generator.random() * (2**STEPS - 1))
        written = [other if mixture >> step & 1 else problem.language for step in range(STEPS)]
    return problem.response(written, problem.result, form, formed=level in (2, 4))
