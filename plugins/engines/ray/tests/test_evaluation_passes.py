"""The evaluations of a training: each is written once it is whole, and its texts are held no longer than that."""

import gc
import weakref

import pytest
from rewardlab import Completion, Sample, Score, ScoredGroup
from rewardlab_ray.scoring.evaluation_passes import EvaluationPasses


class Text(str):
    """A text of which can be told whether somebody holds it."""


def scored(row):
    return ScoredGroup(
        sample=Sample(id=str(row), prompt=({"role": "user", "content": "?"},)),
        completions=[Completion(text=Text("long"), token_count=3)],
        components={"a": [Score(value=1.0)]},
        totals=[1.0],
        shaped=[1.0],
    )


@pytest.mark.slow
def test_no_text_is_held_once_the_results_of_an_evaluation_are_written(tmp_path):
    passes = EvaluationPasses(tmp_path, "0-rl", rows=2, by=(), counted_info={}, every=10, last=100)
    for step, add in ((0, passes.add_to_first), (10, lambda row, group: passes.add(row, group, 10))):
        groups = [scored(row) for row in range(2)]
        held = [weakref.ref(group.completions[0].text) for group in groups]
        assert [add(row, group) for row, group in enumerate(groups)] == [False, True]
        del groups
        gc.collect()
        assert [one() for one in held] == [None, None], f"step {step}"
    assert passes.rows_of_first() == []
    assert not passes.add_to_first(0, scored(0)), "a claim that two made"
    assert {path.name for path in tmp_path.glob("*.json")} == {"0-rl-before.json", "0-rl-step-10.json"}
