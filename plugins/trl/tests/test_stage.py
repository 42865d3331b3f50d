"""What the stages of a run share: how many steps, in which order rows are read, and which are held out."""

from types import SimpleNamespace

import pytest
from rewardlab import Completion, Sample, Score, ScoredGroup
from rewardlab.errors import UserError
from rewardlab.training import fitting_prompts
from rewardlab_trl.step_reward import metrics_of_step

SAMPLES = [Sample(id=str(i), prompt=({"role": "user", "content": "x" * i},)) for i in range(5)]


class TestFittingPrompts:
    """A policy that reads a letter as a token."""

    def fit(self, context, max_new_tokens=0, max_prompt_tokens=None):
        said = []
        shape = SimpleNamespace(text=lambda sample: sample.prompt[0]["content"], tokens=list)
        kept = fitting_prompts(
            context, shape, SAMPLES, max_new_tokens, max_prompt_tokens, "r.yaml: stages.1", said.append
        )
        return [sample.id for sample in kept], said

    def test_without_a_limit_all_are_kept(self):
        assert self.fit(None) == (["0", "1", "2", "3", "4"], [])

    def test_longer_ones_are_left_out_and_counted(self):
        assert self.fit(None, max_prompt_tokens=2) == (
            ["0", "1", "2"],
            ["left out 2 of 5 prompts longer than 2 tokens"],
        )

    def test_the_context_must_have_room_for_the_completion_too(self):
        kept, said = self.fit(10, max_new_tokens=9, max_prompt_tokens=3)
        assert kept == ["0", "1"]
        assert said == [
            "left out 3 of 5 prompts longer than 1 tokens (the model's context of 10 less max_new_tokens, 9)"
        ]

    def test_none_left_is_an_error_that_says_where(self):
        with pytest.raises(UserError, match=r"r.yaml: stages.1: all 5 prompts are longer than -3 tokens"):
            self.fit(10, max_new_tokens=13)


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
        }

    def test_the_keys_are_the_same_where_nothing_has_a_value(self):
        found = metrics_of_step([self.group([None, None], [None, None])])
        assert found.keys() == metrics_of_step([self.group([1.0, 1.0], [1.0, 2.0])]).keys()
        assert found["reward/a"] != found["reward/a"]  # NaN
        assert found["missing/a"] == 0.0  # abstaining is not failing
