"""slime and miles: a recipe's reward for `--custom-rm-path`, and `--custom-reward-post-process-path` beside it."""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

from rewardlab import ScoredCompletion
from rewardlab.errors import JobError, UserError

from rewardlab_trainers.recipe_door import Recipe, RecipeDoor, Trainer, numbers_of, row_of

SLIME = Trainer(name="slime or miles", known="of August 2026 (624b824, 31f1ca9)", groups=True)
OF_THE_SAMPLE = ("prompt", "response", "response_length", "label", "status", "metadata", "group_index", "remove_sample")
FAILED = ("aborted", "failed")
"""states of a sample that is no answer"""
CENTRED = ("grpo", "gspo", "cispo", "reinforce_plus_plus_baseline")
"""estimators of which slime and miles normalize the rewards of a group"""
EPSILON = 1e-6


def reward_function(
    recipe: Recipe,
    *overrides: str,
    label: str = "answer",
    ends: Sequence[str] = (),
    fields: Collection[str] | None = None,
    device: str = "auto",
) -> "SlimeReward":
    """Return a recipe's reward for slime's or miles' `--custom-rm-path`; give `--group-rm` as well.

        reward = reward_function("/path/recipe.yaml", ends=["<|im_end|>"])  # in my_rewards.py: my_rewards.reward
        post_process = reward.post_process

    Args:
        label: the field of the recipe that a sample's label is; its metadata are the other fields.
        ends: texts of the special tokens that end a response.
        fields: the names in the metadata; given, a recipe that needs others is refused at once.

    Raises a UserError that lists every mistake of the recipe.
    """
    sent = None if fields is None else {label, *fields}
    return SlimeReward(RecipeDoor(SLIME, recipe, overrides, fields=sent, device=device), label, ends)


class SlimeReward:
    """The reward of a recipe as slime and miles call it: with one sample, or by `--group-rm` with those of a prompt."""

    def __init__(self, door: RecipeDoor, label: str, ends: Sequence[str]) -> None:
        self.door, self._label, self._ends = door, label, tuple(ends)

    async def __call__(self, args: Any, samples: Any, **_: Any) -> Any:
        """Return the number of a sample, or those of a group, and put each component's value into the metadata.

        A member of a group that could not be scored is removed from the loss (`remove_sample`) and gets the mean of the
        others; of a sample alone, this is raised as an error. With `--reward-key`, a number is an object's entry.
        """
        if not isinstance(samples, list):
            return await self._alone(args, samples)
        if not args.group_rm:  # the samples of one rollout, not of one prompt
            return await asyncio.gather(*(self._alone(args, sample) for sample in samples))
        if any(isinstance(sample, list) for sample in samples):
            raise UserError("a rollout has several samples, of which a recipe rewards one", where="--group-rm")
        self.door.expect(samples[0], *OF_THE_SAMPLE)
        if len(indices := {sample.group_index for sample in samples}) > 1 or None in indices:
            raise JobError(f"these samples are not of one group: their group_index is {', '.join(map(str, indices))}")
        (scored,) = await self.door.groups([self._row(samples)])
        return [
            _given(args, sample, completion) for sample, completion in zip(samples, scored.by_completion(), strict=True)
        ]

    async def _alone(self, args: Any, sample: Any) -> Any:
        self.door.expect(sample, *OF_THE_SAMPLE)
        self.door.refuse_alone("start it with --group-rm, which evaluations do not have")
        return _given(args, sample, await self.door.alone(self._row([sample])))

    def _row(self, samples: Sequence[Any]) -> dict[str, Any]:
        first, completions = samples[0], [self._completion(sample) for sample in samples]
        return row_of(first.metadata or {}, first.prompt, completions, **{self._label: first.label})

    def _completion(self, sample: Any) -> dict[str, Any]:
        text = sample.response
        for end in self._ends:
            text = text.removesuffix(end)
        status = sample.status.value
        completion = {"text": text, "token_count": sample.response_length, "truncated": status == "truncated"}
        return {**completion, "error": f"slime says that it is {status}"} if status in FAILED else completion

    def post_process(self, args: Any, samples: Sequence[Any]) -> tuple[list[float], list[float]]:
        """Return the rewards as they are, and normalized as slime does, but without the votes of removed samples."""
        raw = [sample.get_reward_value(args) for sample in samples]
        if args.advantage_estimator not in CENTRED or not args.rewards_normalization:
            return raw, raw
        by_std = args.grpo_std_normalization and args.advantage_estimator != CENTRED[-1]
        votes: dict[Hashable, dict[Hashable, float]] = defaultdict(dict)  # samples of one rollout have one
        for sample, reward in zip(samples, raw, strict=True):
            if not sample.remove_sample:
                votes[sample.group_index][_rollout(sample)] = reward
        scales = {group: _mean_and_scale([*rewards.values()], by_std) for group, rewards in votes.items()}
        normalized = [0.0] * len(raw)
        for index, sample in enumerate(samples):
            if not sample.remove_sample:
                mean, scale = scales[sample.group_index]
                normalized[index] = (raw[index] - mean) / scale
        return raw, normalized


def _given(args: Any, sample: Any, completion: ScoredCompletion) -> float | Mapping[str, float]:
    """Return what slime takes as the reward of a sample; remove the sample if it has none."""
    sample.remove_sample = sample.remove_sample or completion.total is None
    numbers = numbers_of(completion)
    sample.metadata = {**(sample.metadata or {}), "rewardlab": numbers}
    return {**numbers, args.reward_key: completion.shaped} if args.reward_key else completion.shaped


def _rollout(sample: Any) -> Hashable:
    return sample.index if sample.rollout_id is None else sample.rollout_id


def _mean_and_scale(rewards: Sequence[float], by_std: bool) -> tuple[float, float]:
    return fmean(rewards), stdev(rewards) + EPSILON if by_std and len(rewards) > 1 else 1.0
