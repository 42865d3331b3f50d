"""Whether a group is flat in its outcome: by a component and not by the total, and rounding alone is no difference."""

import pytest
from rewardlab import Completion, Sample, Score, ScoredGroup
from rewardlab_ray.messages import OUTCOME
from rewardlab_ray.scoring.outcomes import outcome_sides
from rewardlab_ray.scoring.rewards import rewards

SINGLE = 0.3333333432674408
"""a third, in single precision"""


def group(*values, totals=None):
    return ScoredGroup(
        sample=Sample(id="s"),
        completions=tuple(Completion(text="word " * place) for place in range(len(values))),
        components={"right": [Score(value=value, error=None if value is not None else "gone") for value in values]},
        totals=totals or [float(place) for place in range(len(values))],
        shaped=totals or [float(place) for place in range(len(values))],
    )


@pytest.mark.parametrize(
    ("values", "sides"),
    [
        # flat, whatever the totals are: they differ in each of these
        ((0.0, 0.0, 0.0), [0, 0, 0]),
        ((1.0, 1.0), [0, 0]),
        ((0.1, 0.1, 0.1), [0, 0, 0]),  # whose mean in double precision is not 0.1
        ((1 / 3, SINGLE, 1 - 2 / 3), [0, 0, 0]),
        ((0.1 + 0.2, 0.3), [0, 0]),
        ((1e6, 1e6 * (1 + 1e-7)), [0, 0]),
        ((0.0, 1e-9), [0, 0]),
        ((-1.0, -1.0 - 1e-8), [0, 0]),
        ((None, None), [0, 0]),
        ((None, 1.0), [0, 0]),  # one vote differs from none
        ((None, 1.0, 1.0), [0, 0, 0]),
        # and those that teach
        ((0.0, 1.0), [0, 1]),
        ((1.0, 0.0, 1.0, 0.0), [1, 0, 1, 0]),
        ((0.0, 1e-4), [0, 1]),
        ((1 / 3, 2 / 3), [0, 1]),
        ((-1.0, 0.0), [0, 1]),
        ((0.0, None, 1.0), [0, 0, 1]),
        ((1e6, 1e6 + 10), [0, 1]),
        ((0.99999, 1.0), [0, 1]),
        ((0.2, 0.4, 0.6, 0.8), [0, 0, 1, 1]),
    ],
)
def test_sides(values, sides):
    assert outcome_sides(group(*values), "right") == sides


def test_a_group_is_told_its_outcome_where_an_engine_asks_for_it():
    scored = group(0.0, 1.0)
    told = rewards(scored, (0, 1), None, 2, "dr_grpo", "right")
    assert [log[OUTCOME] for log in told.logs] == [0.0, 1.0]
    assert OUTCOME not in rewards(scored, (0, 1), None, 2, "dr_grpo").logs[0]
    assert told.values == (-0.5, 0.5)
