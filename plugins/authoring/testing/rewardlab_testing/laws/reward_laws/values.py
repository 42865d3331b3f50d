"""Laws of single values: in range, in order, low for an empty text; info is JSON, and a missing field an error."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rewardlab import Completion, Score

from rewardlab_testing.examples.search import search
from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.harness.reward_harness import bench
from rewardlab_testing.laws.reward_laws import cases
from rewardlab_testing.laws.reward_laws.comparison import describe_asked, describe_completion, describe_score
from rewardlab_testing.outcomes.messages import violation
from rewardlab_testing.outcomes.outcome import LawViolation, NothingToTry

LONG = ("It is so. " * 10_000, "\\boxed{" * 5_000, "<think>" * 5_000, "2 + " * 10_000)
"""texts that take too long, or too deep a recursion, if they are read carelessly"""
BLANK = ("", " ", "\n\n \t", " " * 1_000)


def in_range(tested: ComponentUnderTest) -> int:
    asking, sample = bench(tested), tested.example.sample
    low, high = tested.spec.range

    expected = f"a number in [{low:g}, {high:g}], or an abstention"

    def check(completions: list[Completion]) -> None:
        scores = asking.score(cases.items(sample, completions))
        failed = [place for place, score in enumerate(scores) if score.error is not None]
        for place in failed:  # report the one that makes the whole call fail, not its neighbours
            alone = asking.score(cases.items(sample, completions[place : place + 1]))[0]
            if alone.error is not None:
                raise violation(describe_completion(completions[place]), describe_score(alone), expected)
        if failed:
            beside = f", in one call of {len(completions)}" if tested.spec.scope != "group" else ""
            asked = f"{describe_asked(tested, completions, failed[0]).rstrip()}{beside}"
            raise violation(asked, describe_score(scores[failed[0]]), expected)

    long = LONG[:1] if tested.spec.scope == "group" else LONG
    first = [*cases.hard(tested), *(Completion(text=text) for text in long)]
    return search(check, cases.lists(tested), tries=tested.tries, first=first)


def order(tested: ComponentUnderTest) -> int:
    good, bad = cases.good(tested), cases.bad(tested)
    scores = bench(tested).score(cases.items(tested.example.sample, [*good, *bad]))
    better, worse = scores[: len(good)], scores[len(good) :]
    for completion, score in zip([*good, *bad], scores, strict=True):
        if score.value is None:
            raise violation(
                describe_completion(completion), describe_score(score), "a value, as of every good or bad completion"
            )
    for good_one, high in zip(good, better, strict=True):
        for other, low in zip(bad, worse, strict=True):
            if not _above(high, low, tested.spec.laws.rounding):
                raise violation(
                    f"good {describe_completion(good_one)}\n  bad {describe_completion(other)}",
                    f"{describe_score(high)} for the good one, {describe_score(low)} for the bad one",
                    "more for the good one",
                )
    return len(good) * len(bad)


def monotone(tested: ComponentUnderTest) -> int:
    ladder = [cases.as_completion(rung) for rung in tested.example.ladder]
    if len(ladder) < 2:
        raise NothingToTry("no ladder of completions is declared: RewardExample(ladder=...)")
    scores = bench(tested).score(cases.items(tested.example.sample, ladder))
    for completion, score in zip(ladder, scores, strict=True):
        if score.value is None:
            raise violation(
                describe_completion(completion), describe_score(score), "a value, as of every completion of a ladder"
            )
    for place in range(len(ladder) - 1):
        lower, other = scores[place : place + 2]
        if _above(lower, other, tested.spec.laws.rounding):
            raise violation(
                f"{describe_completion(ladder[place])}\n  then {describe_completion(ladder[place + 1])}",
                f"{describe_score(lower)}, then {describe_score(other)}",
                "no less for the second one, which stands higher on the ladder",
            )
    return len(ladder)


def empty(tested: ComponentUnderTest) -> int:
    asking, example, high = bench(tested), tested.example, tested.spec.range[1]
    others = list(map(cases.as_completion, example.good)) if tested.spec.scope == "group" else []
    blanks = [Completion(text=text) for text in BLANK] + [Completion(text="", token_count=0, truncated=True)]
    for blank in blanks:
        for group in ([blank], [blank, *others]):
            score = asking.score(cases.items(example.sample, group))[0]
            if score.value is not None and score.value >= high - tested.spec.laws.rounding:
                raise violation(
                    describe_asked(tested, group, 0).rstrip(), describe_score(score), f"less than the highest, {high:g}"
                )
    return len(blanks)


def info(tested: ComponentUnderTest) -> int:
    asking, sample = bench(tested), tested.example.sample

    def check(completions: list[Completion]) -> None:
        completions = [completion for completion in completions if not asking.endless((sample, completion))]
        try:
            scores = asking.raw(cases.items(sample, completions))
        except LawViolation:
            raise
        except Exception:
            return  # `range` reports it
        if not isinstance(scores, Sequence):
            return
        for place, score in enumerate(scores[: len(completions)]):
            if isinstance(score, Score) and (wrong := _what_is_no_json(score.info)):
                asked = describe_asked(tested, completions, place).rstrip()
                raise violation(asked, wrong, "a dict that is the same after a round trip through JSON")

    return search(check, cases.lists(tested), tries=tested.tries, first=cases.hard(tested))


def required(tested: ComponentUnderTest) -> int:
    fields = tested.spec.required_fields(tested.options)
    if not fields:
        raise NothingToTry("it requires no field")
    asking, sample = bench(tested), tested.example.sample
    completions = [*cases.known(tested), *(Completion(text=text) for text in ("", "42", "\\boxed{42}"))]
    whole = [asking.score(cases.items(sample, [completion]))[0] for completion in completions]
    for name in fields:
        without = replace(sample, fields={key: value for key, value in sample.fields.items() if key != name})
        # one by one, so that an exception for one is not a failure of the others
        scores = [asking.score(cases.items(without, [completion]))[0] for completion in completions]
        failed = any(score.error is not None for score in scores)
        for completion, score, usual in zip(completions, scores, whole, strict=True):
            if score.error is None and not (_ignores_the_field(score, usual) and (failed or score.value is None)):
                asked = f"{describe_completion(completion)} of a sample without {name!r}"
                raise violation(asked, describe_score(score), f"an error that says that {name!r} is missing")
    return len(fields) * len(completions)


def _ignores_the_field(score: Score, usual: Score) -> bool:
    """Return whether a text gets the value that it gets if the field is there, as one without a box may.

    Such texts need not fail where others do; but a reward that fails for none does not require the field.
    """
    return usual.error is None and score.value == usual.value


def _above(score: Score, other: Score, rounding: float) -> bool:
    return score.value is not None and other.value is not None and score.value > other.value + rounding


def _what_is_no_json(info: Any) -> str | None:
    """Return what is wrong with info; None if it comes back from JSON as it was."""
    if not isinstance(info, Mapping):
        return f"info is {type(info).__name__}: {info!r}"
    for key, value in info.items():
        if not isinstance(key, str):
            return f"info has the key {key!r}, which is not a text"
        try:
            back = json.loads(json.dumps(value, allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            return f"info[{key!r}] is {value!r}: {error}"
        if value != back:
            return f"info[{key!r}] is {value!r}, and {back!r} after a round trip"
    return None
