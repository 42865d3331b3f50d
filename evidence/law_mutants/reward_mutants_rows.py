"""Rewards that read rows carelessly, say what is not JSON, or have options that do not survive being written down."""

import math
from collections.abc import Callable, Sequence

from pydantic import Field, field_serializer
from rewardlab import Completion, Config, RewardSpec, Sample, Score, hookimpl
from rewardlab.laws import Laws
from rewardlab_answers import last_box


class Options(Config):
    """Options of every mutant here that needs none of its own."""

    field: str = "answer"
    points: float = 1.0


class Answer:
    """`points` where the last box holds what the row's field says; a row without it is an error."""

    def __init__(self, options: Options):
        self.options = options

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        return [self.one(sample, completion.text) for sample, completion in items]

    def one(self, sample: Sample, text: str) -> Score:
        if self.options.field not in sample.fields:
            return Score(error=f"no field {self.options.field!r}")
        return self.compared(text, str(sample.fields[self.options.field]))

    def compared(self, text: str, answer: str) -> Score:
        return Score(value=self.options.points * (last_box(text) == answer), info=self.info(text))

    def info(self, text: str) -> dict:
        return {"box": last_box(text)}


class DefaultAnswer(Answer):
    def one(self, sample, text):
        return self.compared(text, str(sample.fields.get(self.options.field, "")))


class ZeroWithoutAnswer(Answer):
    def one(self, sample, text):
        return Score(value=0.0) if self.options.field not in sample.fields else super().one(sample, text)


class AbstainsWithoutAnswer(Answer):
    def one(self, sample, text):
        return Score() if self.options.field not in sample.fields else super().one(sample, text)


class FailsWhereWrong(Answer):
    def compared(self, text, answer):
        return Score(error="no box") if last_box(text) is None else super().compared(text, answer)


class NoScoreWhereWrong(Answer):
    def score(self, items):
        return [score for score in super().score(items) if score.value or score.error]


class NoneForScore(Answer):
    def compared(self, text, answer):
        return super().compared(text, answer) if text.strip() else None


class BareNumbers(Answer):
    def score(self, items):
        return [score.value if score.error is None else score for score in super().score(items)]


class SetInInfo(Answer):
    def info(self, text):
        return {"words": set(text.split()[:3])}


class NanInInfo(Answer):
    def info(self, text):
        return {"mean_length": sum(map(len, text.split())) / len(text.split()) if text.split() else math.nan}


class BytesInInfo(Answer):
    def info(self, text):
        return {"start": text[:8].encode("utf-8", "replace")}


class NumbersAsKeys(Answer):
    def info(self, text):
        return {len(line): line for line in text.splitlines()[:2]}


class ScoreInInfo(Answer):
    def info(self, text):
        return {"parts": [Score(value=0.0)]}


class UndumpedOptions(Options):
    points: float = Field(default=1.0, exclude=True)


class RoundedOptions(Options):
    @field_serializer("points")
    def _whole(self, points: float) -> int:
        return round(points)


class CallableOptions(Options):
    read: Callable[[str], str | None] = lambda text: last_box(text)


class CallableAnswer(Answer):
    def compared(self, text, answer):
        return Score(value=float(self.options.read(text) == answer))


def _sums():
    from law_mutants.cases import answers

    return answers()


def _half_points():
    from dataclasses import replace

    return [replace(example, title="half points", options={"points": 0.4}) for example in _sums()]


def _reward(name: str, summary: str, made: Callable, examples=_sums, config=Options) -> RewardSpec:
    return RewardSpec(
        name=name,
        summary=summary,
        config=config,
        requires=lambda options: [options.field],
        runs="inline",
        build=lambda options, context: made(options),
        laws=Laws(examples=examples),
    )


@hookimpl
def rewardlab_rewards():
    return [
        _reward("correct_row", "the row's answer, or an error", Answer, _half_points),
        _reward("default_answer", "an empty text for an answer that is not there", DefaultAnswer),
        _reward("zero_without_answer", "0 for a row without an answer", ZeroWithoutAnswer),
        _reward("abstains_without_answer", "abstains for a row without an answer", AbstainsWithoutAnswer),
        _reward("fails_where_wrong", "a failure for a text without a box", FailsWhereWrong),
        _reward("no_score_where_wrong", "leaves out what earns nothing", NoScoreWhereWrong),
        _reward("none_for_score", "None in place of a Score for a blank text", NoneForScore),
        _reward("bare_numbers", "numbers in place of Scores", BareNumbers),
        _reward("set_in_info", "a set in info", SetInInfo),
        _reward("nan_in_info", "NaN in info, for an empty text alone", NanInInfo),
        _reward("bytes_in_info", "bytes in info", BytesInInfo),
        _reward("numbers_as_keys", "numbers as keys in info", NumbersAsKeys),
        _reward("score_in_info", "an object in info", ScoreInInfo),
        _reward("undumped_option", "an option that is not written down", Answer, _half_points, UndumpedOptions),
        _reward("rounded_option", "an option that is rounded when written down", Answer, _half_points, RoundedOptions),
        _reward("callable_option", "an option that is a function", CallableAnswer, config=CallableOptions),
    ]
