"""What designs and orders of comparison are worth: correlation of scores with the truth, under a biased judge.

    python benchmarks/orders.py [--sizes 8 16 32] [--groups 300] [--bias 2] [--sharpness 1.5]

Simulated tournaments through the reward that pairwise/win_rate is. An answer's truth is standard normal; the judge
prefers by the difference of truths plus a bias towards whichever stands first, in logits. All ways get the same truths,
and the same verdict on the same question. "in turn": how many answers of the judge a group waits for. "bias held": how
often the interval of the fitted bias holds the truth. graded: the judge's probabilities in place of its verdicts, as
rubric/pairwise has them under `expected`, each wrong by a normal error of one logit.
"""

import argparse
import asyncio
import math
import random
import statistics

from rewardlab import Ask, Completion, Group, GroupStream, Reply, Sample
from rewardlab_pairwise.designs import rounds_of
from rewardlab_pairwise.pairwise_reward import (
    PairQuestion,
    PairVerdict,
    PairwiseOptions,
    PairwiseReward,
    misfit,
    most_calls,
)

WAYS = {
    "both (default)": {},
    "both, bradley_terry": {"scores": "bradley_terry"},
    "balanced": {"orders": "balanced"},
    "balanced, bradley_terry": {"orders": "balanced", "scores": "bradley_terry"},
    "a_only": {"orders": "a_only"},
    "one fixed order": {"judge": "fixed"},
    "both, opponents 4": {"opponents": 4},
    "balanced, opponents 4": {"orders": "balanced", "opponents": 4},
    "knockout": {"design": "knockout"},
    "knockout, wins": {"design": "knockout", "scores": "wins"},
    "anchor, 1": {"design": "anchor", "anchors": 1},
    "anchor, 2": {"design": "anchor", "anchors": 2},
    "swiss": {"design": "swiss"},
    "swiss, wins": {"design": "swiss", "scores": "wins"},
    "adaptive": {"design": "adaptive"},
    "adaptive, as many as balanced": {"design": "adaptive", "rounds": 1.0},
    "adaptive, 1.3 times as many": {"design": "adaptive", "rounds": 1.3},
    "adaptive, 1.5 times as many": {"design": "adaptive", "rounds": 1.5},
    "balanced, graded": {"orders": "balanced", "judge": "graded"},
    "adaptive, graded": {"design": "adaptive", "judge": "graded"},
}
"""name -> options; rounds are in units of those of `balanced`, and a judge that is fixed answers one order of a pair"""


class SimulatedReward(PairwiseReward):
    """The reward with a question and a verdict of one letter."""

    def shared(self, sample: Sample) -> None:
        """Return nothing."""

    def question(self, shared: None, first: str, second: str) -> PairQuestion:
        """Return a question that has the texts alone."""
        return PairQuestion(ask=Ask(parts={"a": first, "b": second}), key="")

    def read(self, reply: Reply, question: PairQuestion) -> tuple[PairVerdict, bool]:
        """Return the share of a win."""
        share = float(reply.text)
        return PairVerdict(verdict="A" if share > 0.5 else "B", first_wins=share), True


class SimulatedJudge:
    """A judge that knows the truths, and says what it says of a question whenever it is asked."""

    def __init__(self, truth: dict[str, float], bias: float, sharpness: float, kind: str) -> None:
        self.truth, self.bias, self.sharpness, self.kind, self.asked = truth, bias, sharpness, kind, 0
        self.place = {text: place for place, text in enumerate(truth)}

    async def ask(self, ask: Ask) -> Reply:
        first, second = ask.parts["a"], ask.parts["b"]
        if self.kind == "fixed" and self.place[first] > self.place[second]:
            return Reply(error="this order is not asked")
        self.asked += 1
        logit = self.sharpness * (self.truth[first] - self.truth[second]) + self.bias
        chance = random.Random(f"{first}|{second}")
        if self.kind == "graded":
            return Reply(text=str(1 / (1 + math.exp(-logit - chance.gauss(0, 1)))))
        return Reply(text=str(float(chance.random() < 1 / (1 + math.exp(-logit)))))

    def report_parsed(self, reply: Reply, ok: bool) -> None:
        """Nobody counts here."""


def main() -> None:
    """Print a table for each size."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", type=int, nargs="+", default=[8, 16, 32])
    parser.add_argument("--groups", type=int, default=300)
    parser.add_argument("--bias", type=float, default=2.0)
    parser.add_argument("--sharpness", type=float, default=1.5)
    given = parser.parse_args()
    print(f"{given.groups} groups, bias of {given.bias:g} logits, {given.sharpness:g} logits a unit of truth")
    for size in given.sizes:
        print(f"\n| {size} completions | questions | in turn | correlation | bias held |\n|---|---|---|---|---|")
        for name, way in WAYS.items():
            options = options_of(way, size)
            if misfit(options, size) is None:
                print(f"| {name} | {row(options, size, given)} |", flush=True)


def options_of(way: dict, size: int) -> PairwiseOptions:
    """Return the options of a way for groups of a size."""
    rounds = {"rounds": round(way["rounds"] * (size - 1))} if "rounds" in way else {}
    return PairwiseOptions(**{"judge": "plain", **way, **rounds})


def row(options: PairwiseOptions, size: int, given: argparse.Namespace) -> str:
    """Return the cells of one way: questions, answers in turn, correlation, share of intervals that hold."""
    found = asyncio.run(tournaments(options, size, given))
    asked, correlations, held = zip(*found, strict=True)
    assert max(asked) <= most_calls(options, size)
    known = [one for one in held if one is not None]
    held_share = f"{statistics.fmean(known):.0%}" if known else ""
    return f"{max(asked)} | {in_turn(options, size)} | {statistics.fmean(correlations):.3f} | {held_share}"


def in_turn(options: PairwiseOptions, size: int) -> int:
    """Return how many answers of the judge come one after the other."""
    if options.design == "round_robin":
        return 1
    verdicts: dict = {}
    rounds = rounds_of(options, [str(index) for index in range(size)])
    pairs, count = next(rounds), 1
    while True:
        verdicts |= {pair: PairVerdict(verdict="A", first_wins=float(int(pair[0]) < int(pair[1]))) for pair in pairs}
        try:
            pairs = rounds.send(verdicts)
        except StopIteration:
            return count
        count += 1


async def tournaments(options: PairwiseOptions, size: int, given: argparse.Namespace) -> list[tuple]:
    """Return (questions, Pearson's correlation of scores and truths, whether the bias is in its interval) of groups."""
    found = []
    for number in range(given.groups):
        rng = random.Random(number)
        truth = {f"{number}/{answer}": rng.gauss(0, 1) for answer in range(size)}
        judge = SimulatedJudge(truth, given.bias, given.sharpness, options.judge)
        group = Group(sample=Sample(id=str(number)), completions=[Completion(text=text) for text in truth])
        scores = await SimulatedReward(judge, options).score(GroupStream.of(group))
        values = [score.value for score in scores]
        flat = len(set(values)) == 1
        interval = scores[0].info["group"].get("position_bias_interval")
        held = None if interval is None else interval[0] <= bias_of(given.bias, options.judge) <= interval[1]
        found.append((judge.asked, 0.0 if flat else statistics.correlation(values, list(truth.values())), held))
    return found


def bias_of(logits: float, kind: str) -> float:
    """Return 2 x (the share that the first of two equal answers is given) - 1, over the errors of a graded judge."""
    quantiles = [statistics.NormalDist().inv_cdf((at + 0.5) / 1000) for at in range(1000)]
    return statistics.fmean(math.tanh((logits + error) / 2) for error in (quantiles if kind == "graded" else [0.0]))


if __name__ == "__main__":
    main()
