"""format/validity with one thing changed."""

from dataclasses import replace

from rewardlab import Config, RewardSpec, Score, hookimpl
from rewardlab.laws import Laws


class Options(Config):
    pass


def _validity(options, context):
    from rewardlab_format.options import ValidityOptions
    from rewardlab_format.validity import Validity

    return Validity(ValidityOptions())


class Changed:
    """The reward, with other rows, other texts or other values."""

    row = staticmethod(lambda sample: sample)
    text = staticmethod(lambda text: text)
    value = staticmethod(lambda score: score)

    def __init__(self, options, context):
        self.right = _validity(options, context)

    def score(self, items):
        items = [
            (self.row(sample), replace(completion, text=self.text(completion.text))) for sample, completion in items
        ]
        return [self.value(score) for score in self.right.score(items)]


class Bonus(Changed):
    value = staticmethod(lambda score: score if score.value is None else replace(score, value=1.0 + score.value))


class ChatInSilence(Changed):
    row = staticmethod(lambda sample: replace(sample, fields={"task": "Chat", **sample.fields}))


class TagsAlone(Changed):
    @staticmethod
    def row(sample):
        return replace(sample, fields={**sample.fields, "task": "Chat"}) if "task" in sample.fields else sample


class OpensTheTrace(Changed):
    text = staticmethod(lambda text: text if text.lstrip().startswith("<think>") else f"<think>.</think>{text}")


class ClosesTheAnswer(Changed):
    text = staticmethod(lambda text: text.partition("</answer>")[0] + "</answer>")


class EmptyIsValid(Changed):
    text = staticmethod(lambda text: text or "<think>a</think><answer>neutral</answer>")


class FailureIsInvalid(Changed):
    value = staticmethod(lambda score: Score(value=-1.0) if score.error else score)


class PaysForBlanks(Changed):
    def score(self, items):
        scores = self.right.score(items)
        return [
            replace(score, value=min(0.0, score.value + completion.text.count(" ") / 100)) if score.value else score
            for score, (_, completion) in zip(scores, items, strict=True)
        ]


def _examples():
    from rewardlab_format.examples import validity

    return [replace(example, options={}) for example in validity() if not example.options]


def _spec(name, summary, build):
    return RewardSpec(
        name=name,
        summary=summary,
        config=Options,
        range=(-1.0, 0.0),
        requires=("task",),
        runs="inline",
        build=build,
        laws=Laws(examples=_examples),
    )


@hookimpl
def rewardlab_rewards():
    return [
        _spec("correct_validity", "format/validity as it is", _validity),
        _spec("validity_as_bonus", "gives 1 for what is valid, where a penalty is declared", Bonus),
        _spec("validity_chat_in_silence", "takes a row without a task for a chat", ChatInSilence),
        _spec("validity_tags_alone", "looks at no task's structure", TagsAlone),
        _spec("validity_opens_the_trace", "writes the trace that is missing", OpensTheTrace),
        _spec("validity_closes_the_answer", "reads to the first end of an answer, and nothing behind", ClosesTheAnswer),
        _spec("validity_empty", "finds nothing wrong in the empty text", EmptyIsValid),
        _spec("validity_failure", "a row without a task is punished", FailureIsInvalid),
        _spec("validity_pays_for_blanks", "deducts less for each blank", PaysForBlanks),
    ]
