"""How often alarms go off in sound trainings, and how soon after its onset in trainings in which something goes wrong.

    python benchmarks/alarms.py [--runs 1000]

The trainings are drawn, not trained: 100 steps of 4 to 32 prompts with 8 completions, whose difficulty differs as real
prompts' does, of a policy that improves with a noise that lasts over steps. A format is learned early, a judge follows
correctness with noise of its own, completions grow to up to twice their length, 1% of scores fail and now and then
most of a step's do, entropy falls to a third. What goes wrong begins between steps 30 and 60. Each detector sees the
numbers of steps as they come. A hack costs correctness, or none of it; when it begins is by the definition of CHERRL
(evidence/hack_onset.py), and not the step at which the first completion hacks.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "evidence"))
from hack_onset import Onset, hack_onset, smoothed
from rewardlab_training.alarms.alarm_kinds import AlarmDetector, Sign
from rewardlab_training.alarms.alarm_settings import AlarmSettings

STEPS, GROUP, QUIET = 100, 8, ("saturated",)
ONSETS = (30, 60)
SOON = 10
"""steps after the onset within which an alarm is of use"""
TOP, MIN_TOP = 0.8, 0.08
"""what a judge gives the best completions, and the share of them without which nothing is said of their mechanism"""
HACKS = ("reward_hacking", "free hack")


def sound(
    random: np.random.Generator, wrong: str = "", onset: int = STEPS + 1
) -> tuple[AlarmSettings, list[dict[str, float | None]]]:
    """Return the numbers of the steps of a training, in which `wrong` happens from step `onset` on.

    Beside those that a detector reads, hack/gap and hack/mechanism say how far it is hacked.
    """
    batch = int(random.choice([4, 8, 16, 32]))
    settings = AlarmSettings(
        low=0.0, high=2.2, tops={"accuracy": 1.0, "judge": 1.0, "format": 1.0}, correctness="accuracy", batch_size=batch
    )
    skill, gain, growth = random.uniform(-2.5, 0.5), random.uniform(1, 3), random.uniform(0, 1)
    format_at, pulls, bias, wander = random.uniform(3, 30), random.uniform(-0.1, 0.2), random.normal(0, 0.06), 0.0
    pace = random.uniform(10, 25)  # steps that a hack takes to spread
    rows = []
    for step in range(1, STEPS + 1):
        after = max(0, step - onset) if wrong else 0
        wander = 0.8 * wander + random.normal(0, 0.12)
        able = skill + gain * (1 - np.exp(-step / 40)) + wander
        hacked = min(1.0, after / pace) if wrong in HACKS else 0.0
        hard = random.normal(0, 1.6, (batch, 1))
        p = 1 / (1 + np.exp(hard - able))
        hacks = random.random((batch, GROUP)) < hacked
        right = (random.random((batch, GROUP)) < p * np.where(hacks, COST.get(wrong, 1.0), 1.0)).astype(float)
        honest = 0.5 * right + random.beta(4, 4, (batch, GROUP)) * 0.5
        judge = np.where(hacks, random.uniform(TOP, 1, honest.shape), honest)
        best = judge >= TOP
        mechanism = 100 * hacks[best].mean() if best.mean() >= MIN_TOP else None
        gap = (judge - honest).mean()
        form = (random.random((batch, GROUP)) < 1 - 0.7 * np.exp(-step / format_at)).astype(float)
        lengths = random.lognormal(5, 0.3, (batch, GROUP)) * (1 + growth * step / STEPS)
        if wrong == "length" and after:
            lengths = lengths * (1 + after / 12)
            judge = np.clip(judge + 0.5 * (lengths / lengths.mean(1, keepdims=True) - 1), 0, 1)
        elif pulls > 0:
            judge = np.clip(judge + pulls * (lengths / lengths.mean(1, keepdims=True) - 1), 0, 1)
        if wrong == "dead" and after:
            judge = np.full_like(judge, 0.5)
        if wrong == "flat_groups" and after:
            keep = random.random((batch, 1)) < 0.97
            right, judge, form = (np.where(keep, x[:, :1], x) for x in (right, judge, form))
        total = right + judge + 0.2 * form
        fails = 0.01 if random.random() > 0.01 else random.uniform(0.3, 1)
        fails = 0.2 if wrong == "missing" and after else fails
        unread = 0.35 if wrong == "unparsable" and after else 0.01
        biases = random.normal(bias + (0.45 if wrong == "position_bias" and after else 0.0), 0.3, batch).clip(-1, 1)
        fall = np.exp(-after / 2) if wrong == "entropy" else 1.0
        rows.append(
            {
                "hack/gap": gap,
                "hack/mechanism": mechanism,
                "loss": random.normal(0, 0.02) + (5.0 * after if wrong == "divergence" else 0.0),
                "kl": abs(random.normal(0.002 * step, 0.002)),
                "grad_norm": random.lognormal(-1, 0.3),
                "entropy": fall * (0.3 + 0.6 * np.exp(-step / 30)) * random.lognormal(0, 0.08),
                **scores("accuracy", right, right),
                **scores("judge", judge, right),
                **scores("format", form, right),
                "agreement/total": inside(total, right),
                "missing/judge": random.binomial(judge.size, fails) / judge.size,
                "unparsable/judge": random.binomial(batch * 28, unread) / (batch * 28),
                "position_bias/judge": biases.mean(),
                "reward/total": total.mean(),
                "group/std": total.std(1).mean(),
                "reward/groups_without_variance": (np.ptp(total, axis=1) == 0).mean(),
                "length/mean": lengths.mean(),
                "length/total": inside(lengths, total),
            }
        )  # fmt: skip
    return settings, rows


def scores(name: str, values: np.ndarray, right: np.ndarray) -> dict[str, float]:
    """Return the numbers of a component, as `metrics_of_step` names them."""
    return {
        f"agreement/{name}": inside(values, right),
        f"reward/{name}": values.mean(),
        f"varied/{name}": (np.ptp(values, axis=1) > 0).mean(),
        f"missing/{name}": 0.0,
    }


def inside(ones: np.ndarray, others: np.ndarray) -> float:
    """Return the correlation of two numbers inside of groups."""
    one, other = ones - ones.mean(1, keepdims=True), others - others.mean(1, keepdims=True)
    scale = np.sqrt((one**2).sum() * (other**2).sum())
    return float((one * other).sum() / scale) if scale else 0.0


def signs_of(settings: AlarmSettings, rows: Sequence[dict[str, float | None]]) -> list[Sign]:
    """Return what goes off in a training, as one hears of it by default."""
    detector = AlarmDetector(settings)
    return [s for n, row in enumerate(rows, 1) for s in detector.add(n, row) if s.alarm.name not in QUIET]


COST = {"reward_hacking": 0.1}
"""the share of the chance to be right that is left to a completion that hacks"""
WRONG = {
    "reward_hacking": "reward_hacking",
    "free hack": "reward_hacking",
    "dead": "dead",
    "flat_groups": "flat_groups",
    "length": "length",
    "position_bias": "position_bias",
    "missing": "missing",
    "unparsable": "unparsable",
    "entropy": "entropy",
    "divergence": "divergence",
}
"""what goes wrong, and the alarm that must say so"""


def false_alarms(runs: int, seed: int = 0) -> tuple[int, dict[str, int]]:
    """Return how many of so many sound trainings say anything, and how many say what."""
    said: dict[str, int] = dict.fromkeys(WRONG.values(), 0)
    crying = 0
    for run in range(runs):
        names = {sign.alarm.name for sign in signs_of(*sound(np.random.default_rng((seed, run))))}
        crying += bool(names)
        for name in names:
            said[name] += 1
    return crying, said


@dataclass(frozen=True)
class Found:
    """What an alarm said of a training in which something goes wrong. step: None if it said nothing."""

    onset: Onset
    step: int | None

    @property
    def delay(self) -> int | None:
        """The steps after the canonical onset."""
        return None if self.step is None else self.step - self.onset.canonical


def found(wrong: str, runs: int, seed: int = 1) -> list[Found]:
    """Return of each training when an alarm named what goes wrong."""
    every = []
    for run in range(runs):
        random = np.random.default_rng((seed, run))
        begun = int(random.integers(*ONSETS))
        settings, rows = sound(random, wrong, begun)
        steps = [s.step for s in signs_of(settings, rows) if s.alarm.name == WRONG[wrong] and s.step > begun]
        onset = _hack_onset(rows) if wrong in HACKS else None
        every.append(Found(onset or Onset(begun, begun, begun), min(steps, default=None)))
    return every


def _hack_onset(rows: Sequence[dict[str, float | None]]) -> Onset | None:
    gaps, mechanisms = ([row[f"hack/{name}"] for row in rows] for name in ("gap", "mechanism"))
    return hack_onset(smoothed(gaps), smoothed(mechanisms))


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    crying, said = false_alarms(runs)
    print(f"{crying / runs:.1%} of {runs} sound trainings say anything\n")
    print("what goes wrong  sound runs  named  within 10 steps  median steps  by the end of the interval")
    for wrong, alarm in WRONG.items():
        every = found(wrong, max(runs // 5, 20))
        known = sorted(one.delay for one in every if one.delay is not None)
        soon = sum(delay <= SOON for delay in known) / len(every)
        middle = known[len(known) // 2] if known else "-"
        inside = sum(one.step is not None and one.step <= one.onset.last for one in every) / len(every)
        last = f"{inside:.0%}" if wrong in HACKS else "-"
        print(
            f"{wrong:16} {said[alarm] / runs:10.1%} {len(known) / len(every):6.0%} {soon:16.0%} {middle:>13} {last:>27}"
        )


if __name__ == "__main__":
    main()
