"""What SkyRL's trainer and generator hand to each other, copied from NovaSky-AI/SkyRL at a956457.

`TrajectoryID` and `BatchMetadata`: skyrl/train/generators/base.py. `generator_input`: `prepare_generator_input` in
skyrl/train/generators/utils.py. `Generator`: `SkyRLGymGenerator.generate` in
skyrl/train/generators/skyrl_gym_generator.py, with characters for tokens. `centred`: `compute_grpo_outcome_advantage`
in skyrl/backends/skyrl_train/utils/ppo_utils.py, without the deviation (`grpo_norm_by_std: false`).
"""

import copy
from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean
from types import SimpleNamespace


@dataclass
class TrajectoryID:
    instance_id: str
    repetition_id: int


@dataclass
class BatchMetadata:
    global_step: int | None
    training_phase: str


class Tokenizer:
    def decode(self, tokens, skip_special_tokens=False):
        return "".join(map(chr, tokens)).replace("$" if skip_special_tokens else "", "")


def generator_input(prompts, repeated):
    ids = [TrajectoryID(one["uid"], number) for one in prompts for number in range(repeated)]
    return {
        "prompts": [one["prompt"] for one in prompts for _ in range(repeated)],
        "env_classes": ["gsm8k"] * len(ids),
        "env_extras": [copy.deepcopy(one["env_extras"]) for one in prompts for _ in range(repeated)],
        "sampling_params": {},
        "trajectory_ids": ids,
        "batch_metadata": None,
    }


class Generator:
    """Generates the given texts, each ended by `$`; of two turns, the first and an observation stand before `|`."""

    def __init__(self, texts, **settings):
        self.texts, self.tokenizer, self.silent = texts, Tokenizer(), None
        switches = {"step_wise_trajectories": False, "zero_reward_on_non_stop": False, **settings}
        self.generator_cfg = SimpleNamespace(**switches)

    async def generate(self, input_batch, disable_tqdm=False):
        self.silent = disable_tqdm
        responses = [[*map(ord, f"{text}$")] for text in self.texts]
        turns = [text.find("|") for text in self.texts]
        return {
            "prompt_token_ids": [[1]] * len(responses),
            "response_ids": responses,
            "rewards": [[0.0] * len(one) for one in responses],
            "loss_masks": [
                [0 if turn // 2 <= place <= turn else 1 for place in range(len(one))]
                for one, turn in zip(responses, turns, strict=True)
            ],
            "stop_reasons": ["length" if "long" in text else "stop" for text in self.texts],
            "rollout_metrics": {"generate/avg_num_tokens": 1.0},
            "rollout_logprobs": None,
            "trajectory_ids": None,
        }


def centred(rewards, uids):
    groups = defaultdict(list)
    for uid, reward in zip(uids, rewards, strict=True):
        groups[uid].append(reward)
    return [reward - fmean(groups[uid]) for uid, reward in zip(uids, rewards, strict=True)]
