"""Which process of a stage gets which GPUs."""

import pytest
from helpers.each_case import each_case
from rewardlab.recipe import DpoStage, RlStage, SftStage
from rewardlab_openrlhf.layout import LayoutError, layout_of
from rewardlab_openrlhf.options import Options

GRPO = RlStage(use="rl", algorithm="grpo")
WITH_REFERENCE = RlStage(use="rl", algorithm="grpo", kl={"coef": 0.01})
PPO = RlStage(use="rl", algorithm="ppo")


def backend(nodes=1, gpus=8, scorers=None, **engine):
    return Options(nodes=nodes, gpus_per_node=gpus, scorers=scorers or {}, engine=engine)


@pytest.fixture
def error():
    """(the place in the recipe, why) of counts that do not fit."""

    def find(backend, stage=GRPO):
        with pytest.raises(LayoutError) as raised:
            layout_of(backend, stage)
        return ".".join(raised.value.path), str(raised.value)

    return find


class TestColocated:
    def test_every_gpu_is_a_rank_and_an_engine_in_turn(self):
        layout = layout_of(backend(), PPO)
        assert (layout.ranks, layout.engines, layout.idle) == (8, 8, 0)
        assert (layout.engine_gpus, layout.critic_gpus) == (0, 0)

    @each_case("size", [1, 2, 4, 8])
    def test_ranks_are_engines_times_tensor_parallel(self, size):
        layout = layout_of(backend(nodes=2, tensor_parallel=size), GRPO)
        assert layout.ranks == layout.engines * size == 16

    def test_fewer_engines_leave_gpus_idle(self):
        layout = layout_of(backend(engines=3, tensor_parallel=2), GRPO)
        assert (layout.ranks, layout.idle) == (6, 2)

    def test_more_engines_than_gpus_do_not_fit(self, error):
        path, why = error(backend(engines=5, tensor_parallel=2))
        assert path == "backend.engine.engines"
        assert "5 engines of 2 take 10 GPUs, and there are 8" in why

    def test_scorers_have_gpus_of_their_own(self):
        layout = layout_of(backend(scorers={"replicas": 2, "num_gpus": 1}), GRPO)
        assert (layout.ranks, layout.scorers, layout.idle) == (6, 2, 0)

    def test_what_scorers_leave_must_divide_into_engines(self, error):
        path, why = error(backend(scorers={"num_gpus": 1}, tensor_parallel=2))
        assert path == "backend.engine.engines"
        assert why == "7 GPUs do not divide into engines of 2; `engines: 3` leaves 1 idle"


class TestApart:
    def test_half_of_the_gpus_are_for_engines(self):
        layout = layout_of(backend(nodes=2, colocate=False, tensor_parallel=2), WITH_REFERENCE)
        assert (layout.engines, layout.engine_gpus, layout.ranks, layout.idle) == (4, 8, 8, 0)

    def test_a_critic_takes_as_many_as_the_policy(self):
        layout = layout_of(backend(colocate=False, engines=4), PPO)
        assert (layout.ranks, layout.critic_gpus, layout.engine_gpus, layout.idle) == (2, 2, 4, 0)

    def test_an_odd_gpu_is_idle_not_lost_silently(self):
        assert layout_of(backend(colocate=False, engines=3), PPO).idle == 1

    @pytest.mark.parametrize(
        ("given", "stage", "path"),
        [
            ({"gpus": 1}, GRPO, "backend.engine.colocate"),
            ({"gpus": 2}, PPO, "backend.engine.colocate"),
            ({"gpus": 8, "engines": 8}, GRPO, "backend.engine.engines"),
            ({"gpus": 8, "engines": 7}, PPO, "backend.engine.engines"),
        ],
    )
    def test_the_trainer_must_be_left_some(self, error, given, stage, path):
        found, why = error(backend(colocate=False, **given), stage)
        assert found == path
        assert "`colocate: true` shares" in why


class TestScorers:
    @each_case("replicas, gpus, whole", [(1, 0, 0), (4, 0.25, 1), (5, 0.25, 2), (3, 0.4, 2), (3, 0.6, 3), (2, 2, 4)])
    def test_parts_of_a_gpu_are_shared_among_scorers_only(self, replicas, gpus, whole):
        assert layout_of(backend(scorers={"replicas": replicas, "num_gpus": gpus}), GRPO).scorers == whole

    def test_what_they_leave_of_a_node_counts_in_whole_engines(self, error):
        """3 scorers of 5 of a node's 8 GPUs leave 3 on each of three nodes: three engines of two, not four."""
        scorers = {"replicas": 3, "num_gpus": 5}
        assert "`engines: 3` leaves 3 idle" in error(backend(nodes=3, scorers=scorers, tensor_parallel=2))[1]
        layout = layout_of(backend(nodes=3, scorers=scorers, tensor_parallel=2, engines=3), GRPO)
        assert (layout.ranks, layout.scorers, layout.held, layout.idle) == (6, 15, 3, 3)
        assert "take 8 GPUs" in error(backend(nodes=3, scorers=scorers, tensor_parallel=2, engines=4))[1]

    def test_nor_do_engines_apart_get_parts_of_nodes(self):
        scorers = {"replicas": 1, "num_gpus": 1}
        layout = layout_of(backend(nodes=2, scorers=scorers, colocate=False, engines=1, tensor_parallel=4), GRPO)
        assert (layout.scorers, layout.held, layout.engine_gpus, layout.ranks) == (1, 3, 4, 8)

    def test_one_node_splits_no_engine(self):
        scorers = {"replicas": 1, "num_gpus": 1}
        layout = layout_of(backend(scorers=scorers, colocate=False, engines=1, tensor_parallel=4), GRPO)
        assert (layout.scorers, layout.held, layout.engine_gpus, layout.ranks) == (1, 0, 4, 3)

    def test_they_must_fit_the_nodes(self, error):
        path, why = error(backend(nodes=2, scorers={"replicas": 3, "num_gpus": 5}))
        assert (path, why) == ("backend.scorers.num_gpus", "3 scorers of 5 need 3 nodes of 8 GPUs")

    def test_they_must_leave_something(self, error):
        path, why = error(backend(scorers={"replicas": 8, "num_gpus": 1}))
        assert (path, why) == ("backend.scorers.num_gpus", "8 scorers take 8 of 8 GPUs and leave none to train on")

    @pytest.mark.parametrize("gpus", [1.5, 9])
    def test_more_than_one_gpu_must_be_whole_ones_of_a_node(self, error, gpus):
        assert error(backend(scorers={"num_gpus": gpus}))[0] == "backend.scorers.num_gpus"

    def test_sft_and_dpo_have_none(self):
        assert layout_of(backend(scorers={"replicas": 8, "num_gpus": 1}), SftStage(use="sft")).ranks == 8


def test_the_number_of_gpus_must_be_given(error):
    assert error(backend(gpus=None)) == (
        "backend.gpus_per_node",
        "missing; say how many GPUs each node has, such as 8",
    )
    assert "without one, use: trl" in error(backend(gpus=0))[1]


def test_an_engine_is_of_one_node(error):
    path, why = error(backend(nodes=4, gpus=4, tensor_parallel=8))
    assert path == "backend.engine.tensor_parallel"
    assert "must be of one node" in why


class TestTexts:
    """sft and dpo take whole nodes, as many as their batch divides over."""

    @pytest.mark.parametrize("kind", [SftStage, DpoStage])
    @pytest.mark.parametrize(
        ("batch", "micro", "nodes"),
        [(64, None, 4), (24, None, 3), (16, None, 2), (16, 2, 1), (8, None, 1), (9, None, 1)],
    )
    def test_as_many_as_divide(self, kind, batch, micro, nodes):
        stage = kind(use=kind.__name__[:3].lower(), batch_size=batch, micro_batch_size=micro)
        layout = layout_of(backend(nodes=4), stage)
        assert (layout.nodes, layout.ranks, layout.engines, layout.idle) == (nodes, nodes * 8, 0, 0)

    def test_a_ring_counts_once(self):
        stage = SftStage(use="sft", batch_size=16)
        assert layout_of(backend(nodes=4, ring_attention=2), stage).nodes == 4


def test_a_ring_is_one_part_of_the_batch(error):
    assert layout_of(backend(ring_attention=4), GRPO).shards == 2
    assert error(backend(ring_attention=3))[0] == "backend.engine.ring_attention"


def test_openrlhf_is_asked_for_the_same_ranks_on_every_node_where_they_divide():
    assert layout_of(backend(nodes=2), GRPO).ranks_by_node == (2, 8)
    assert layout_of(backend(nodes=2, scorers={"num_gpus": 1}), GRPO).ranks_by_node == (1, 15)
