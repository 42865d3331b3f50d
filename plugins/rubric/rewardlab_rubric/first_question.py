"""A small question in the form of those that a reward by rubric sends."""

from dataclasses import replace

from rewardlab import Ask, Sample
from rewardlab.text import fence_key

from rewardlab_rubric.levels import levels_of
from rewardlab_rubric.options import RubricOptions
from rewardlab_rubric.rubrics import Rubric, field_of
from rewardlab_rubric.strategies.questions import params_of, rubrics_of, stand_in, template_of

SUM = Sample(id="sum", prompt=({"role": "user", "content": "How much is 2 + 3?"},))
TEXTS = {"query": "How much is 2 + 3?", "response": "5", "a": "5", "b": "6"}
STAND_IN = {
    "scale": {"1": "wrong", "2": "right"},
    "binary": {"true": "right", "false": "wrong"},
    "pair": {"response_1": "the first is right", "response_2": "the second is right"},
}
"""levels for where each row has its own"""


def first_question(options: RubricOptions) -> Ask:
    """Return a question about a sum, by the rubric of the recipe or, where rows have their own, by a small one."""
    if field_of(options.rubric) is None:
        row = replace(SUM, fields={options.language: "en"})
        rubric = rubrics_of(options)(row)[1]
    else:
        rubric = stand_in(options, Rubric(levels_of(STAND_IN[options.kinds[0]], options.kinds)))
    names = ("query", "response") if options.sort == "single" else ("query", "a", "b")
    parts = {name: TEXTS[name] for name in names}
    params = params_of(options)
    return Ask(messages=template_of(options).messages(rubric, parts, fence_key(parts)), parts=parts, params=params)
