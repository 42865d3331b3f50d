"""Which language each word of a text is in: lingua's evidence for the word, made consistent over the text.

A hidden Markov model. What a word says of each language is its likelihood under lingua's trigram models; a
change of language costs more than a stray word can pay for, and the least costly path through the text
(Viterbi) tells each word's language. A change to a relative of the row's language costs most, so that
Indonesian is not taken for Malay for the sake of a few words.

Trigrams are what lingua itself decides by from 120 letters on. Its models of one to five letters, for shorter
texts, take ten times the memory, and are not needed where words are not judged alone.

Costs are integers, in quarters of a nat: the same text gets the same answer on every machine.
"""

import functools
import math
from collections.abc import Sequence

from rewardlab_language.languages import lingua_language
from rewardlab_language.rivals import Contest
from rewardlab_language.words import BREAK, Word

WORST = 32
"""At most so much may one word count against a language."""
TO_HOME, TO_STRANGER, TO_RELATIVE = 16, 32, 64
"""Cost of a change to the row's language or English, to a stranger, to a relative."""
HAN_CHARACTER = 2
"""Cost for Japanese of one more Chinese character in a row without kana, and the other way round."""

CACHED_WORDS = 1 << 15


class Segmenter:
    """Languages of the words of one script, for one contest. Loads its models when the first word comes."""

    def __init__(self, contest: Contest, script: str):
        self.languages = contest.of_script(script)
        own = set(contest.target.codes) & set(self.languages)
        home = own or {"en"}
        self._change = [
            TO_HOME if code in home or code == "en"
            else TO_RELATIVE if code in contest.relatives
            else TO_STRANGER
            for code in self.languages
        ]
        self._start = [0 if code in home or not home & set(self.languages) else cost
                       for code, cost in zip(self.languages, self._change, strict=True)]
        self._evidence = _han_or_kana if script == "Hani" else _trigrams
