"""Rewards that compare the completions of a group, and are unfair about it."""

from collections.abc import Callable, Sequence

from rewardlab import GroupStream, RewardSpec, Sample, Score, hookimpl
from rewardlab.laws import Laws
from rewardlab_answers import last_box


class Wins:
    """The share of the group's others whose number is further from the answer; a tie counts half; 0.5 alone."""

    async def score(self, stream: GroupStream) -> list[Score]:
        group = await stream.group()
        texts = [completion.text for completion in group.completions]
        return [Score(value=value) for value in self.values(stream.sample, texts)]

    def values(self, sample: Sample, texts: Sequence[str]) -> list[float]:
        far = [distance(text, sample.fields["answer"]) for text in texts]
        return [self.share(index, far) for index in range(len(far))]

    def share(self, index: int, far: Sequence[float]) -> float:
        others = [self.win(index, other, far) for other in range(len(far)) if other != index]
        return sum(others) / len(others) if others else 0.5

    def win(self, one: int, other: int, far: Sequence[float]) -> float:
        return 0.5 if far[one] == far[other] else float(far[one] < far[other])


def distance(text: str, answer: str) -> float:
    box = last_box(text) or ""
    return abs(int(box) - int(answer)) if box.isascii() and box.isdigit() and len(box) < 10 else float("inf")


class ByArrival(Wins):
    async def score(self, stream):
        texts = [completion.text async for _, completion in stream]
        return [Score(value=value) for value in self.values(stream.sample, texts)]


class FirstCome(Wins):
    async def score(self, stream):
        first, *_ = [index async for index, _ in stream]
        scores = await super().score(stream)
        return [
            Score(value=0.9 * score.value + 0.1 * (index == first and stream.size > 1))
            for index, score in enumerate(scores)
        ]


class SoFar(Wins):
    """Compares each with those that came before it, to be done sooner."""

    async def score(self, stream):
        texts, found = {}, {}
        async for index, completion in stream:
            texts[index] = completion.text
            far = [distance(text, stream.sample.fields["answer"]) for text in texts.values()]
            found[index] = Score(value=self.share(len(far) - 1, far))
        return [found[index] for index in range(stream.size)]


class FirstWinsTies(Wins):
    def win(self, one, other, far):
        return float(one < other) if far[one] == far[other] else super().win(one, other, far)


class TieWinsTwice(Wins):
    def win(self, one, other, far):
        return float(far[one] <= far[other])


class TieLosesTwice(Wins):
    def win(self, one, other, far):
        return float(far[one] < far[other])


class WithoutItself(Wins):
    """G - 1 others, also where there are none."""

    def share(self, index, far):
        return sum(self.win(index, other, far) for other in range(len(far)) if other != index) / (len(far) - 1)


class CopiesByIndex(Wins):
    """Looks for a text's place with `index`, which finds the first of its copies."""

    def values(self, sample, texts):
        far = [distance(text, sample.fields["answer"]) for text in texts]
        wins = [0.0] * len(texts)
        for text in texts:
            place = list(texts).index(text)
            wins[place] = self.share(place, far)
        return wins


class NextOnly(Wins):
    """Meets the next completion alone."""

    def share(self, index, far):
        return self.win(index, (index + 1) % len(far), far) if len(far) > 1 else 0.5


class LostLast(Wins):
    """Never meets the last completion."""

    def share(self, index, far):
        others = [self.win(index, other, far) for other in range(len(far) - 1) if other != index]
        return sum(others) / len(others) if others else 0.5


class RankOfSorted(Wins):
    """Gives ranks in sorted order, where copies get different ones."""

    def values(self, sample, texts):
        far = [distance(text, sample.fields["answer"]) for text in texts]
        order = sorted(range(len(far)), key=lambda index: -far[index])
        return [order.index(index) / max(1, len(far) - 1) for index in range(len(far))]


class OfTheGroupBefore(Wins):
    def __init__(self):
        self._best = float("inf")

    def values(self, sample, texts):
        best, self._best = self._best, min(distance(text, sample.fields["answer"]) for text in texts)
        return [0.9 * value + 0.1 * (best == self._best) for value in super().values(sample, texts)]


class DropsLastOfGroup(Wins):
    def values(self, sample, texts):
        return super().values(sample, texts)[: len(texts) - (len(texts) > 3)]


def _nearer():
    from law_mutants.cases import nearness

    return nearness()


def _reward(name: str, summary: str, made: Callable[[], object], pairwise=True) -> RewardSpec:
    return RewardSpec(
        name=name,
        summary=summary,
        scope="group",
        requires=["answer"],
        runs="async",
        build=lambda options, context: made(),
        laws=Laws(examples=_nearer, pairwise=pairwise),
    )


@hookimpl
def rewardlab_rewards():
    return [
        _reward("correct_wins", "the share of the others that are worse", Wins),
        _reward("by_arrival", "gives its scores in the order of arrival", ByArrival),
        _reward("first_come", "a bonus for whichever arrives first", FirstCome, pairwise=False),
        _reward("so_far", "compares with those that arrived before", SoFar, pairwise=False),
        _reward("first_wins_ties", "a tie goes to the one with the lower index", FirstWinsTies),
        _reward("tie_wins_twice", "a tie is a win for both", TieWinsTwice),
        _reward("tie_loses_twice", "a tie is a loss for both", TieLosesTwice),
        _reward("division_alone", "divides by G - 1 where G is 1", WithoutItself),
        _reward("copies_by_index", "gives the copies of a text nothing: index() finds the first", CopiesByIndex),
        _reward("next_only", "meets its neighbour alone", NextOnly),
        _reward("lost_last", "never meets the last of the group", LostLast),
        _reward("rank_of_sorted", "ranks in sorted order: copies get different ones", RankOfSorted),
        _reward("of_the_group_before", "compares with the best of the group before", OfTheGroupBefore, pairwise=False),
        _reward("drops_last_of_group", "one score too few for larger groups", DropsLastOfGroup),
    ]
