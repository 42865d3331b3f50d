"""The estimator that verl's trainer calls: rewards that are advantages already, at each token the sum from it on."""

import pytest
from rewardlab.errors import UserError
from rewardlab_verl.advantages import finished_advantages

pytestmark = pytest.mark.slow  # imports torch

JOB = {"rewardlab": {"job": "made", "whitening": None}}
MASK = [[1, 1, 1], [1, 1, 0]]


@pytest.fixture
def torch():
    """Imported by a test, not when all tests are collected."""
    return pytest.importorskip("torch")


def test_each_token_has_the_completions_advantage(torch):
    rewards = torch.tensor([[0.0, 0.0, 0.5], [0.0, -0.5, 0.0]])
    advantages, returns = finished_advantages(rewards, torch.tensor(MASK), config=JOB)
    assert advantages.tolist() == [[0.5, 0.5, 0.5], [-0.5, -0.5, 0.0]]
    assert returns.equal(advantages)


def test_a_penalty_counts_for_the_tokens_before_it(torch):
    rewards = torch.tensor([[-0.1, -0.2, 0.5], [0.0, 0.0, 9.0]])
    advantages, _ = finished_advantages(rewards, torch.tensor(MASK), config=JOB)
    assert advantages[0].tolist() == pytest.approx([0.2, 0.3, 0.5])
    assert advantages[1].tolist() == [0.0, 0.0, 0.0], "what is behind the mask is none of it"


def test_a_script_of_verls_own_takes_verls_estimators(torch):
    """Its rewards are no advantages: with this estimator they would have no baseline."""
    with pytest.raises(UserError, match="use verl's estimators, such as grpo"):
        finished_advantages(torch.zeros(2, 3), MASK, config={})
