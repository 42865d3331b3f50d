"""Detect the language of a teacher's thoughts, if they are long enough and lingua knows the language."""

from functools import cache

from rewardlab import Sample
from rewardlab_language.share import ShareMeter, meter_of

from rewardlab_rubric.strategies.language_texts import Languages

ENGLISH = "en"
READ = 4_000
"""characters that are read, from the end: what comes first may quote the question"""
WORDS, LETTERS = 12, 40
"""the language of a text with fewer different words is uncertain; in a language without spaces, of one with fewer
different letters, which is more than any alphabet has"""


def wanted_language(strategy: str, sample: Sample, field: str, languages: Languages) -> str:
    """Return the code of the language that a strategy's thoughts are to be in."""
    return languages.find(sample.fields.get(field)).code if strategy == "tgt-tgt" else ENGLISH


def share_in(text: str, code: str) -> float | None:
    """Return the share of a text that is in a language, in [0, 1]; None if that is unknown."""
    meter = _meter(code)
    text = text[-READ:]
    if meter is None or (len(set(text.casefold().split())) < WORDS and len(set(text.casefold())) < LETTERS):
        return None
    return meter.measure(text).value


@cache
def _meter(code: str) -> ShareMeter | None:
    try:
        return meter_of(code)
    except ValueError:  # a language that lingua does not know
        return None
