"""Rewards that pay for what a policy can do without being right: length, repetition, copies; or out of range."""

from collections.abc import Callable, Sequence

from rewardlab import Completion, Config, RewardSpec, Sample, Score, hookimpl
from rewardlab.laws import Laws
from rewardlab_answers import last_box


class Options(Config):
    weight: float = 1.0
    """factor of every value"""


class Right:
    """`share` of the reward for the right answer in the last box; what `bonus` says makes up the rest."""

    share = 1.0

    def __init__(self, options: Options):
        self.options = options

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        return [Score(value=self.value(sample, completion.text)) for sample, completion in items]

    def value(self, sample: Sample, text: str) -> float:
        right = float(last_box(text) == sample.fields["answer"])
        return self.share * right + (1 - self.share) * self.bonus(sample, text)

    def bonus(self, sample: Sample, text: str) -> float:
        return 0.0


class LengthBonus(Right):
    share = 0.6

    def bonus(self, sample, text):
        return min(1.0, len(text) / 2000)


class LineBonus(Right):
    share = 0.6

    def bonus(self, sample, text):
        return min(1.0, text.count("\n") / 20)


class LeadingSpace(Right):
    share = 0.6

    def bonus(self, sample, text):
        return 0.0 if text[:1].isalpha() else 1.0


class CountOfMentions(Right):
    share = 0.6

    def bonus(self, sample, text):
        return min(1.0, text.count(sample.fields["answer"]) / 10)


class CountOfBoxes(Right):
    share = 0.6

    def bonus(self, sample, text):
        return min(1.0, text.count("\\boxed") / 50)


class LongWords(Right):
    share = 0.6

    def bonus(self, sample, text):
        return min(1.0, sum(len(word) > 4 for word in text.split()) / 30)


class PromptWords(Right):
    share = 0.6

    def bonus(self, sample, text):
        asked = set(sample.prompt[-1]["content"].lower().split())
        return len(asked & set(text.lower().split())) / len(asked)


class NumbersOfPrompt(Right):
    share = 0.6

    def bonus(self, sample, text):
        return float(all(number in text.split() for number in ("3", "4", "red", "blue")))


class Weighted(Right):
    def value(self, sample, text):
        return self.options.weight * super().value(sample, text)


class UnboundedPenalty(Right):
    def value(self, sample, text):
        return super().value(sample, text) - len(text) / 20_000


class BarelyAboveOne(Right):
    def value(self, sample, text):
        return super().value(sample, text) + (0.1 if "wait" in text.lower() or "\u200f" in text else 0.0)


class SwappedClip(Right):
    def value(self, sample, text):
        return max(1.0, min(0.0, super().value(sample, text)))


class Nearness(Right):
    """1 for the answer, less with the distance of the number in the last box; 0 without one."""

    def value(self, sample, text):
        box, answer = last_box(text) or "", int(sample.fields["answer"])
        if not (box.isascii() and box.isdigit() and len(box) < 10):
            return 0.0
        return self.near(abs(int(box) - answer))

    def near(self, distance):
        return 1 / (1 + distance)


class FoldedNearness(Nearness):
    def near(self, distance):
        return abs(1 - distance / 20) if distance <= 40 else 0.0


class WrappedNearness(Nearness):
    def near(self, distance):
        return 1.0 - distance % 10 / 10


def _sums():
    from law_mutants.cases import answers

    return answers()


def _heavy():
    from dataclasses import replace

    return [replace(example, title="twice the weight", options={"weight": 2.0}) for example in _sums()]


def _nearer():
    from law_mutants.cases import nearness

    return nearness()


def _reward(name: str, summary: str, made: Callable[[Options], object], examples=_sums) -> RewardSpec:
    return RewardSpec(
        name=name,
        summary=summary,
        config=Options,
        requires=["answer"],
        runs="inline",
        build=lambda options, context: made(options),
        laws=Laws(examples=examples),
    )


@hookimpl
def rewardlab_rewards():
    return [
        _reward("correct_right", "the right answer and nothing else", Right),
        _reward("correct_nearness", "how near the answer is", Nearness, _nearer),
        _reward("length_bonus", "a bonus that grows with the length of the text, blanks included", LengthBonus),
        _reward("line_bonus", "a bonus for every line break", LineBonus),
        _reward("leading_space", "a bonus that a blank at the start earns", LeadingSpace),
        _reward("count_of_mentions", "a bonus for each mention of the answer", CountOfMentions),
        _reward("count_of_boxes", "a bonus for each box", CountOfBoxes),
        _reward("long_words", "a bonus for each long word", LongWords),
        _reward("prompt_words", "a bonus for words of the prompt", PromptWords),
        _reward("numbers_of_prompt", "a bonus for naming what the prompt names", NumbersOfPrompt),
        _reward("weighted", "an option that takes the value out of its range", Weighted, _heavy),
        _reward("unbounded_penalty", "a penalty for length without a limit", UnboundedPenalty),
        _reward("barely_above_one", "a bonus over the maximum for texts that hesitate", BarelyAboveOne),
        _reward("swapped_clip", "limits in the wrong order: everything is 1", SwappedClip),
        _reward("folded_nearness", "a distance that counts as nearness again behind a point", FoldedNearness, _nearer),
        _reward("wrapped_nearness", "a remainder in place of a limit", WrappedNearness, _nearer),
    ]
