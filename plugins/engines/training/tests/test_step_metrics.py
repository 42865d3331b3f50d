"""The metrics of a training step, from its scored groups."""

import json
import math

import pytest
from helpers.each_case import each_case
from rewardlab import Completion, Sample, Score, ScoredGroup, load_reward
from rewardlab.judging import Usage
from rewardlab_training import GroupNumbers, metrics_of_step, numbers_of_group

PENALTY = {
    "version": 1,
    "reward": {
        "components": {
            "right": {"use": "toy/brevity", "with": {"words": 2}},
            "overlong": {"use": "format/overlong", "with": {"max_tokens": 10, "buffer": 10}},
            "watched": {"use": "toy/letters"},
        },
        "total": "right + 0.5 * overlong",
        "correctness": "right",
        "teach": {"flat": "drop"},
    },
}
"""what is right here and long loses half of what it gets"""


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
            "teaching/total": pytest.approx(math.nan, nan_ok=True),
            "rollout/failed": 0.0,
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


def scored(*groups, **changes):
    """Groups of (text, tokens) by the recipe with a length penalty."""
    rows = [
        {"prompt": f"{number}?", "completions": [{"text": text, "token_count": tokens} for text, tokens in group]}
        for number, group in enumerate(groups)
    ]
    with load_reward(PENALTY | {"reward": PENALTY["reward"] | changes}) as reward:
        return reward.score(rows)


RIGHT, WRONG = "a", "a b c d e f g h i j k l m n o p q r s t u v w x y z"


class TestCurves:
    def test_what_teaches_stands_beside_all_that_was_generated(self, toy):
        found = metrics_of_step(scored([(RIGHT, 1), (WRONG, 1)], [(RIGHT, 1), (RIGHT, 9)]), correctness="right")
        assert found["reward/total"] > found["teaching/total"], "the second group is flat in what is right"
        assert found["teaching/total"] == pytest.approx(
            metrics_of_step(scored([(RIGHT, 1), (WRONG, 1)]))["reward/total"]
        )

    @each_case(
        "group, took",
        [
            ([(RIGHT, 5), (WRONG, 5)], 0),  # both are as long: it takes nothing
            ([(RIGHT, 10), (WRONG, 0)], -1),  # what is right is longer
            ([(RIGHT, 1), (WRONG, 10)], 1),  # what is wrong is: it adds
        ],
    )
    def test_what_the_length_penalty_took_of_the_advantages(self, toy, group, took):
        found = metrics_of_step(scored(group), correctness="right")
        assert found["advantage/right"] + found["advantage/overlong"] == pytest.approx(1)
        assert (found["advantage/overlong"] > 1e-9) - (found["advantage/overlong"] < -1e-9) == took
        assert "advantage/watched" not in found, "it is no part of the total"

    def test_keys_are_those_of_every_step_where_nothing_teaches(self, toy):
        flat = metrics_of_step(scored([(RIGHT, 1), (RIGHT, 9)]), correctness="right")
        assert flat.keys() == metrics_of_step(scored([(RIGHT, 1), (WRONG, 9)]), correctness="right").keys()
        assert math.isnan(flat["advantage/right"])
        assert math.isnan(flat["length/wrong"])

    def test_tokens_by_outcome_without_what_sampled_nothing(self, toy):
        (group,) = scored([(RIGHT, 4), (RIGHT, 6), (WRONG, 9), ("", 0)])
        found = metrics_of_step([group], correctness="right")
        assert (found["length/right"], found["length/wrong"]) == (5, 9)
        assert (found["rollout/failed"], found["missing/right"]) == (0.25, 0.0)
        assert "length/right" not in metrics_of_step([group]), "no correctness is named"

    def test_what_was_generated_for_a_step_stands_beside_it_where_other_prompts_take_the_place_of_some(self, toy):
        of_step, flat = scored([(RIGHT, 1), (WRONG, 1)], [(RIGHT, 1), (RIGHT, 1)])
        numbers = [numbers_of_group(group) for group in (of_step, flat)]
        found = metrics_of_step(numbers[:1], generated=numbers)
        assert found["generated/total"] == metrics_of_step(numbers)["reward/total"] > found["reward/total"]
        assert "generated/total" not in metrics_of_step(numbers)

    def test_they_go_through_a_journal(self, toy):
        """As those of engines whose groups are scored in other processes."""
        groups = scored([(RIGHT, 4), (WRONG, 9)], [(RIGHT, 2), ("", 0)])
        numbers = [numbers_of_group(group, "right") for group in groups]
        again = [GroupNumbers.from_dict(json.loads(json.dumps(group.as_dict()))) for group in numbers]
        assert again == numbers
        found = metrics_of_step(again)
        assert {name: repr(value) for name, value in found.items()} == {
            name: repr(value) for name, value in metrics_of_step(groups, correctness="right").items()
        }

    def test_seconds_and_cost_of_judges(self):
        group = TestStepMetrics().group([1.0, 0.0], [1.0, 0.0])
        found = metrics_of_step([group], {"main": Usage(calls=2, usd=0.5, seconds=3.0)})
        assert (found["judge/main/usd"], found["judge/main/seconds"]) == (0.5, 3.0)
