"""Rewards that read a completion wrongly, or not at all."""

import re
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace

from rewardlab import Completion, RewardSpec, Sample, Score, hookimpl
from rewardlab.laws import Laws
from rewardlab_answers import last_box


class Boxed:
    """1.0 where the last box holds the row's answer, else 0.0."""

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        return [Score(value=self.value(completion.text, sample.fields["answer"])) for sample, completion in items]

    def value(self, text: str, answer: str) -> float:
        return float(last_box(text) == answer)


class FirstBox(Boxed):
    def value(self, text, answer):
        found = re.search(r"\\boxed\{([^{}]*)\}", text)
        return float(found is not None and found[1] == answer)


class BoxAnywhere(Boxed):
    def value(self, text, answer):
        return float(f"\\boxed{{{answer}}}" in text)


class GreedyBox(Boxed):
    def value(self, text, answer):
        found = re.search(r"\\boxed\{(.*)\}", text, re.DOTALL)
        return float(found is not None and found[1] == answer)


class Inverted(Boxed):
    def value(self, text, answer):
        return float(last_box(text) != answer)


class NoWordsNoNumber(Boxed):
    def value(self, text, answer):
        words = text.split()
        boxes = sum("\\boxed" in word for word in words) / len(words) if words else float("nan")
        return super().value(text, answer) if boxes > 0 else 0.0 * boxes


class MeanOfNoNumbers(Boxed):
    def value(self, text, answer):
        numbers = [float(number) for number in re.findall(r"[0-9]{1,9}", text)]
        mean = sum(numbers) / len(numbers)
        return super().value(text, answer) * float(mean < 1e9)


class LastCharacter(Boxed):
    def value(self, text, answer):
        return super().value(text, answer) if text[-1] != "{" else 0.0


class BytesOfText(Boxed):
    def value(self, text, answer):
        return super().value(text, answer) if len(text.encode()) < 1_000_000 else 0.0


class DigitsAsNumbers(Boxed):
    def value(self, text, answer):
        largest = max((int(character) for character in text if character.isdigit()), default=0)
        return super().value(text, answer) if largest < 10 else 0.0


class FullForNothing(Boxed):
    def value(self, text, answer):
        return float(all(last_box(line) == answer for line in text.splitlines()[-1:]))


class TimeLimitBySignal(Boxed):
    def value(self, text, answer):
        signal.signal(signal.SIGALRM, self._late)
        signal.setitimer(signal.ITIMER_REAL, 2.0)
        try:
            return super().value(text, answer)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    def _late(self, number, frame):
        raise TimeoutError("2 s are over")


class SignalErrorsAreWrongAnswers(TimeLimitBySignal):
    def value(self, text, answer):
        try:
            return super().value(text, answer)
        except ValueError:
            return 0.0


def _real_first_box():
    """math/accuracy, for which the text ends with its first box."""
    from rewardlab_math.accuracy import Accuracy
    from rewardlab_math.options import AccuracyOptions

    class FirstBoxAccuracy(Accuracy):
        def _score(self, sample, text):
            return super()._score(sample, text.partition("}")[0] + "}")

    return FirstBoxAccuracy(AccuracyOptions())


def _real_format_in_reasoning():
    """format/boxed, which forgets where the reasoning ends."""
    from rewardlab_format.boxed import Boxed as FormatBoxed
    from rewardlab_format.options import BoxedOptions

    class BoxInReasoning(FormatBoxed):
        def score(self, items):
            blind = [(sample, replace(one, text=one.text.replace("</think>", ""))) for sample, one in items]
            return super().score(blind)

    return BoxInReasoning(BoxedOptions())


def _sums():
    from law_mutants.cases import answers

    return answers()


def _forms():
    from rewardlab.laws import RewardExample

    from law_mutants.cases import SUM

    good = ["<think>3 + 4 is 7.</think>\\boxed{7}", "So \\boxed{7}."]
    bad = ["<think>It is \\boxed{7}.</think>Seven.", "Seven.", "\\boxed{ }"]
    return [RewardExample(title="boxes and reasoning", sample=SUM, good=good, bad=bad)]


def _reward(name: str, summary: str, made: Callable[[], object], examples=_sums, runs="inline") -> RewardSpec:
    requires = [] if examples is _forms else ["answer"]
    build = lambda options, context: made()  # noqa: E731
    return RewardSpec(
        name=name, summary=summary, requires=requires, runs=runs, build=build, laws=Laws(examples=examples)
    )


@hookimpl
def rewardlab_rewards():
    return [
        _reward("correct_boxed", "the last box against the answer", Boxed),
        _reward("first_box", "reads the first box, not the last", FirstBox),
        _reward("box_anywhere", "finds the answer's box anywhere, whatever the last one says", BoxAnywhere),
        _reward("greedy_box", "reads from the first box to the last brace", GreedyBox),
        _reward("inverted", "has its sign wrong: wrong answers earn 1", Inverted),
        _reward("nan_for_empty", "gives NaN for a text without words", NoWordsNoNumber),
        _reward("mean_of_no_numbers", "divides by the count of numbers, which may be 0", MeanOfNoNumbers),
        _reward("last_character", "looks at the last character of a text that may have none", LastCharacter),
        _reward("bytes_of_text", "encodes the text as UTF-8, which lone surrogates do not allow", BytesOfText),
        _reward("digits_as_numbers", "takes every digit for a number: int('²') raises", DigitsAsNumbers),
        _reward("full_for_nothing", "all() of the last line, of which an empty text has none", FullForNothing),
        _reward("time_limit_by_signal", "a time limit by SIGALRM, for the main thread only", TimeLimitBySignal),
        _reward("signal_errors_are_zero", "0 wherever SIGALRM cannot be had", SignalErrorsAreWrongAnswers),
        _reward("real_first_box", "math/accuracy on the text up to its first box", _real_first_box, runs="thread"),
        _reward("real_box_in_reasoning", "format/boxed, blind to </think>", _real_format_in_reasoning, _forms),
    ]
