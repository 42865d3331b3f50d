"""language/consistency with one thing changed. Its detector here is lingua alone, which every installation has."""

import re
from dataclasses import replace

from rewardlab import Config, RewardSpec, Score, hookimpl
from rewardlab.laws import Laws


class Options(Config):
    pass


class Changed:
    """The reward, with other rows, other texts or other values."""

    row = staticmethod(lambda sample: sample)
    text = staticmethod(lambda text: text)
    value = staticmethod(lambda score: score)
    parts = "both"

    def __init__(self, options, context):
        from rewardlab_language.consistency import Consistency
        from rewardlab_language.options import ConsistencyOptions

        self.right = Consistency(ConsistencyOptions(detectors=("lingua",), parts=self.parts))

    def score(self, items):
        items = [
            (self.row(sample), replace(completion, text=self.text(completion.text))) for sample, completion in items
        ]
        return [self.value(score) for score in self.right.score(items)]


class AnswerAlone(Changed):
    parts = "answer"


class TraceForBoth(Changed):
    text = staticmethod(lambda text: text.partition("</think>")[0] + "</think>" + text.partition("</think>")[0][7:])


class GermanInSilence(Changed):
    row = staticmethod(lambda sample: replace(sample, fields={"language": "de", **sample.fields}))


class FailureIsLow(Changed):
    value = staticmethod(lambda score: Score(value=0.0) if score.error else score)


class EnglishPasses(Changed):
    text = staticmethod(lambda text: re.sub("At first[^<]*", "Zuerst standen dort viele Bücher beieinander.", text))


class OverOne(Changed):
    value = staticmethod(lambda score: replace(score, value=score.value and 1.0 + len(score.info["labels"])))


class FirstForAll(Changed):
    def score(self, items):
        scores = super().score(items)
        return [replace(score, value=scores[0].value) for score in scores]


def _examples():
    from rewardlab_language.examples import consistency

    return [replace(example, options={}) for example in consistency() if example.title == "trace and answer"]


OFF = {
    "prompt_copy": "a copy of the prompt is in the prompt's language",
    "repetition": "what is too short to tell is long enough when it comes again",
}


def _spec(name, summary, build):
    return RewardSpec(
        name=name,
        summary=summary,
        config=Options,
        requires=("language",),
        runs="thread",
        build=build,
        laws=Laws(examples=_examples, off=OFF),
    )


@hookimpl
def rewardlab_rewards():
    return [
        _spec("correct_consistency", "language/consistency as it is", Changed),
        _spec("consistency_answer_alone", "does not look at the trace", AnswerAlone),
        _spec("consistency_trace_for_both", "takes the trace for the answer, too", TraceForBoth),
        _spec("consistency_german_in_silence", "takes a row without a language for German", GermanInSilence),
        _spec("consistency_failure", "a row without a language earns 0", FailureIsLow),
        _spec("consistency_english_passes", "reads an English sentence as the German one", EnglishPasses),
        _spec("consistency_over_one", "adds a point for each label", OverOne),
        _spec("consistency_first_for_all", "gives each item of a call what the first one earned", FirstForAll),
    ]
