r"""Count the sentences in what prose takes out of a text: in formulas, code, arguments of commands, addresses, tags.

Six words in a row are a sentence. So are words that anything else divides (`we\_add\_the`, an address, a formula for
each five of them) if they have the function words of one: identifiers and LaTeX have none, but for the keywords of
programs.
"""

import re
from collections import Counter
from collections.abc import Sequence

from rewardlab_language.density import ENGLISH, density_of
from rewardlab_language.mixing import languages_of_word
from rewardlab_language.words import BREAK, Word, words

SPAN, MIN_FUNCTION_WORDS = 12, 3
"""Words of a span, and how many different function words of one language make sentences of it."""
_KEYWORDS = """
and as do else for from if in is let new not or return then this when where while with
"""
_OF_PROGRAMS = frozenset(_KEYWORDS.split())
# begins with a whole word and gives nothing back, or each letter of a long word would be tried
_RUN = re.compile(r"(?<![A-Za-zÀ-ɏ])[A-Za-zÀ-ɏ]++(?:[ \t,;]++[A-Za-zÀ-ɏ]++){5,}+")
_LETTER = re.compile(r"[^\W\d_]")


def hidden_sentences(taken: str) -> Counter[str]:
    """Return the information of the letters of sentences in a text that is not read, by script.

    Words of other scripts than Latin are in no code or formula, and always count.
    """
    hidden: Counter[str] = Counter()
    latin: list[Word] = []
    for run in _RUN.findall(taken):
        hidden["Latn"] += ENGLISH * len(_LETTER.findall(run))
    for word in words(_RUN.sub(" ", taken)):
        if word.script == "Latn":
            latin.append(word)
        elif word.script != BREAK:
            hidden[word.script] += density_of(word.script) * word.letters
    for start in range(0, len(latin), SPAN):
        span = latin[start : start + SPAN]
        if _is_prose(span):
            hidden["Latn"] += ENGLISH * sum(word.letters for word in span)
    return hidden


def _is_prose(span: Sequence[Word]) -> bool:
    counts = Counter(code for text in {word.text for word in span} - _OF_PROGRAMS for code in languages_of_word(text))
    return max(counts.values(), default=0) >= MIN_FUNCTION_WORDS
