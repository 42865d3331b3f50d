"""Detect the language of thoughts and translations, if they are long enough and lingua knows the language."""

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

TAKEN_FOR_ENGLISH = {"sco"}
"""languages that lingua does not know and takes for English: Scots"""


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


def foreign(text: str, code: str, least: float) -> str | None:
    """Return why a translation is not in a language; None if it is, or if nobody can tell."""
    language, _, script = code.partition("-")
    known = _meter(language) is not None and (not script or language == "zh")  # lingua knows one script of the others
    share = share_in(text, language) if known else None
    if share is not None:
        return None if share >= least else f"{share:.0%} of the words are in {code!r}"
    english = None if known or language in TAKEN_FOR_ENGLISH else share_in(text, ENGLISH)
    return None if english is None or english <= 1 - least else f"{english:.0%} of the words are English"


@cache
def _meter(code: str) -> ShareMeter | None:
    try:
        return meter_of(code)
    except ValueError:  # a language that lingua does not know
        return None
