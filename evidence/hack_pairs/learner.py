"""A policy small enough to train ninety times: a softmax over ways to answer, moved by GRPO's advantages.

It begins honest: careless most of the time, careful now and then, and with a small chance for each exploit that its
task knows. Its completions are scored by rewardlab as any trainer's, and what a step logs is what a trainer logs.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from rewardlab import RecipeReward
from rewardlab_training import group_advantages, metrics_of_step

from hack_pairs.pairs import Pair
from hack_pairs.recipes import HACKED, TRUTH, training_row
from hack_pairs.sets import contemporaries
from hack_pairs.tasks import Row

PROMPTS, GROUP, STEPS, RATE = 16, 8, 120, 0.15
EXPLORED = 0.05
"""share of completions whose way is drawn evenly, as sampling keeps trying what is rare"""
SKILLS = {"careless": (0.3, 0.45), "plain": (0.55, 0.3), "careful": (0.8, 0.1)}
"""honest ways to answer: how often each is right, and how often the policy takes it at first"""

Way = Callable[[Row, random.Random], str]


def ways(pair: Pair) -> dict[str, Way]:
    """Return the policy's ways to answer: honest ones, and the exploits of all pairs of its time and task."""
    found: dict[str, Way] = {name: _honest(pair, skill) for name, (skill, _) in SKILLS.items()}
    for other in contemporaries(pair):
        if other.task is pair.task:
            found[other.name] = lambda row, _, hack=other.hack: hack(row)
    return found


def _honest(pair: Pair, skill: float) -> Way:
    def write(row: Row, rng: random.Random) -> str:
        return pair.task.right(row) if rng.random() < skill else pair.task.wrong(row, rng.randrange(3))

    return write


@dataclass(frozen=True)
class Step:
    """A step. numbers: what is logged. shares: way -> how likely the policy took it."""

    numbers: Mapping[str, float]
    shares: Mapping[str, float]


def train(pair: Pair, reward: RecipeReward, seed: int, steps: int = STEPS) -> tuple[list[Step], dict[str, Any]]:
    """Train a policy, and return its steps and what each way to answer was worth: way -> (proxy, truth).

    A step adds to a way's logit the mean advantage of its completions: the natural gradient of a softmax.
    """
    rng, those = random.Random(seed), ways(pair)
    logits = _start(list(those))
    done, worth = [], _Worth()
    for step in range(steps):
        shares = _explored(_softmax(logits))
        rows = [pair.task.rows[(step * PROMPTS + index) % len(pair.task.rows)] for index in range(PROMPTS)]
        taken = [rng.choices(list(shares), list(shares.values()), k=GROUP) for _ in rows]
        texts = [[those[way](row, rng) for way in some] for row, some in zip(rows, taken, strict=True)]
        given = [
            {**training_row(row, some), "id": f"{step}-{index}"}
            for index, (row, some) in enumerate(zip(rows, texts, strict=True))
        ]
        groups = reward.score(given)
        done.append(Step(metrics_of_step(groups, correctness=TRUTH), shares))
        gains: dict[str, list[float]] = {}
        for group, some in zip(groups, taken, strict=True):
            worth.add(some, group)
            for way, advantage in zip(some, group_advantages("grpo", group), strict=True):
                gains.setdefault(way, []).append(advantage)
        for way, advantages in gains.items():
            logits[way] += RATE * fmean(advantages)
    return done, worth.means()


def _start(names: Sequence[str]) -> dict[str, float]:
    hacks = [name for name in names if name not in SKILLS]
    left = 1 - sum(share for _, share in SKILLS.values())
    shares = {name: SKILLS[name][1] if name in SKILLS else left / len(hacks) for name in names}
    return {name: math.log(share) for name, share in shares.items()}


def _explored(shares: Mapping[str, float]) -> dict[str, float]:
    return {name: (1 - EXPLORED) * share + EXPLORED / len(shares) for name, share in shares.items()}


def _softmax(logits: Mapping[str, float]) -> dict[str, float]:
    highest = max(logits.values())
    powers = {name: math.exp(value - highest) for name, value in logits.items()}
    return {name: power / sum(powers.values()) for name, power in powers.items()}


class _Worth:
    """What each way to answer was worth, by the reward that is trained and by the true one."""

    def __init__(self) -> None:
        self._sums: dict[str, list[float]] = {}

    def add(self, taken: Sequence[str], group: Any) -> None:
        for place, way in enumerate(taken):
            sums = self._sums.setdefault(way, [0.0, 0.0, 0.0])
            sums[0] += 1
            sums[1] += group.components[HACKED][place].value
            sums[2] += group.components[TRUTH][place].value

    def means(self) -> dict[str, tuple[float, float]]:
        return {way: (proxy / count, truth / count) for way, (count, proxy, truth) in self._sums.items()}
