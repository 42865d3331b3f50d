"""NeMo-RL: batches of conversations as its rollouts hand them to an environment."""

import pytest
from helpers.advice import as_advised
from pydantic import ValidationError
from rewardlab.errors import JobError, UserError

from .conftest import ALONE, COMPARED, MASKING, TEXTS, faulty

pytestmark = pytest.mark.slow  # loads torch


@pytest.fixture
def environment(mine, peer):
    """An environment as `env: rewardlab:` sets it; `nemo_rl` is a copy of its interface if it is not installed."""
    pytest.importorskip("torch")
    peer("nemo_rl")
    from rewardlab_trainers.nemo_rl import RewardEnvironment

    return lambda recipe, **said: RewardEnvironment({"recipe": mine.recipe(recipe), **said})


def batch(texts=TEXTS, **info):
    """What `calculate_rewards` of nemo_rl/experience/rollouts.py hands over: conversations and their info."""
    asked = {"role": "user", "content": "1+1?"}
    logs = [[asked, {"role": "assistant", "content": text}] for text in texts]
    return logs, [{"ground_truth": "2", **info} for _ in texts]


def rewards(found):
    """What `calculate_rewards` makes of a step's result."""
    observations, metadata, _, given, terminateds, _ = found
    assert len(observations) == len(metadata) == len(given) == len(terminateds)
    assert terminateds.all()
    return given.tolist()


def test_completions_by_themselves_have_the_rewards_of_score(environment, told):
    assert rewards(environment(ALONE).step(*batch(id="q1"))) == pytest.approx(told(ALONE)["total"], abs=1e-6)


def test_what_comes_before_the_answer_is_the_prompt(environment):
    logs, info = batch(["3"], level=1)
    row = environment(ALONE)._row([0], logs, info)
    assert row == {"prompt": logs[0][:1], "answer": "2", "level": 1, "completions": [{"text": "3"}]}


def test_groups_known_by_an_entry_have_the_rewards_of_score(environment, told):
    grouped = environment(COMPARED, group="row", group_size=4)
    logs, info = (first + second for first, second in zip(batch(row=1), batch(TEXTS[::-1], row=2), strict=True))
    turns = [0, 4, 1, 5, 2, 6, 3, 7]
    found = rewards(grouped.step([logs[i] for i in turns], [info[i] for i in turns]))
    line, reversed_line = told(COMPARED)["shaped"], told(COMPARED, TEXTS[::-1])["shaped"]
    assert found == pytest.approx([(line + reversed_line)[i] for i in turns], abs=1e-6)


def test_a_group_that_is_not_whole_is_an_error(environment):
    grouped = environment(COMPARED, group="row", group_size=4)
    with pytest.raises(JobError, match=r"1 completions of row 3 came together, and a group has 4; .* synchronous"):
        grouped.step(*batch(["2"], row=3))
    with pytest.raises(JobError, match="extra_env_info has no 'row'"):
        grouped.step(*batch())


@pytest.mark.parametrize("recipe", [MASKING, faulty()])
def test_a_failure_is_an_error_of_the_step(environment, recipe):
    with pytest.raises(JobError, match="the toy failed"):
        environment(recipe).step(*batch(["good", "BAD"]))


def test_what_is_missing_is_told_before_a_step(environment):
    with pytest.raises(UserError, match=r"longest \(toy/longest\) compares .* NeMo-RL hands over each alone"):
        environment(COMPARED)
    with pytest.raises(UserError, match=r"'answer' is needed by accuracy .* NeMo-RL sends gold, level") as missing:
        environment(ALONE, label="gold", fields=["level"])
    named = environment(as_advised(ALONE, missing, "gold"), label="gold", fields=["level"])
    assert named.step(*batch(["\\boxed{2}"])).rewards.tolist() == pytest.approx([1.1])
    with pytest.raises(UserError, match="field 'answer' is needed by accuracy"):
        environment(ALONE, label="gold").step(*batch())
    with pytest.raises(UserError, match="give both `group` and `group_size`"):
        environment(ALONE, group="row")
    with pytest.raises(ValidationError, match="groupsize"):
        environment(ALONE, groupsize=4)


def test_another_version_is_told(environment, monkeypatch):
    import rewardlab_trainers.nemo_rl as module

    monkeypatch.setattr(module, "EnvironmentReturn", tuple)
    with pytest.raises(UserError, match=r"has no observations.* install NeMo-RL of August 2026"):
        environment(ALONE)
