"""The order in which a stage reads its rows, and how many steps it takes."""

from types import SimpleNamespace

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab import Config, CurriculumSpec
from rewardlab.errors import JobError
from rewardlab.plan.component import Component
from rewardlab.recipe.training_stages import RlStage, SftStage
from rewardlab.recipe.use import Use
from rewardlab.types import Sample
from rewardlab_training import shuffled
from rewardlab_training.stage_rows import reading_order, steps_of

SAMPLES = [Sample(id=str(i), prompt=({"role": "user", "content": "x" * i},)) for i in range(5)]
DATASET = ("dataset",)


def plan_with(order=None, seed=0, curriculum=None, stages=(), datasets=None):
    """What `reading_order` reads of a plan; `order(samples, seed)` makes a curriculum."""
    if order is not None:
        curriculum = SimpleNamespace(order=order)
    planned = None
    if curriculum is not None:
        spec = CurriculumSpec(name="made", summary="of a test", build=lambda options, context: curriculum)
        planned = Component(use=Use(use="test/made"), spec=spec, options=Config())
    own = datasets or {}
    tree = {"stages": {index: {"dataset": "its own"} for _, index, _ in own}}
    return SimpleNamespace(
        curriculum=planned,
        recipe=SimpleNamespace(seed=seed, stages=list(stages)),
        datasets={DATASET: Component(use=Use(use="test/rows"), spec=None, options=None), **own},
        document=SimpleNamespace(tree=tree),
    )


def order_of(plan, count):
    """Return the order of a stage that reads `count` rows."""
    plan.recipe.stages = [SftStage(use="sft", batch_size=count, steps=1)]
    return reading_order(plan, 0, SAMPLES)


class TestSteps:
    def test_steps_decide_where_they_are_given(self):
        assert steps_of(SftStage(use="sft", batch_size=4, steps=7, epochs=3), rows=100) == 7

    @each_case("rows, epochs, batch, steps", [(8, 1, 4, 2), (9, 1, 4, 3), (9, 2, 4, 5), (3, 1, 4, 1), (30, 0.1, 3, 1)])
    def test_else_epochs_over_the_rows_each_row_read(self, rows, epochs, batch, steps):
        assert steps_of(SftStage(use="sft", batch_size=batch, epochs=epochs), rows) == steps

    @given(rows=st.integers(1, 1000), epochs=st.integers(1, 5), batch=st.integers(1, 64))
    def test_whole_epochs_read_every_row_as_often_and_less_than_a_batch_more(self, rows, epochs, batch):
        read = steps_of(SftStage(use="sft", batch_size=batch, epochs=epochs), rows) * batch
        assert rows * epochs <= read < rows * epochs + batch


class TestReadingOrder:
    def test_without_a_curriculum_each_pass_is_a_shuffle_of_its_own(self):
        order = order_of(plan_with(seed=2), 12)
        assert order == [*shuffled(SAMPLES, 2), *shuffled(SAMPLES, 3), *shuffled(SAMPLES, 4)[:2]]

    def test_each_pass_asks_the_curriculum_anew_with_the_next_seed(self):
        asked = []

        def order(samples, seed):
            asked.append(seed)
            return [(i + seed) % 5 for i in range(5)]

        assert order_of(plan_with(order, seed=3), 11) == [3, 4, 0, 1, 2, 4, 0, 1, 2, 3, 0]
        assert asked == [3, 4, 5]

    def test_an_order_may_leave_rows_out_and_repeat_others(self):
        assert order_of(plan_with(lambda samples, seed: [4, 4, 0]), 5) == [4, 4, 0, 4, 4]

    def test_a_group_sampler_alone_leaves_the_shuffle(self):
        group_sampler = SimpleNamespace(more=lambda pool: 0)
        assert order_of(plan_with(curriculum=group_sampler), 3) == shuffled(SAMPLES, 0)[:3]

    def test_a_stage_goes_on_where_the_last_one_of_its_kind_and_dataset_stopped(self):
        rl = RlStage(use="rl", algorithm="grpo", group_size=2, batch_size=2, steps=2)
        other = {("stages", 2, "dataset"): Component(use=Use(use="other/rows"), spec=None, options=None)}
        plan = plan_with(stages=[SftStage(use="sft", batch_size=3, steps=1), rl, rl, rl], datasets=other)
        whole = [*shuffled(SAMPLES, 0), *shuffled(SAMPLES, 1)]
        found = [reading_order(plan, index, SAMPLES) for index in range(4)]
        assert found == [whole[:3], whole[:4], whole[:4], whole[4:8]]

    @each_case("order", [[], [5], [-1], ["0"], None, 3, [1.0]])
    def test_what_is_no_order_is_the_curriculums_failure(self, order):
        with pytest.raises(JobError, match=r"curriculum test/made"):
            order_of(plan_with(lambda samples, seed: order), 5)

    def test_its_exception_gets_its_name(self):
        def order(samples, seed):
            raise ValueError("cannot sort these")

        with pytest.raises(JobError, match=r"curriculum test/made: ValueError: cannot sort these"):
            order_of(plan_with(order), 5)
