"""The scorer: a recipe's reward, opened once for all samples and tasks of a process."""

import atexit
import math
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

from anyio import CapacityLimiter, to_thread
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from rewardlab import RecipeReward, ScoredCompletion, load_reward
from rewardlab.errors import UserError

from rewardlab_inspect.sample_row import sample_row

TOTAL = "total"
AT_ONCE = 256
"""samples whose scores are waited for at the same time; what judges and workers bear, the recipe says"""


@scorer(metrics={"*": [mean(), stderr()]})
def recipe(recipe: str, overrides: Sequence[str] = (), gold: str = "answer") -> Scorer:
    """Score each sample by the reward of a recipe: `total`, and each component's value by its name.

    Args:
        recipe: a YAML file.
        overrides: as on the command line.
        gold: the field of the row that the sample's target becomes; its metadata are the other fields. A missing
            component has no value (NaN, which inspect_ai leaves out of its metrics), and the total has none either
            if the component's `on_missing` is `zero_advantage`; with `fail`, the default, the sample ends with the
            error.

    Raises UserError if the recipe compares the answers to a question, since a scorer sees one at a time, or if samples
    lack a field that the recipe's rewards need.
    """
    path = str(Path(recipe).absolute())  # inspect_ai may change the folder before it scores
    _refuse_comparisons(reward := _opened(path, tuple(overrides)))
    places = CapacityLimiter(AT_ONCE)

    async def score(state: TaskState, target: Target) -> Score:
        row = sample_row(state, target, gold)
        return _as_score(await to_thread.run_sync(partial(reward.score_one, **row), limiter=places), state)

    return score


@cache
def _opened(path: str, overrides: tuple[str, ...]) -> RecipeReward:
    reward = load_reward(path, *overrides)
    atexit.register(reward.close)
    return reward


def _refuse_comparisons(reward: RecipeReward) -> None:
    compares = [name for name, component in reward.plan.components.items() if component.spec.scope == "group"]
    if compares:
        named = f"{', '.join(compares)} compare{'s' * (len(compares) == 1)}"
        problem = f"{named} the answers to a question, of which a scorer sees one"
        raise UserError(
            f"{problem}; `rewardlab convert` makes rows of the log, which `rewardlab score` scores together"
        )


def _as_score(completion: ScoredCompletion, state: TaskState) -> Score:
    values = {name: _value(score.value) for name, score in completion.components.items()}
    reasons = (f"{name}: {score.reason}" for name, score in completion.components.items() if score.reason)
    return Score(
        value={TOTAL: _value(completion.total), **values},
        answer=state.output.completion,
        explanation="\n".join(reasons) or None,
        metadata={name: dict(score.info) for name, score in completion.components.items() if score.info},
    )


def _value(value: float | None) -> float:
    return math.nan if value is None else value
