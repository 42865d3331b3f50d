"""Instructions about kinds of words: numbers, stop words, conjunctions, pronouns, verbs, Japanese ones."""

import re

from rewardlab_constraints.arguments import percentage, positive, whole
from rewardlab_constraints.instruction_check import check
from rewardlab_constraints.judged_text import JudgedText
from rewardlab_constraints.treebank import tokens
from rewardlab_constraints.words import CHARACTERS, PUNCTUATION, stripped

_JAPANESE = re.compile(f"[{CHARACTERS}]")
_NO_VERBS = "during something nothing everything anything morning evening spring string thing"
"""words in -ing that are none"""
_PUNCTUATION = str.maketrans("", "", PUNCTUATION)


@check("count:numbers", N=whole)
def numbers(answer: JudgedText, N: int) -> bool:  # noqa: N803
    """Return whether there are exactly N numbers in digits; 3.14 and 1,000 are one each."""
    return len(re.findall(r"\d+", answer.text.translate(_PUNCTUATION))) == N


@check("ratio:stop_words", needs="stop_words", percentage=percentage)
def stop_words(answer: JudgedText, percentage: float) -> bool:
    """Return whether no more than so many per cent of the words are stop words."""
    stops = sum(word in answer.language.lists["stop_words"] for word in answer.words)
    return bool(answer.words) and 100 * stops <= percentage * len(answer.words)


@check("count:conjunctions", needs="conjunctions", small_n=whole)
def conjunctions(answer: JudgedText, small_n: int) -> bool:
    """Return whether there are enough different coordinating conjunctions."""
    return len({stripped(word) for word in answer.folded.split()} & answer.language.lists["conjunctions"]) >= small_n


@check("count:pronouns", needs="pronouns", N=whole)
def pronouns(answer: JudgedText, N: int) -> bool:  # noqa: N803
    """Return whether there are enough pronouns; she/her are two."""
    said = tokens(answer.folded.replace("/", " "))
    return sum(token in answer.language.lists["pronouns"] for token in said) >= N


@check("words:start_verb", needs="verbs")
def start_verb(answer: JudgedText) -> bool:
    """Return whether the first word is a verb."""
    first = stripped(answer.folded.split()[0])
    if first.endswith("ing") and len(first) > 4:
        return first not in _NO_VERBS.split()
    stems = {first, *(first.removesuffix(end) for end in ("ing", "s", "es", "ed", "d"))}
    stems |= {stem + "e" for stem in stems} | {stem[:-1] for stem in stems if stem[-2:-1] == stem[-1:]}
    return not stems.isdisjoint(answer.language.lists["verbs"])


@check("count:words_japanese", needs="words", N=positive)
def words_japanese(answer: JudgedText, N: int) -> bool:  # noqa: N803
    """Return whether each N-th word is in Japanese."""
    places = [stripped(word) for word in answer.text.split()][N - 1 :: N]
    return bool(places) and all(_JAPANESE.search(word) for word in places if word and not word.isdigit())
