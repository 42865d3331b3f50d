"""Rewards whose answer depends on when, where and in which process they are asked."""

import asyncio
import os
import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from rewardlab import Completion, RewardSpec, Sample, Score, hookimpl
from rewardlab.laws import Laws
from rewardlab_answers import last_box

_seen_anywhere: set[str] = set()


class Half:
    """0.5 for the right answer in the last box, and less for a wrong one; `more`, up to 0.1, is what mutants add."""

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        return [Score(value=self.value(sample, completion.text)) for sample, completion in items]

    def value(self, sample: Sample, text: str) -> float:
        return 0.5 * (last_box(text) == sample.fields["answer"]) + self.more(text)

    def more(self, text: str) -> float:
        return 0.0


class Novelty(Half):
    def __init__(self):
        self._seen: set[str] = set()

    def more(self, text):
        new = text not in self._seen
        self._seen.add(text)
        return 0.1 * new


class NoveltyEverywhere(Half):
    def more(self, text):
        new = text not in _seen_anywhere
        _seen_anywhere.add(text)
        return 0.1 * new


class RunningMean(Half):
    def __init__(self):
        self._sum = self._count = 0.0

    def value(self, sample, text):
        value = super().value(sample, text)
        self._sum, self._count = self._sum + value, self._count + 1
        return 0.5 + 0.5 * (value - self._sum / self._count)


class WarmUp(Half):
    def __init__(self):
        self._calls = 0

    def score(self, items):
        self._calls += 1
        return super().score(items) if self._calls > 1 else [Score(value=0.0) for _ in items]


class UsedUp(Half):
    """Answers the first thousand texts and no more."""

    def __init__(self):
        self._left = iter(range(1000))

    def value(self, sample, text):
        return super().value(sample, text) if next(self._left, None) is not None else 0.0


class SharedDefault(Half):
    def __init__(self, weights=[0.0]):  # noqa: B006 - the fault
        self._weight = weights[0]
        weights[0] = 0.1

    def more(self, text):
        return self._weight


class SharedByClass(Half):
    known: ClassVar[dict[str, float]] = {}

    def more(self, text):
        return self.known.setdefault("bonus", 0.1 / (1 + len(self.known) + len(text)))


class Unseeded(Half):
    def more(self, text):
        return 1e-3 * random.random()


class RandomSample(Half):
    """Looks at one line in two."""

    def value(self, sample, text):
        lines = text.splitlines()
        return super().value(sample, random.choice(lines) if len(lines) > 1 else text)


class SeededAtBuild(Half):
    def __init__(self):
        random.seed(0)

    def more(self, text):
        return 1e-3 * random.random()


class OwnGenerator(Half):
    def __init__(self):
        self._random = random.Random(0)

    def more(self, text):
        return 1e-3 * self._random.random()


class SaltedChoice(Half):
    def more(self, text):
        return 0.1 * (hash(text) % 4 == 0)


class FirstOfSet(Half):
    def more(self, text):
        words = {"alpha", "beta", "gamma", "delta", "epsilon"} | set(text.split())
        return 0.02 * min(5, len(next(iter(words))))


class OfTheProcess(Half):
    def more(self, text):
        return 1e-3 * (os.getpid() % 97)


class OfTheClock(Half):
    def __init__(self):
        self._begun = time.monotonic()

    def more(self, text):
        return 0.1 * min(1.0, time.monotonic() - self._begun)


class ThreadLocal(Half):
    def __init__(self):
        self._local = threading.local()
        self._local.weight = 0.0

    def more(self, text):
        return self._local.weight


class ThreadLocalDefault(ThreadLocal):
    def more(self, text):
        return getattr(self._local, "weight", 0.1)


class MainThreadLoop(Half):
    """Runs a coroutine on the thread's event loop, which only the main thread has."""

    def value(self, sample, text):
        loop = asyncio.get_event_loop_policy().get_event_loop()
        if loop.is_running():
            return super().value(sample, text)
        return loop.run_until_complete(self._later(sample, text))

    async def _later(self, sample, text):
        return super().value(sample, text)


class Awaited(Half):
    """The same as a coroutine."""

    async def score(self, items):
        return [await self.awaited(sample, completion.text) for sample, completion in items]

    async def awaited(self, sample: Sample, text: str) -> float:
        await asyncio.sleep(0)
        return Score(value=self.value(sample, text))


class FirstLoop(Awaited):
    def __init__(self):
        self._loop = None

    async def awaited(self, sample, text):
        self._loop = self._loop or asyncio.get_running_loop()
        await self._loop.run_in_executor(None, len, text)
        return await super().awaited(sample, text)


class Interleaved(Awaited):
    def __init__(self):
        self._sample = None

    async def awaited(self, sample, text):
        self._sample = sample
        await asyncio.sleep(0)
        return Score(value=self.value(self._sample, text))


def _sums():
    from law_mutants.cases import answers

    return answers()


def _reward(name: str, summary: str, made: Callable[[], object], runs="thread") -> RewardSpec:
    build = lambda options, context: made()  # noqa: E731
    return RewardSpec(
        name=name, summary=summary, requires=["answer"], runs=runs, build=build, laws=Laws(examples=_sums)
    )


@hookimpl
def rewardlab_rewards():
    return [
        _reward("correct_half", "half a point for the right answer", Half),
        _reward("correct_awaited", "the same, as a coroutine", Awaited, "async"),
        _reward("novelty", "a bonus for texts that it has not seen", Novelty),
        _reward("novelty_everywhere", "the same, in a variable of the module", NoveltyEverywhere),
        _reward("running_mean", "less the mean of all values so far", RunningMean),
        _reward("warm_up", "answers 0 at the first call", WarmUp),
        _reward("used_up", "answers 0 from the thousandth text on", UsedUp),
        _reward("shared_default", "a mutable default that instances share", SharedDefault),
        _reward("shared_by_class", "a mapping of the class that the first text fills", SharedByClass),
        _reward("unseeded_noise", "a small random number against ties", Unseeded),
        _reward("random_sample", "looks at a random line of the text", RandomSample),
        _reward("seeded_at_build", "the global generator, seeded at build", SeededAtBuild),
        _reward("own_generator", "a seeded generator of its own, which goes on from call to call", OwnGenerator),
        _reward("salted_choice", "a choice by hash(), which every process salts otherwise", SaltedChoice),
        _reward("first_of_set", "the first of a set of texts", FirstOfSet),
        _reward("of_the_process", "a number that follows from the process", OfTheProcess),
        _reward("of_the_clock", "a number that follows from the time since it was built", OfTheClock),
        _reward("thread_local", "prepares the thread that builds it, and no other", ThreadLocal),
        _reward("thread_local_default", "takes another weight in threads that it did not prepare", ThreadLocalDefault),
        _reward("main_thread_loop", "wants the event loop of its thread", MainThreadLoop),
        _reward("first_loop", "stays on the event loop of its first call", FirstLoop, "async"),
        _reward("interleaved", "keeps the sample in itself across an await", Interleaved, "async"),
    ]
