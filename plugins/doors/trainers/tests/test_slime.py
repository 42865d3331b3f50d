"""slime and miles: groups and samples as they hand them over, and rewards as they train on them."""

import asyncio
from types import SimpleNamespace

import pytest
from helpers.advice import as_advised
from rewardlab.errors import JobError, UserError
from rewardlab_trainers.slime import reward_function

from .conftest import ALONE, COMPARED, MASKING, ROW, TEXTS, faulty, teaching
from .peers.slime_rollout import Sample, normalized, rewarded, rewarded_group, train_data

OPENING = "from rewardlab_trainers.slime import reward_function"
GRPO = {"advantage_estimator": "grpo", "rewards_normalization": True, "grpo_std_normalization": True}


@pytest.fixture
def args(mine):
    """The flags of a job with a recipe: `args(recipe, {option: value}, flag=value)`."""

    def flags(recipe, options=(), **more):
        module = mine(OPENING, recipe, "post_process = reward.post_process", **dict(options))
        paths = {"custom_rm_path": f"{module}.reward", "custom_reward_post_process_path": f"{module}.post_process"}
        return SimpleNamespace(**{**paths, "group_rm": True, "reward_key": None, **GRPO, **more})

    return flags


def samples(texts=TEXTS, group=7, **more):
    """The samples of a prompt, which are copies of one another before they are generated."""
    same = {"group_index": group, "prompt": ROW["prompt"], "label": ROW["answer"], **more}
    done = {"status": Sample.Status.COMPLETED, "response_length": 3}
    return [Sample(**same, **done, index=index, response=text) for index, text in enumerate(texts)]


def test_a_group_has_the_rewards_of_score(args, told):
    group = samples()
    asyncio.run(rewarded_group(args(COMPARED), group))
    line = told(COMPARED)
    assert [sample.reward for sample in group] == pytest.approx(line["shaped"], abs=1e-6)
    accuracy = [sample.metadata["rewardlab"]["rewardlab/accuracy"] for sample in group]
    assert accuracy == line["components"]["accuracy"]["value"]


def test_a_sample_alone_has_the_reward_of_score_by_its_key(args, told):
    flags, group = args(ALONE, group_rm=False, reward_key="score"), samples()
    for sample in group:
        asyncio.run(rewarded(flags, sample))
    assert [sample.reward["score"] for sample in group] == pytest.approx(told(ALONE)["total"], abs=1e-6)
    assert group[0].reward["rewardlab/accuracy"] == 1.0


def test_a_member_that_failed_neither_trains_nor_votes(args):
    texts = ["\\boxed{2}", "\\boxed{2} BAD", "3", "4"]
    group, without = samples(texts), samples([texts[0], *texts[2:]], group=8)
    flags = args(MASKING, reward_key="score")
    asyncio.run(rewarded_group(flags, group))
    asyncio.run(rewarded_group(flags, without))
    assert group[1].reward["score"] == pytest.approx((1.5 + 0.5 + 0.5) / 3)
    rewards, masks = train_data(flags, [*group, *without])
    others = normalized([1.5, 0.5, 0.5], flags)
    assert rewards == pytest.approx([others[0], 0.0, *others[1:], *others], abs=1e-6)
    assert [sum(mask) for mask in masks] == [3, 0, 3, 3, 3, 3, 3]


@pytest.mark.parametrize("state", [Sample.Status.FAILED, Sample.Status.ABORTED])
def test_a_sample_that_slime_calls_failed_neither_trains_nor_votes(args, state):
    """Its reward is that of no answer: it is not one that says nothing."""
    group, without = samples(["\\boxed{2}", "", "3"]), samples(["\\boxed{2}", "3"], group=8)
    group[1].status = state
    flags = args(ALONE)
    for each in (group, without):
        asyncio.run(rewarded_group(flags, each))
    assert [sample.remove_sample for sample in group] == [False, True, False]
    assert [group[0].reward, group[2].reward] == [sample.reward for sample in without]


def test_a_failure_that_nothing_masks_is_an_error(args):
    with pytest.raises(JobError, match="the toy failed"):
        asyncio.run(rewarded(args(MASKING, group_rm=False), samples(["BAD"])[0]))
    with pytest.raises(JobError, match="component 'faulty'"):
        asyncio.run(rewarded_group(args(faulty()), samples(["BAD", "good"])))


def test_what_is_missing_is_told_before_a_step(args):
    with pytest.raises(UserError, match=r"'answer' is needed by accuracy .* sends gold, language") as missing:
        reward_function(ALONE, label="gold", fields=["language"])
    reward_function(as_advised(ALONE, missing, "gold"), label="gold", fields=["language"])
    with pytest.raises(UserError, match="field 'answer' is needed by accuracy"):
        asyncio.run(rewarded_group(args(ALONE, {"label": "gold"}), samples()))
    for recipe in (COMPARED, teaching("drop")):
        with pytest.raises(UserError, match="hands over each alone here; start it with --group-rm"):
            asyncio.run(rewarded(args(recipe, group_rm=False), samples()[0]))


def test_what_is_no_group_is_refused(args):
    flags = args(COMPARED)
    with pytest.raises(JobError, match="not of one group"):
        asyncio.run(rewarded_group(flags, [*samples(group=1), *samples(group=2)]))
    with pytest.raises(UserError, match="several samples"):
        asyncio.run(rewarded_group(flags, [samples(), samples()]))
    with pytest.raises(UserError, match=r"SimpleNamespace has no prompt.*install slime or miles of August 2026"):
        asyncio.run(rewarded_group(flags, [SimpleNamespace(response="3")]))


def test_metadata_are_the_fields_and_may_have_the_prompt_without_its_template(toy):
    metadata = {"prompt": "plain?", "language": "id", "id": None}
    row = reward_function(ALONE, ends=["<end>"])._row(samples(["3<end>"], metadata=metadata))
    completion = {"text": "3", "token_count": 3, "truncated": False}
    assert row == {"prompt": "plain?", "language": "id", "answer": "2", "completions": [completion]}
