"""What stage rl hands to the executor, and what it makes of an engine that ended well."""

from types import SimpleNamespace

import pytest
from rewardlab.errors import JobError
from rewardlab.recipe import RlStage
from rewardlab_openrlhf.job.reinforcement import check_last_step, executor_settings
from rewardlab_openrlhf.options import Options

SAMPLING = {
    "top_k": 20,
    "stop": ["###"],
    "eval": {"samples": 3, "temperature": 0.25, "top_p": 0.5, "top_k": None},
    "chat": {"template": "{{ messages }}"},
}


def test_the_executor_is_told_what_openrlhf_has_no_arguments_for():
    stage = RlStage(use="rl", algorithm="grpo", batch_size=4, group_size=2, **SAMPLING)
    drawn = {"min_p": 0.0, "repetition_penalty": 1.0, "stop": ["###"]}
    engine = {"colocate": False, "asynchronous": {}, "generate_batch": 8, "barrier": {"completion_timeout": 60}}
    assert executor_settings(Options(scorers={"replicas": 3}, engine=engine), stage, policy_judge=True) == {
        "completion_timeout": 60.0,
        "scoring_timeout": 1800.0,
        "on_partial": "fail",
        "scorers": 3,
        "chat_template": "{{ messages }}",
        "sampling": {**drawn, "top_p": 1.0, "top_k": 20},
        "evaluation_sampling": {**drawn, "top_p": 0.5, "top_k": None},
        "generates_ahead": True,
        "evaluation_before": {"samples": 3, "temperature": 0.25},
        "policy_judge": True,
    }


@pytest.mark.parametrize("more", [{}, {"eval": {}, "eval_before": False}])
def test_an_executor_that_has_nothing_of_its_own_to_do_is_told_so(more):
    stage = RlStage(use="rl", algorithm="grpo", batch_size=4, group_size=2, **more)
    engine = {"colocate": False, "asynchronous": {}, "generate_batch": 4}
    given = executor_settings(Options(engine=engine), stage, policy_judge=False)
    own = ("generates_ahead", "policy_judge", "evaluation_before")
    assert [given[name] for name in own] == [False, False, None]
    assert given["sampling"] == given["evaluation_sampling"]


@pytest.fixture
def said():
    """Return what is said of a step of 4 groups of 2 completions, of which updates take 8, or else 8 / `updates`."""

    def check(step, groups, updates=1):
        lines = []
        stage = RlStage(use="rl", algorithm="grpo", batch_size=4, group_size=2, updates_per_batch=updates)
        check_last_step(SimpleNamespace(stage=stage, name="0-rl", say=lines.append), (step, groups))
        return lines

    return check


@pytest.mark.parametrize(
    ("groups", "left"), [(0, "every group"), (3, "all groups but 3, which are less than an update")]
)
def test_a_stage_that_trained_on_nothing_has_failed(said, groups, left):
    """OpenRLHF saves the weights that it began with, and ends with 0."""
    with pytest.raises(JobError, match=f"0-rl: reward.teach left out {left}, so nothing was"):
        said(1, groups)


@pytest.mark.parametrize(("step", "groups", "updates"), [(2, 0, 1), (7, 0, 1), (1, 2, 2), (3, 2, 2)])
def test_nothing_is_said_of_one_whose_groups_are_whole_updates(said, step, groups, updates):
    assert said(step, groups, updates) == []


def test_groups_that_are_no_whole_update_are_said_to_have_taught_nothing(said):
    [line] = said(6, 3)
    assert line.startswith(
        "step 6 had 3 of 4 groups when the prompts ran out; OpenRLHF makes no update of fewer than 8"
    )
    assert "the last 6 taught nothing" in line
    assert "the last 2 taught nothing" in said(1, 3, updates=2)[0]
