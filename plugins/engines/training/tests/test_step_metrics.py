"""The metrics of a training step, from its scored groups."""

import pytest
from rewardlab import Completion, Sample, Score, ScoredGroup
from rewardlab_training import metrics_of_step


class TestStepMetrics:
    def group(self, values, totals, errors=None):
        errors = errors or [None] * len(values)
        scores = [Score(value=v, error=e) for v, e in zip(values, errors, strict=True)]
        return ScoredGroup(
            sample=Sample(id="s"),
            completions=[Completion(text="")] * len(values),
            components={"a": scores},
            totals=totals,
            shaped=[0.0] * len(values),
        )

    def test_means_are_over_what_has_a_value(self):
        found = metrics_of_step(
            [self.group([1.0, None], [2.0, None], [None, "down"]), self.group([0.0, 0.0], [1.0, 1.0])]
        )
        assert found == {
            "reward/total": pytest.approx(4 / 3),
            "reward/groups_without_variance": 1.0,
            "group/std": 0.0,
            "reward/a": pytest.approx(1 / 3),
            "missing/a": 0.25,
            "varied/a": 0.0,
        }

    def test_the_keys_are_the_same_where_nothing_has_a_value(self):
        found = metrics_of_step([self.group([None, None], [None, None])])
        assert found.keys() == metrics_of_step([self.group([1.0, 1.0], [1.0, 2.0])]).keys()
        assert found["reward/a"] != found["reward/a"]  # NaN
        assert found["missing/a"] == 0.0  # abstaining is not failing

    def test_a_component_that_a_damaged_group_lacks_is_one_of_the_others(self):
        whole, lacking = self.group([1.0, 0.0], [1.0, 0.0]), self.group([1.0, 0.0], [1.0, 0.0])
        lacking.components.clear()
        found = metrics_of_step([lacking, whole])
        assert (found["reward/a"], found["varied/a"], found["missing/a"]) == (0.5, 1.0, 0.0)
