"""What the stages of a run share: how many steps, in which order rows are read, and which are held out."""

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rewardlab import Config, CurriculumSpec
from rewardlab.errors import JobError, UserError
from rewardlab.plan.component import Component
from rewardlab.recipe.models import SftStage
from rewardlab.recipe.use import Use
from rewardlab.scoring.composition import ScoredGroup
from rewardlab.training.prompt_lengths import fitting_prompts
from rewardlab.training.stage import reading_order, steps_of
from rewardlab.types import Completion, Sample, Score
from rewardlab_trl.step_reward import metrics_of_step

SAMPLES = [Sample(id=str(i), prompt=({"role": "user", "content": "x" * i},)) for i in range(5)]


def plan_with(order=None, seed=0, curriculum=None):
    """What `reading_order` reads of a plan; `order(samples, seed)` makes a curriculum."""
    if order is not None:
        curriculum = SimpleNamespace(order=order)
    planned = None
    if curriculum is not None:
        spec = CurriculumSpec(name="made", summary="of a test", build=lambda options, context: curriculum)
        planned = Component(use=Use(use="test/made"), spec=spec, options=Config())
    return SimpleNamespace(curriculum=planned, recipe=SimpleNamespace(seed=seed))


class TestSteps:
    def test_steps_decide_where_they_are_given(self):
        assert steps_of(SftStage(use="sft", batch_size=4, steps=7, epochs=3), rows=100) == 7

    @pytest.mark.parametrize(
        ("rows", "epochs", "batch", "steps"),
        [(8, 1, 4, 2), (9, 1, 4, 3), (9, 2, 4, 5), (3, 1, 4, 1), (30, 0.1, 3, 1)],
    )
    def test_else_epochs_over_the_rows_each_row_read(self, rows, epochs, batch, steps):
        assert steps_of(SftStage(use="sft", batch_size=batch, epochs=epochs), rows) == steps

    @settings(max_examples=50)
    @given(rows=st.integers(1, 1000), epochs=st.integers(1, 5), batch=st.integers(1, 64))
    def test_whole_epochs_read_every_row_as_often_and_less_than_a_batch_more(self, rows, epochs, batch):
        read = steps_of(SftStage(use="sft", batch_size=batch, epochs=epochs), rows) * batch
        assert rows * epochs <= read < rows * epochs + batch


class TestReadingOrder:
    def test_without_a_curriculum_it_is_the_rows_own_pass_after_pass(self):
        assert reading_order(plan_with(), SAMPLES, 12) == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1]

    def test_each_pass_asks_the_curriculum_anew_with_the_next_seed(self):
        asked = []

        def order(samples, seed):
            asked.append(seed)
            return [(i + seed) % 5 for i in range(5)]

        assert reading_order(plan_with(order, seed=3), SAMPLES, 11) == [3, 4, 0, 1, 2, 4, 0, 1, 2, 3, 0]
        assert asked == [3, 4, 5]

    def test_an_order_may_leave_rows_out_and_repeat_others(self):
        assert reading_order(plan_with(lambda samples, seed: [4, 4, 0]), SAMPLES, 5) == [4, 4, 0, 4, 4]

    def test_a_curriculum_without_an_order_leaves_it_as_it_is(self):
        group_sampler = SimpleNamespace(more=lambda pool: 0)
        assert reading_order(plan_with(curriculum=group_sampler), SAMPLES, 3) == [0, 1, 2]

    @pytest.mark.parametrize("order", [[], [5], [-1], ["0"], None, 3, [1.0]], ids=repr)
    def test_what_is_no_order_is_the_curriculums_failure(self, order):
        with pytest.raises(JobError, match=r"curriculum test/made"):
            reading_order(plan_with(lambda samples, seed: order), SAMPLES, 5)

    def test_its_exception_gets_its_name(self):
        def order(samples, seed):
            raise ValueError("cannot sort these")

        with pytest.raises(JobError, match=r"curriculum test/made: ValueError: cannot sort these"):
            reading_order(plan_with(order), SAMPLES, 5)


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
