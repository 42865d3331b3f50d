"""The split of a step into micro-batches: by the recipe's sizes, by tokens, or by rows that are no more tokens."""

import pytest
from helpers.each_case import each_case
from rewardlab.recipe import load
from rewardlab_openrlhf.compile.batches import batches, largest_divisor
from rewardlab_openrlhf.layout import layout_of
from rewardlab_openrlhf.options import options_of
from rewardlab_training import check_recipe

RECIPE = """
    version: 1
    name: made
    model: org/model
    dataset: {use: toy/counting, with: {rows: 32}, fields: {chosen: answer, rejected: response}}
    reward:
      components: {brevity: {use: toy/brevity}}
      total: brevity
      correctness: brevity
    stages:
      - use: rl
        algorithm: dr_grpo
        group_size: 8
        batch_size: 32
        steps: 4
        max_prompt_tokens: 4096
        max_new_tokens: 2048
      - {use: sft, steps: 2, batch_size: 64, max_tokens: 4096}
      - {use: dpo, steps: 2, batch_size: 64, max_tokens: 4096}
    backend: {use: openrlhf, gpus_per_node: 8, gradient_checkpointing: true, engine: {zero_stage: 3}}
"""


UNPACKED = "backend.engine={packing: false, attention: sdpa, tokens_per_gpu: 20000}"
REPLACED = "reward.teach={flat: replace, by: brevity}", "backend.engine.tokens_per_gpu=100000"
SHORT = "stages.0.max_prompt_tokens=512", "stages.0.max_new_tokens=512"


@pytest.fixture
def sizes(toy, write):
    """The batches of stage `index`."""
    path = write("r.yaml", RECIPE)

    def found(*overrides, index=0, longest=None):
        plan = check_recipe(load(path, overrides))
        stage = plan.recipe.stages[index]
        return batches(plan, stage, layout_of(options_of(plan), stage), longest)

    return found


def test_without_a_size_they_are_made_by_their_tokens(sizes):
    assert (sizes().tokens, sizes().longest) == (8192, 6144)
    assert sizes("backend.engine.tokens_per_gpu=16384").tokens == 16384


@pytest.mark.parametrize(
    "own",
    [
        UNPACKED,
        "stages.0.micro_batch_size=1",
        "backend.engine.rollout_micro_batch_size=1",
        REPLACED[0],
    ],
)
def test_by_rows_where_the_recipe_says_so_and_where_openrlhf_needs_it(sizes, own):
    assert sizes(own, "backend.gpus_per_node=2").tokens is None


def test_the_recipes_own_settings_win(sizes):
    of_stage = sizes("stages.0.micro_batch_size=16", "backend.engine.tokens_per_gpu=100")
    assert (of_stage.micro, of_stage.rollout_micro) == (16, 16)
    both = sizes("stages.0.micro_batch_size=4", "backend.engine.rollout_micro_batch_size=8")
    assert (both.micro, both.rollout_micro) == (4, 8)
    assert sizes("backend.engine.rollout_micro_batch_size=8").micro == 1


def test_rows_are_as_many_as_divide_a_ranks_share_and_are_no_more_tokens(sizes):
    assert sizes(UNPACKED).micro == sizes(UNPACKED).rollout_micro == 2, "3 of 6,144 tokens, of a share of 32"
    assert sizes(UNPACKED, *SHORT).micro == 16
    assert sizes(UNPACKED, longest=10).micro == 8, "once the prompts are read, the longest one counts"
    assert sizes(UNPACKED, "stages.0.max_new_tokens=100000").micro == 1, "one that is too long is alone"


def test_sft_and_dpo_have_theirs(sizes):
    assert sizes(index=1).micro == 2
    assert sizes(index=2).micro == 1, "both responses of a pair go through the model together"
    assert sizes("backend.engine.ring_attention=2", index=1).micro == 4


def test_where_groups_are_replaced_the_last_batch_of_one_group_divides(sizes):
    assert sizes(*REPLACED, "backend.gpus_per_node=2").rollout_micro == 4


@each_case("share, most, rows", [(32, 5, 4), (30, 7, 6), (7, 6, 1), (8, 99, 8), (9, 1, 1)])
def test_all_are_of_the_same_size(share, most, rows):
    assert largest_divisor(share, most) == rows
