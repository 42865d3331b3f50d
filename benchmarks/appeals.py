"""Appeals from math/accuracy on HardVerify-Math: the rule's errors, estimated by a judge that errs at known rates.

    git clone https://github.com/uw-nsl/TinyV
    python benchmarks/appeals.py TinyV/benchmarks/HardVerify-Math.json

Each right answer, and each wrong one, of hard_verify.py goes through rubric/appeal; the judge is a script that knows
the truth and forgets it at the rates MISSES and ACCEPTS, by a seed. The estimates leave the judge's errors out, and
are then the `rates` of `then: correct`. All of it is real but the judge.
"""

import argparse
import asyncio
import json
import random
from pathlib import Path
from statistics import fmean

from rewardlab import Ask, Completion, Context, Reply, Sample, find
from rewardlab.text import fence_key
from rewardlab_measure.rule_errors.rates import RuleCounts
from rewardlab_rubric.appeals.correction import backward
from rewardlab_rubric.criteria.question import TAG

MISSES, ACCEPTS = 0.1, 0.05
SEEDS = 100
WAYS = {"all, and all accepted ones": (1.0, 1.0), "all, and half": (1.0, 0.5), "half, and half": (0.5, 0.5)}


class ScriptedJudge:
    """A judge that knows which texts are right, but errs."""

    def __init__(self, right: set[str], seed: int) -> None:
        self._right, self._seed, self.most_tokens = right, seed, None

    async def ask(self, ask: Ask) -> Reply:
        """Return the verdict on a response."""
        text = ask.parts["response"]
        chance = random.Random(f"{self._seed}:{text}").random()
        says = chance >= MISSES if text in self._right else chance < ACCEPTS
        return Reply(text=f"{fence_key(ask.parts)[:TAG]} 1 | so it is | {'met' if says else 'not met'}")

    def report_parsed(self, reply: Reply, ok: bool) -> None:
        """Take note of nothing."""


def main() -> None:
    """Print the rule's true error rates, and a line of estimates and corrected means for each way to ask."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=Path)
    items, right = _items(json.loads(parser.parse_args().rows.read_text(encoding="utf-8")))
    decided = [info["accepted"] for info in _scored(items, right, 0, 1.0, 1.0)]
    truth = [completion.text in right for _, completion in items]
    negative = fmean(not accepted for accepted, is_right in zip(decided, truth, strict=True) if is_right)
    positive = fmean(accepted for accepted, is_right in zip(decided, truth, strict=True) if not is_right)
    print(
        f"{sum(truth)} right, {len(truth) - sum(truth)} wrong; false negatives {negative:.3f}, positives {positive:.3f}"
    )
    print(f"judge: misses {MISSES:g}, accepts {ACCEPTS:g}; {SEEDS} seeds; accuracy by the rule {fmean(decided):.3f}")
    for name, (share, audit) in WAYS.items():
        print(f"  asked about {name}: {_line(items, right, (share, audit), (negative, positive), fmean(truth))}")


def _line(items: list, right: set[str], shares: tuple[float, float], rates: tuple[float, float], truth: float) -> str:
    held, means, corrected = [0, 0], [0.0, 0.0], []
    for seed in range(SEEDS):
        infos, counts = _scored(items, right, seed, *shares), RuleCounts()
        for (sample, _), info in zip(items, infos, strict=True):
            counts.add(info, sample.id)
        estimates = counts.rates(MISSES, ACCEPTS)
        for place, (estimate, rate) in enumerate(zip(estimates, rates, strict=True)):
            held[place] += estimate.low <= rate <= estimate.high
            means[place] += estimate.value / SEEDS
        known = [estimate.value for estimate in estimates]
        corrected.append(fmean(backward(info["accepted"], *known) for info in infos))
    return (
        f"false negatives {means[0]:.3f}, in the interval {held[0]} times; positives {means[1]:.3f}, {held[1]} times; "
        f"mean corrected reward {fmean(corrected):.3f} of {truth:.3f}"
    )


def _items(rows: list) -> tuple[list[tuple[Sample, Completion]], set[str]]:
    items, right = [], set()
    for number, row in enumerate(rows):
        prompt = ({"role": "user", "content": row["question"]},)
        fields = {"answer": row["ground_truth"], "language": "en"}
        for key in ("fn_output", "tn_output"):
            answer = row[key] if r"\boxed" in row[key] else rf"\boxed{{{row[key]}}}"
            text = f"{answer} ({number}{key[0]})"  # the same text may be right of one question and wrong of another
            items.append((Sample(id=str(number), prompt=prompt, fields=fields), Completion(text=text)))
            right |= {text} if key == "fn_output" else set()
    return items, right


def _scored(items: list, right: set[str], seed: int, share: float, audit: float) -> list[dict]:
    """Return the `info` of each item; the rule decides once, for it says the same to every judge."""
    spec = find("reward", "rubric/appeal")
    options = {"of": {"use": "math/accuracy"}, "judge": "main", "share": share, "audit": audit, "then": "report"}
    reward = spec.build(spec.config.model_validate(options), Context(judges={"main": ScriptedJudge(right, seed)}))
    reward._rule = _Kept(reward._rule)
    return [dict(score.info) for score in asyncio.run(reward.score(items))]


class _Kept:
    """A rule that decides once."""

    scores: list | None = None

    def __init__(self, rule: object) -> None:
        self._rule = rule

    async def score(self, items: list) -> list:
        """Return what it decided the first time."""
        if _Kept.scores is None:
            _Kept.scores = await self._rule.score(items)
        return _Kept.scores


if __name__ == "__main__":
    main()
