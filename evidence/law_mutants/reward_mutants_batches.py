"""Rewards that answer many items at once, and mix them up."""

import math
import statistics
from collections.abc import Callable, Sequence
from functools import lru_cache

from rewardlab import Completion, RewardSpec, Sample, Score, hookimpl
from rewardlab.laws import Laws
from rewardlab_answers import last_box

Items = Sequence[tuple[Sample, Completion]]
WINDOW = 4


class Near:
    """How near the number in the last box is to the answer, for many items at once."""

    def score(self, items: Items) -> list[Score]:
        return [Score(value=value) for value in self.values(items)]

    def values(self, items: Items) -> list[float]:
        return [near(completion.text, sample.fields["answer"]) for sample, completion in items]


def near(text: str, answer: str) -> float:
    box = last_box(text) or ""
    number = int(box) if box.isascii() and box.isdigit() and len(box) < 10 else None
    return 0.0 if number is None else 1 / (1 + abs(number - int(answer)))


class DropsLastWindow(Near):
    def values(self, items):
        found = [0.0] * len(items)
        for start in range(0, len(items) - WINDOW + 1, WINDOW):
            found[start : start + WINDOW] = super().values(items[start : start + WINDOW])
        return found


class DropsRestOfWindows(Near):
    def values(self, items):
        found = [0.0] * len(items)
        for start in range(0, max(1, len(items) // WINDOW) * WINDOW, WINDOW):
            found[start : start + WINDOW] = super().values(items[start : start + WINDOW])
        return found


class OverlappingWindows(Near):
    def values(self, items):
        found = []
        for start in range(0, len(items), WINDOW):
            found += super().values(items[start : start + WINDOW + 1])
        return found


class DropsFirst(Near):
    def values(self, items):
        return super().values(items[1:])


class TooFewTooMany(Near):
    def values(self, items):
        return super().values(items[:32]) + [0.0] * (len(items) - 32)


class SortedByLength(Near):
    def values(self, items):
        return super().values(sorted(items, key=lambda item: len(item[1].text)))


class Restored(Near):
    """Sorts by length, and puts back with the order in place of its inverse."""

    def values(self, items):
        order = sorted(range(len(items)), key=lambda index: len(items[index][1].text))
        found = super().values([items[index] for index in order])
        return [found[index] for index in order]


class Reversed(Near):
    def values(self, items):
        return super().values(items)[::-1]


class AlikeOnce(Near):
    """Asks for equal texts once, and forgets that they may have different rows."""

    def values(self, items):
        rows = {completion.text: sample for sample, completion in items}
        known = {text: near(text, sample.fields["answer"]) for text, sample in rows.items()}
        return [known[completion.text] for _, completion in items]


class ZScores(Near):
    def values(self, items):
        found = super().values(items)
        spread = statistics.pstdev(found)
        return [1 / (1 + math.exp((statistics.fmean(found) - value) / (spread + 1e-6))) for value in found]


class ShareOfMax(Near):
    def values(self, items):
        found = super().values(items)
        return [value / max(max(found), 1e-9) for value in found]


class LongestText(Near):
    """Every text is padded to the longest of the call, and pays for it."""

    def values(self, items):
        longest = max(len(completion.text) for _, completion in items)
        return [value * (1 - 1e-5 * min(longest, 10_000)) for value in super().values(items)]


class FirstRow(Near):
    def values(self, items):
        answer = items[0][0].fields["answer"]
        return [near(completion.text, answer) for _, completion in items]


class KnownByText(Near):
    def __init__(self):
        self._known: dict[str, float] = {}

    def values(self, items):
        return [self._known.setdefault(c.text, near(c.text, s.fields["answer"])) for s, c in items]


class KnownById(Near):
    def __init__(self):
        self._known: dict[str, float] = {}

    def values(self, items):
        return [self._known.setdefault(s.id, near(c.text, s.fields["answer"])) for s, c in items]


class KnownByStart(Near):
    def __init__(self):
        self._known = lru_cache(maxsize=None)(lambda start, answer: near(self._texts[start], answer))
        self._texts: dict[str, str] = {}

    def values(self, items):
        self._texts |= {c.text[:32]: c.text for _, c in items}
        return [self._known(c.text[:32], s.fields["answer"]) for s, c in items]


class LastResort(Near):
    """What cannot be read gets what the item before it got."""

    def values(self, items):
        found, before = [], 0.0
        for sample, completion in items:
            before = near(completion.text, sample.fields["answer"]) if last_box(completion.text) else before
            found.append(before)
        return found


def _nearer():
    from law_mutants.cases import nearness

    return nearness()


def _reward(name: str, summary: str, made: Callable[[], object]) -> RewardSpec:
    return RewardSpec(
        name=name,
        summary=summary,
        scope="batch",
        requires=["answer"],
        build=lambda options, context: made(),
        laws=Laws(examples=_nearer),
    )


@hookimpl
def rewardlab_rewards():
    return [
        _reward("correct_batch", "each item by itself", Near),
        _reward("drops_last_window", "windows up to the length less a window: the last one gets 0", DropsLastWindow),
        _reward("drops_rest_of_windows", "whole windows only: what is left over gets 0", DropsRestOfWindows),
        _reward("overlapping_windows", "windows one too long: too many values", OverlappingWindows),
        _reward("drops_first", "begins at 1: one value too few", DropsFirst),
        _reward("first_32_only", "what is behind the 32nd item gets 0, and a short call loses nothing", TooFewTooMany),
        _reward("sorted_by_length", "sorts the items, and gives the values in that order", SortedByLength),
        _reward("wrongly_restored", "puts sorted items back by the order, not by its inverse", Restored),
        _reward("reversed", "gives the values from behind", Reversed),
        _reward("alike_once", "asks for equal texts once, whatever their rows", AlikeOnce),
        _reward("z_scores", "standard scores over the call", ZScores),
        _reward("share_of_max", "shares of the best value of the call", ShareOfMax),
        _reward("longest_text", "a value that falls with the longest text of the call", LongestText),
        _reward("first_row", "takes the first row's answer for all", FirstRow),
        _reward("known_by_text", "remembers values by text alone", KnownByText),
        _reward("known_by_id", "remembers values by the sample's id alone", KnownById),
        _reward("known_by_start", "remembers values by the first 32 characters", KnownByStart),
        _reward("last_resort", "gives what cannot be read the value of the item before", LastResort),
    ]
