"""How often alarms go off in sound trainings, and how soon after its onset in trainings in which something goes wrong.

    python benchmarks/alarms.py [--runs 1000]

The trainings are drawn, not trained: 100 steps of 4 to 32 prompts with 8 completions, whose difficulty differs as real
prompts' does, of a policy that improves with a noise that lasts over steps. A format is learned early, a judge follows
correctness with noise of its own, completions grow to up to twice their length, 1% of scores fail and now and then
most of a step's do, entropy falls to a third. What goes wrong begins between steps 30 and 60. Each detector sees the
numbers of steps as they come.
"""

import argparse
from collections.abc import Sequence

import numpy as np
from rewardlab_training.alarms.alarm_kinds import AlarmDetector, Sign
from rewardlab_training.alarms.alarm_settings import AlarmSettings

STEPS, GROUP, QUIET = 100, 8, ("saturated",)
ONSETS = (30, 60)
SOON = 10
"""steps after the onset within which an alarm is of use"""


def sound(
    random: np.random.Generator, wrong: str = "", onset: int = STEPS + 1
) -> tuple[AlarmSettings, list[dict[str, float]]]:
    """Return the numbers of the steps of a training, in which `wrong` happens from step `onset` on."""
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
        hacked = min(1.0, after / pace) if wrong == "reward_hacking" else 0.0
        hard = random.normal(0, 1.6, (batch, 1))
        p = 1 / (1 + np.exp(hard - able))
        hacks = random.random((batch, GROUP)) < hacked
        right = (random.random((batch, GROUP)) < p * np.where(hacks, 0.1, 1.0)).astype(float)
        judge = 0.5 * right + random.beta(4, 4, (batch, GROUP)) * 0.5
        judge = np.where(hacks, random.uniform(0.8, 1, judge.shape), judge)
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


def signs_of(settings: AlarmSettings, rows: Sequence[dict[str, float]]) -> list[Sign]:
    """Return what goes off in a training, as one hears of it by default."""
    detector = AlarmDetector(settings)
    return [s for n, row in enumerate(rows, 1) for s in detector.add(n, row) if s.alarm.name not in QUIET]


WRONG = (
    "reward_hacking",
    "dead",
    "flat_groups",
    "length",
    "position_bias",
    "missing",
    "unparsable",
    "entropy",
    "divergence",
)


def false_alarms(runs: int, seed: int = 0) -> tuple[int, dict[str, int]]:
    """Return how many of so many sound trainings say anything, and how many say what."""
    said: dict[str, int] = dict.fromkeys(WRONG, 0)
    crying = 0
    for run in range(runs):
        names = {sign.alarm.name for sign in signs_of(*sound(np.random.default_rng((seed, run))))}
        crying += bool(names)
        for name in names:
            said[name] += 1
    return crying, said


def delays(wrong: str, runs: int, seed: int = 1) -> list[int | None]:
    """Return of each training how many steps after its onset an alarm named what goes wrong; None: it did not."""
    found: list[int | None] = []
    for run in range(runs):
        random = np.random.default_rng((seed, run))
        onset = int(random.integers(*ONSETS))
        steps = [
            s.step - onset for s in signs_of(*sound(random, wrong, onset)) if s.alarm.name == wrong and s.step > onset
        ]
        found.append(min(steps, default=None))
    return found


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    crying, said = false_alarms(runs)
    print(f"{crying / runs:.1%} of {runs} sound trainings say anything\n")
    print("alarm            sound runs  found  within 10 steps  median steps")
    for wrong in WRONG:
        told = delays(wrong, max(runs // 5, 20))
        known = sorted(d for d in told if d is not None)
        soon = sum(d <= SOON for d in known) / len(told)
        middle = known[len(known) // 2] if known else "-"
        print(f"{wrong:16} {said[wrong] / runs:10.1%} {len(known) / len(told):6.0%} {soon:16.0%} {middle:>13}")


if __name__ == "__main__":
    main()
