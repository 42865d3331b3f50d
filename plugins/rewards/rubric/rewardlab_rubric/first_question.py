"""A small question in the form of those that a reward by rubric sends."""

from dataclasses import replace

from rewardlab import Ask, Sample

from rewardlab_rubric.levels import levels_of
from rewardlab_rubric.options import RubricOptions
from rewardlab_rubric.rubrics import Rubric, field_of
from rewardlab_rubric.strategies.questions import Questions, stand_in, stand_in_fields

SUM = Sample(id="sum", prompt=({"role": "user", "content": "How much is 2 + 3?"},))
QUERY, TEXTS = "How much is 2 + 3?", ("5", "6")
STAND_IN = {
    "scale": {"1": "wrong", "2": "right"},
    "binary": {"true": "right", "false": "wrong"},
    "pair": {"response_1": "the first is right", "response_2": "the second is right"},
}
"""levels to ask with if each row has its own rubric"""


def first_question(options: RubricOptions) -> Ask:
    """Return a question about a sum, by the recipe's rubric, or by a small one if rows have their own."""
    questions = Questions(options)
    if field_of(options.applied) is None:
        rubric = questions.rubric(replace(SUM, fields=stand_in_fields(options)))[1]
    else:
        rubric = stand_in(options, Rubric(levels_of(STAND_IN[options.kinds[0]], options.kinds)))
    return questions.by(rubric, QUERY, *(TEXTS[:1] if options.sort == "single" else TEXTS)).ask
