"""SkyRL: batches that a generator is asked for, and what the trainer reads of its output."""

import asyncio

import pytest
from helpers.advice import as_advised
from rewardlab.errors import JobError, UserError
from rewardlab_trainers.skyrl import rewarded

from .conftest import ALONE, COMPARED, MASKING, TEXTS, faulty, teaching
from .peers.skyrl_generator import BatchMetadata, Generator, centred, generator_input

ASKED = [{"role": "user", "content": "1+1?"}]


def row(uid="0", **extras):
    spec = {"data_source": "sums", "reward_spec": {"method": "rule", "ground_truth": "2"}}
    return {"uid": uid, "prompt": ASKED, "env_extras": {**spec, **extras}}


ONE = (row(),)


def generated(recipe, texts=TEXTS, rows=ONE, **options):
    generator = rewarded(Generator(texts), recipe, **options)
    return asyncio.run(generator.generate(generator_input(rows, len(texts) // len(rows))))


def test_groups_have_the_rewards_of_score_and_means_in_the_metrics(told):
    output = generated(COMPARED, [*TEXTS, *TEXTS[::-1]], [row("a"), row("b")])
    line, reversed_line = told(COMPARED), told(COMPARED, TEXTS[::-1])
    assert output["rewards"] == pytest.approx(line["shaped"] + reversed_line["shaped"], abs=1e-6)
    metrics = output["rollout_metrics"]
    assert (metrics["reward/accuracy"], metrics["generate/avg_num_tokens"]) == (0.5, 1.0)


def test_a_member_that_failed_neither_trains_nor_votes(toy):
    texts = ["\\boxed{2}", "\\boxed{2} BAD", "3", "4"]
    output, without = generated(MASKING, texts), generated(MASKING, [texts[0], *texts[2:]])
    others = centred(without["rewards"], ["0"] * 3)
    assert centred(output["rewards"], ["0"] * 4) == pytest.approx([others[0], 0.0, *others[1:]], abs=1e-6)
    assert [any(mask) for mask in output["loss_masks"]] == [True, False, True, True]


def test_a_failure_that_the_recipe_does_not_allow_is_an_error(toy):
    with pytest.raises(JobError, match="component 'faulty'"):
        generated(faulty(), ["good", "BAD"])


def test_the_completion_is_the_last_turn_and_columns_are_fields(toy):
    generator = rewarded(Generator(["look|3 long"]), ALONE)
    batch = generator_input([row(extra_info={"level": 1}, language="id")], 1)
    output = asyncio.run(generator.inner.generate(batch))
    completion = {"text": "3 long", "token_count": 7, "truncated": True}
    columns = {"data_source": "sums", "language": "id", "level": 1, "answer": "2"}
    assert generator._row([0], batch, output) == {"prompt": ASKED, **columns, "completions": [completion]}


def test_the_trainer_finds_what_it_looks_for(toy):
    generator = rewarded(inner := Generator(TEXTS), ALONE)
    asyncio.run(generator.generate(generator_input([row()], 4), disable_tqdm=True))
    assert (inner.silent, generator.texts) == (True, TEXTS)
    with pytest.raises(AttributeError):
        _ = generator.nothing


def test_trajectories_without_ids_are_rewarded_alone(toy):
    batch = {**generator_input([row(id="q")], 4), "trajectory_ids": None}
    output = asyncio.run(rewarded(Generator(TEXTS), ALONE).generate(batch))
    assert output["rewards"] == pytest.approx(generated(ALONE)["rewards"])
    for recipe in (COMPARED, teaching("drop")):
        with pytest.raises(UserError, match="SkyRL hands over each alone here; it needs trajectory_ids"):
            asyncio.run(rewarded(Generator(TEXTS), recipe).generate(batch))


@pytest.mark.parametrize(("phase", "differ"), [("train", False), ("eval", True)])
def test_a_group_that_does_not_teach_is_measured_by_its_own_rewards(toy, phase, differ):
    batch = generator_input([row()], 2) | {"batch_metadata": BatchMetadata(global_step=1, training_phase=phase)}
    output = asyncio.run(rewarded(Generator(["a", "b1"]), teaching("drop")).generate(batch))
    assert (output["rewards"][0] != output["rewards"][1]) == differ


def test_what_is_missing_is_told(toy):
    with pytest.raises(UserError, match=r"'answer' is needed by accuracy .* SkyRL sends gold, level") as missing:
        rewarded(Generator(TEXTS), ALONE, label="gold", fields=["level"])
    named = as_advised(ALONE, missing, "gold")
    rewarded(Generator(TEXTS), named, label="gold", fields=["level"])
    assert generated(named, label="gold")["rewards"] == pytest.approx(generated(ALONE)["rewards"])
    with pytest.raises(UserError, match="field 'answer' is needed by accuracy"):
        generated(ALONE, label="gold")
    for setting in ("step_wise_trajectories", "zero_reward_on_non_stop"):
        with pytest.raises(UserError, match=f"generator.{setting}: a recipe rewards a trajectory as a whole"):
            rewarded(Generator(TEXTS, **{setting: True}), ALONE)
    with pytest.raises(UserError, match=r"dict has no env_extras, trajectory_ids, .* install SkyRL 0.3"):
        asyncio.run(rewarded(Generator(TEXTS), ALONE).generate({"prompts": []}))
