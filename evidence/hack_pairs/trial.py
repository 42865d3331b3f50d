"""One half of a pair: probed before training, then trained under the eyes of the alarms."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import rewardlab
from rewardlab import load_reward
from rewardlab_training.alarms.alarm_kinds import AlarmDetector
from rewardlab_training.alarms.alarm_settings import AlarmSettings

from hack_pairs.learner import PROMPTS, STEPS, Step, train
from hack_pairs.pairs import Pair
from hack_pairs.recipes import HACKED, TRUTH, Judges, probe_rows, recipe

QUIET = ("saturated",)
"""alarms that nobody hears of unless the recipe says so"""
EARLY, MIN_FALL = 5, 0.02
"""steps before the onset from which on an alarm counts; how far the truth must have fallen from its best"""


@dataclass(frozen=True)
class Probed:
    """What the probe said. winners: the degenerate completions that win. blamed: the components to blame."""

    winners: Sequence[str]
    blamed: Sequence[str]


def probed(pair: Pair, weak: bool, judges: Judges) -> Probed:
    """Return what `rewardlab probe` says of the reward."""
    found: Any = rewardlab.probe(recipe(pair, weak, judges), probe_rows(pair), say=lambda text: None)
    tried = found.data["slices"]["all"]["completions"]
    winners = {name: one for name, one in tried.items() if one["wins"] or one["fatal"]}
    blamed = [one["blame"]["component"] if one["blame"] else "" for one in winners.values()]
    return Probed(winners=list(winners), blamed=blamed)


@dataclass(frozen=True)
class Trained:
    """A training. onset: the first step at which the truth is below its best and the proxy above what it was then.

    None if there is no such step. Both are what the policy can expect, without a step's noise. signs: (step, alarm,
    component or None) of each alarm. truth: expected at the first, best and last step.
    """

    onset: int | None
    signs: Sequence[tuple[int, str, str | None]]
    truth: tuple[float, float, float]


def trained(pair: Pair, weak: bool, judges: Judges, seed: int, steps: int = STEPS) -> Trained:
    """Train a policy by the reward, and return when it began to hack and what the alarms said."""
    with load_reward(recipe(pair, weak, judges)) as reward:
        done, worth = train(pair, reward, seed, steps)
        plan = reward.plan
    tops = {name: one.spec.range[1] for name, one in plan.components.items()}
    low, high = plan.total_range or (None, None)
    detector = AlarmDetector(AlarmSettings(low=low, high=high, tops=tops, correctness=TRUTH, batch_size=PROMPTS))
    signs = [sign for number, step in enumerate(done, 1) for sign in detector.add(number, step.numbers)]
    said = [(sign.step, sign.alarm.name, sign.component) for sign in signs if sign.alarm.name not in QUIET]
    proxy, truth = ([_expected(step, worth, place) for step in done] for place in (0, 1))
    return Trained(onset=_onset(proxy, truth), signs=said, truth=(truth[0], max(truth), truth[-1]))


def named_in_time(one: Trained, steps: int) -> bool:
    """Return whether an alarm named the hacked component at most so many steps after the onset, and not long before."""
    onset = one.onset
    return onset is not None and any(
        component == HACKED and onset - EARLY <= step <= onset + steps for step, _, component in one.signs
    )


def _expected(step: Step, worth: dict[str, tuple[float, float]], place: int) -> float:
    return sum(share * worth[way][place] for way, share in step.shares.items() if way in worth)


def _onset(proxy: Sequence[float], truth: Sequence[float]) -> int | None:
    best = 0
    for step, now in enumerate(truth):
        if now > truth[best]:
            best = step
        elif now < truth[best] - MIN_FALL and proxy[step] > proxy[best]:
            return step + 1
    return None
