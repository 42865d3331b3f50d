"""slime and miles: groups and samples as they hand them over, and rewards as they train on them."""

import asyncio
import json
import sys
from importlib import import_module, invalidate_caches
from types import SimpleNamespace

import pytest
from rewardlab.errors import JobError, UserError
from rewardlab_trainers.slime import reward_function

from .conftest import ALONE, COMPARED, MASKING, ROW, TEXTS, faulty
from .peers.slime_rollout import Sample, normalized, rewarded, rewarded_group, train_data

MINE = "rewards_of_slime"
FLAGS = {"custom_rm_path": f"{MINE}.reward", "reward_key": None, "custom_reward_post_process_path": None}
GRPO = {"advantage_estimator": "grpo", "rewards_normalization": True, "grpo_std_normalization": True}


def args(**flags):
    return SimpleNamespace(**{**FLAGS, **GRPO, "group_rm": True, **flags})


@pytest.fixture
def mine(tmp_path, monkeypatch, toy):
    """The file that `--custom-rm-path` names, as docs/trainers.md has it."""

    def file(recipe, **options):
        (tmp_path / "recipe.yaml").write_text(json.dumps(recipe))
        arguments = "".join(f", {name}={value!r}" for name, value in options.items())
        lines = [
            "from rewardlab_trainers.slime import reward_function",
            f"reward = reward_function({str(tmp_path / 'recipe.yaml')!r}{arguments})",
            "post_process = reward.post_process",
        ]
        (tmp_path / f"{MINE}.py").write_text("\n".join(lines))
        sys.modules.pop(MINE, None)
        invalidate_caches()

    monkeypatch.syspath_prepend(tmp_path)
    yield file
    sys.modules.pop(MINE, None)


def samples(texts=TEXTS, group=7, **more):
    """The samples of a prompt, which are copies of one another before they are generated."""
    same = {"group_index": group, "prompt": ROW["prompt"], "label": ROW["answer"], **more}
    done = {"status": Sample.Status.COMPLETED, "response_length": 3}
    return [Sample(**same, **done, index=index, response=text) for index, text in enumerate(texts)]


def test_a_group_has_the_rewards_of_score(mine, told):
    mine(COMPARED, ends=["<|im_end|>"])
    group = samples([f"{text}<|im_end|>" for text in TEXTS])
    asyncio.run(rewarded_group(args(), group))
    line = told(COMPARED)
    assert [sample.reward for sample in group] == pytest.approx(line["shaped"], abs=1e-6)
    accuracy = [sample.metadata["rewardlab"]["rewardlab/accuracy"] for sample in group]
    assert accuracy == line["components"]["accuracy"]["value"]


def test_a_sample_alone_has_the_reward_of_score_by_its_key(mine, told):
    mine(ALONE)
    group = samples()
    for sample in group:
        asyncio.run(rewarded(args(group_rm=False, reward_key="score"), sample))
    assert [sample.reward["score"] for sample in group] == pytest.approx(told(ALONE)["total"], abs=1e-6)
    assert group[0].reward["rewardlab/accuracy"] == 1.0


def test_a_member_that_failed_neither_trains_nor_votes(mine):
    mine(MASKING)
    texts = ["\\boxed{2}", "\\boxed{2} BAD", "3", "4"]
    group, without = samples(texts), samples([texts[0], *texts[2:]], group=8)
    flags = args(custom_reward_post_process_path=f"{MINE}.post_process", reward_key="score")
    asyncio.run(rewarded_group(flags, group))
    asyncio.run(rewarded_group(flags, without))
    assert group[1].reward["score"] == pytest.approx((1.5 + 0.5 + 0.5) / 3)
    rewards, masks = train_data(flags, [*group, *without])
    others = normalized([1.5, 0.5, 0.5], flags)
    assert rewards == pytest.approx([others[0], 0.0, *others[1:], *others], abs=1e-6)
    assert [sum(mask) for mask in masks] == [3, 0, 3, 3, 3, 3, 3]


def test_a_failure_that_nothing_masks_is_an_error(mine):
    mine(MASKING)
    with pytest.raises(JobError, match="the toy failed"):
        asyncio.run(rewarded(args(group_rm=False), samples(["BAD"])[0]))
    mine(faulty())
    with pytest.raises(JobError, match="component 'faulty'"):
        asyncio.run(rewarded_group(args(), samples(["BAD", "good"])))


def test_what_is_missing_is_told_before_a_step(mine):
    mine(ALONE, label="gold", fields=["language"])
    with pytest.raises(UserError, match=r"'answer' is needed by accuracy .* sends gold, language"):
        import_module(MINE)
    mine(ALONE, label="gold")
    with pytest.raises(UserError, match="field 'answer' is needed by accuracy"):
        asyncio.run(rewarded_group(args(), samples()))
    mine(COMPARED)
    with pytest.raises(UserError, match="start it with --group-rm"):
        asyncio.run(rewarded(args(group_rm=False), samples()[0]))


def test_what_is_no_group_is_refused(mine):
    mine(COMPARED)
    with pytest.raises(JobError, match="not of one group"):
        asyncio.run(rewarded_group(args(), [*samples(group=1), *samples(group=2)]))
    with pytest.raises(UserError, match="several samples"):
        asyncio.run(rewarded_group(args(), [samples(), samples()]))
    with pytest.raises(UserError, match=r"SimpleNamespace has no prompt.*install slime or miles of August 2026"):
        asyncio.run(rewarded_group(args(), [SimpleNamespace(response="3")]))


def test_metadata_are_the_fields_and_may_have_the_prompt_without_its_template(toy):
    metadata = {"prompt": "plain?", "language": "id", "id": None}
    row = reward_function(ALONE, ends=["<end>"])._row(samples(["3<end>"], metadata=metadata))
    completion = {"text": "3", "token_count": 3, "truncated": False}
    assert row == {"prompt": "plain?", "language": "id", "answer": "2", "completions": [completion]}
