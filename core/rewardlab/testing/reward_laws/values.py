"""Laws of single values: in range, in order, low for an empty text; info is JSON, and a lacking field an error."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rewardlab.testing.bench import bench
from rewardlab.testing.outcome import NothingToTry
from rewardlab.testing.reward_laws import case
from rewardlab.testing.reward_laws.difference import asked, in_words, told
from rewardlab.testing.searching import search
from rewardlab.testing.told import failing
from rewardlab.testing.trial import Trial
from rewardlab.types import Completion, Score

LONG = ("It is so. " * 10_000, "\\boxed{" * 5_000, "<think>" * 5_000, "2 + " * 10_000)
"""what takes too long, or too deep a recursion, where texts are read carelessly"""
BLANK = ("", " ", "\n\n \t", " " * 1_000)


def in_range(tested: Trial) -> int:
    asking, sample = bench(tested), tested.example.sample
    low, high = tested.spec.range

    expected = f"a number in [{low:g}, {high:g}], or an abstention"

    def check(completions: list[Completion]) -> None:
        scores = asking.score(case.items(sample, completions))
        failed = [place for place, score in enumerate(scores) if score.error is not None]
        for place in failed:  # one that fails its whole call is to be told, not its neighbours
            alone = asking.score(case.items(sample, completions[place : place + 1]))[0]
            if alone.error is not None:
                raise failing(told(completions[place]), in_words(alone), expected)
        if failed:
            beside = f", in one call of {len(completions)}" if tested.spec.scope != "group" else ""
            asked_of = f"{asked(tested, completions, failed[0]).rstrip()}{beside}"
            raise failing(asked_of, in_words(scores[failed[0]]), expected)

    long = LONG[:1] if tested.spec.scope == "group" else LONG
    first = [*case.hard(tested), *(Completion(text=text) for text in long)]
    return search(check, case.lists(tested), tries=tested.tries, first=first)


def order(tested: Trial) -> int:
    good, bad = case.good(tested), case.bad(tested)
    scores = bench(tested).score(case.items(tested.example.sample, [*good, *bad]))
    better, worse = scores[: len(good)], scores[len(good) :]
    for completion, score in zip([*good, *bad], scores, strict=True):
        if score.value is None:
            raise failing(told(completion), in_words(score), "a value, as of every good or bad completion")
    for one, high in zip(good, better, strict=True):
        for other, low in zip(bad, worse, strict=True):
            if not _above(high, low, tested.spec.laws.rounding):
                raise failing(
                    f"good {told(one)}\n  bad {told(other)}",
                    f"{in_words(high)} for the good one, {in_words(low)} for the bad one",
                    "more for the good one",
                )
    return len(good) * len(bad)


def monotone(tested: Trial) -> int:
    ladder = [case.completion(one) for one in tested.example.ladder]
    if len(ladder) < 2:
        raise NothingToTry("no ladder of completions is declared: RewardExample(ladder=...)")
    scores = bench(tested).score(case.items(tested.example.sample, ladder))
    for completion, score in zip(ladder, scores, strict=True):
        if score.value is None:
            raise failing(told(completion), in_words(score), "a value, as of every completion of a ladder")
    for place in range(len(ladder) - 1):
        one, other = scores[place : place + 2]
        if _above(one, other, tested.spec.laws.rounding):
            raise failing(
                f"{told(ladder[place])}\n  then {told(ladder[place + 1])}",
                f"{in_words(one)}, then {in_words(other)}",
                "no less for the second one, which stands higher on the ladder",
            )
    return len(ladder)


def empty(tested: Trial) -> int:
    asking, example, high = bench(tested), tested.example, tested.spec.range[1]
    others = list(map(case.completion, example.good)) if tested.spec.scope == "group" else []
    blanks = [Completion(text=text) for text in BLANK] + [Completion(text="", token_count=0, truncated=True)]
    for blank in blanks:
        for group in ([blank], [blank, *others]):
            score = asking.score(case.items(example.sample, group))[0]
            if score.value is not None and score.value >= high - tested.spec.laws.rounding:
                raise failing(asked(tested, group, 0).rstrip(), in_words(score), f"less than the highest, {high:g}")
    return len(blanks)


def info(tested: Trial) -> int:
    asking, sample = bench(tested), tested.example.sample

    def check(completions: list[Completion]) -> None:
        completions = [one for one in completions if not asking.endless((sample, one))]
        try:
            scores = asking.raw(case.items(sample, completions))
        except Exception:
            return  # `range` tells it
        if not isinstance(scores, Sequence):
            return
        for place, score in enumerate(scores[: len(completions)]):
            if isinstance(score, Score) and (wrong := _no_json(score.info)):
                asked_of = asked(tested, completions, place).rstrip()
                raise failing(asked_of, wrong, "a dict that is the same after a round trip through JSON")

    return search(check, case.lists(tested), tries=tested.tries, first=case.hard(tested))


def required(tested: Trial) -> int:
    fields = tested.spec.required_fields(tested.options)
    if not fields:
        raise NothingToTry("it requires no field")
    asking, sample = bench(tested), tested.example.sample
    completions = [*case.known(tested), *(Completion(text=text) for text in ("", "42", "\\boxed{42}"))]
    whole = [asking.score(case.items(sample, [one]))[0] for one in completions]
    for name in fields:
        lacking = replace(sample, fields={key: value for key, value in sample.fields.items() if key != name})
        # alone, so that an exception does not speak for its neighbours
        scores = [asking.score(case.items(lacking, [one]))[0] for one in completions]
        failed = any(score.error is not None for score in scores)
        for completion, score, usual in zip(completions, scores, whole, strict=True):
            if score.error is None and not (_without_a_look(score, usual) and (failed or score.value is None)):
                asked_of = f"{told(completion)} of a sample without {name!r}"
                raise failing(asked_of, in_words(score), f"an error that says that {name!r} is missing")
    return len(fields) * len(completions)


def _without_a_look(score: Score, usual: Score) -> bool:
    """Whether it says what it says where the field is there, too: of a text without words or a box, say.

    Such texts need not be refused where others are; a reward that refuses none does not require the field.
    """
    return usual.error is None and score.value == usual.value


def _above(one: Score, other: Score, rounding: float) -> bool:
    return one.value is not None and other.value is not None and one.value > other.value + rounding


def _no_json(info: Any) -> str | None:
    """What is wrong with it; None where it comes back from JSON as it was."""
    if not isinstance(info, Mapping):
        return f"info is {type(info).__name__}: {info!r}"
    for key, value in info.items():
        if not isinstance(key, str):
            return f"info has the key {key!r}, which is no text"
        try:
            back = json.loads(json.dumps(value, allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            return f"info[{key!r}] is {value!r}: {error}"
        if value != back:
            return f"info[{key!r}] is {value!r}, and {back!r} after a round trip"
    return None
