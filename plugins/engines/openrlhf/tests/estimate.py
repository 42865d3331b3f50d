"""What OpenRLHF's own estimator makes of rewards under a compiled command: `python estimate.py < JSON`, JSON out.

In: [{"module", "arguments", "whitening", "groups": [[[reward, whether it has a total], ...], ...]}, ...]. Out: for
each, the advantages of every group. What engine_trainer.py does around it is done here, too.
"""

import json
import sys
from types import SimpleNamespace

import torch
from openrlhf.trainer.ppo_utils.experience import Experience
from openrlhf.trainer.ppo_utils.experience_maker import RemoteExperienceMaker
from openrlhf.utils.config import hierarchize
from rewardlab_openrlhf.engine_arguments import check_arguments
from rewardlab_openrlhf.job.engine_trainer import take_as_they_are, whiten

TOKENS = 3


def estimate(case):
    arguments = hierarchize(check_arguments(case["module"], case["arguments"]))
    fixed = SimpleNamespace(value=0.0)  # no KL in the reward
    maker = RemoteExperienceMaker(None, None, None, None, fixed, SimpleNamespace(args=arguments), None)
    take_as_they_are(maker)
    rewards = [reward for group in case["groups"] for reward in group]
    experiences = [experience(number, *reward) for number, reward in enumerate(rewards)]
    if case["whitening"] is not None:
        whiten(experiences, case["whitening"])
    found = [experience.advantages[0].tolist() for experience in maker.compute_advantages_and_returns(experiences)]
    assert all(len(set(tokens)) == 1 for tokens in found), "one advantage for every token of a completion"
    size = len(case["groups"][0])
    return [[tokens[0] for tokens in found[at : at + size]] for at in range(0, len(found), size)]


def experience(number, reward, scored):
    mask = torch.ones(1, TOKENS, dtype=torch.long)
    info = {"group/scored": torch.tensor([scored])}
    rewards = torch.tensor([reward])
    return Experience(index=[number], rewards=rewards, action_mask=mask, kl=torch.zeros(1, TOKENS), info=info)


json.dump([estimate(case) for case in json.load(sys.stdin)], sys.stdout)
