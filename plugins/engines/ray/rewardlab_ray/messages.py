"""Messages between the actors of one rl stage; they travel between processes, so plain data and no engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from rewardlab.judging import Usage
from rewardlab.scoring import OtherMemberError
from rewardlab_training import GroupNumbers

SCORED = "group/scored"
"""a log of each sample: 1 if it has a total, else 0, as it then has no advantage and counts in no statistic"""


OUTCOME = "group/outcome"
"""a log of each sample, where others take the place of groups that do not teach: 0 for all of these, else 0 and 1"""


@dataclass(frozen=True, kw_only=True, slots=True)
class RolloutPrompt:
    """The prompt that a ticket of the engine stands for."""

    row: int
    """index of the stage's training samples, or of its evaluation samples"""
    text: str
    """for the tokenizer, which adds no special tokens of its own"""
    opened: str
    """`<think>` and its newline if the chat template opened one; belongs before a completion's text"""
    position: int | None
    """in the recipe's reading order, from 0; None for an evaluation"""
    step: int | None
    """from 1; 0 of an evaluation before the first step, and None of the others and where only the order in which groups
    end decides their step"""
    evaluation: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupPlace:
    """The place of a group in its stage: its prompt's row, its step and its size."""

    key: str
    """unique to the group; two groups of one prompt have two keys"""
    row: int
    evaluation: bool
    step: int | None
    """as in RolloutPrompt"""
    size: int
    """G, the number of completions that the caller waits for; at least 1"""
    position: int | None = None
    """as in RolloutPrompt"""
    discarded: bool = False
    """whether the engine leaves the group out; known once it is recorded"""

    @property
    def prompt(self) -> str:
        """The name of its prompt in messages: "row 3 of the training prompts"."""
        return f"row {self.row} of the {'evaluation' if self.evaluation else 'training'} prompts"

    @property
    def trains(self) -> bool:
        """Whether the engine trains on the group, once it is recorded."""
        return not (self.evaluation or self.discarded)


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupRewards:
    """The rewards of a group's G members, in the order in which they asked for them."""

    kept: tuple[int, ...]
    """index, in order of `put`, of the completion that each member gets"""
    values: tuple[float, ...]
    """what the trainer receives, finite: advantages (of reinforce_baseline before they are whitened over the step), or
    shaped rewards for ppo; of an evaluation correctness, or totals if the recipe names none"""
    lost: float
    """what it receives for a member without a completion: no advantage, or for ppo the mean of the others"""
    correctness: tuple[float, ...] | None
    """what OpenRLHF calls scores: the correctness; where groups are replaced, of a training the `OUTCOME`. None if the
    recipe names neither"""
    logs: tuple[Mapping[str, float], ...]
    """the same keys for every sample of a run; NaN if there is no value"""
    members: tuple[int, ...] = ()
    """the slots of these members, where each asks for its own reward"""

    def as_dict(self) -> dict[str, Any]:
        """Return the rewards as JSON values, in Python's JSON, which has NaN."""
        return {column.name: getattr(self, column.name) for column in fields(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "GroupRewards":
        """Return the rewards of `as_dict`."""
        given: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
        return cls(**given)

    def of_member(self, slot: int) -> "MemberReward":
        """Return the reward of one member. OtherMemberError if the group was scored without it."""
        if slot not in self.members:
            raise OtherMemberError(f"completion {slot} came after the others had been scored")
        order = self.members.index(slot)
        return MemberReward(value=self.values[order], logs=self.logs[order])


@dataclass(frozen=True, kw_only=True, slots=True)
class FinishedGroup:
    """A scored group as its scorer hands it on to the recorder: finished lines of the ledger, its numbers, its rewards.

    Args:
        lines: of each completion, as `ledger_lines` makes them.
        unchosen: likewise, of the completions of its pool that the group sampler did not choose.
        asked: what the judges were asked until then by that scorer, in this attempt.
    """

    lines: Sequence[bytes]
    unchosen: Sequence[bytes] = ()
    numbers: GroupNumbers
    rewards: GroupRewards
    scorer: int = 0
    asked: Mapping[str, Usage] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return all but what the judges were asked as JSON values."""
        texts = {name: [line.decode() for line in getattr(self, name)] for name in ("lines", "unchosen")}
        return {**texts, "numbers": self.numbers.as_dict(), "rewards": self.rewards.as_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "FinishedGroup":
        """Return the group of `as_dict`."""
        lines, unchosen = ([line.encode() for line in values[name]] for name in ("lines", "unchosen"))
        numbers, rewards = GroupNumbers.from_dict(values["numbers"]), GroupRewards.from_dict(values["rewards"])
        return cls(lines=lines, unchosen=unchosen, numbers=numbers, rewards=rewards)


@dataclass(frozen=True, kw_only=True, slots=True)
class MemberReward:
    """The reward of one member of a group: `value` as in GroupRewards.values, and its logs."""

    value: float
    logs: Mapping[str, float]
