"""Which language each word of a text is in: lingua's evidence for the word, made consistent over the text.

A hidden Markov model. A word's evidence is its likelihood in each language under lingua's trigram models; a
change of language costs more than a stray word can pay for, and the cheapest path through the text (Viterbi)
gives the words their languages. A change to a relative of the row's language costs most, so that Indonesian
is not taken for Malay for the sake of a few words.

Trigrams alone are what lingua itself decides by from 120 letters on. Its models of one to five letters, which
it adds for shorter texts, take ten times the memory; where no word is judged alone they add nothing.

Costs are integers, quarters of a nat, so that a text has the same answer everywhere.
"""

import functools
import math
from collections.abc import Sequence

from rewardlab_language.languages import lingua_language
from rewardlab_language.rivals import Contest
from rewardlab_language.words import BREAK, Word

QUARTERS = 4  # of a nat
WORST = 8 * QUARTERS
"""A word counts at most so much against a language."""
HOMEWARD, TO_STRANGER, TO_RELATIVE = 4 * QUARTERS, 8 * QUARTERS, 16 * QUARTERS
"""What a change costs: to the row's language or to English, to a stranger, to a relative."""
HAN_CHARACTER = 2
"""Evidence against Japanese in one Chinese character, until kana come."""
CACHED_WORDS = 1 << 13


class Segmenter:
    """Tells the languages of words of one script, in one contest. Loads its models when the first word comes."""

    def __init__(self, contest: Contest, script: str):
        self.languages = contest.of_script(script)
        own = set(contest.target.codes)
        self._change = [
            HOMEWARD if code in own or code == "en" else TO_RELATIVE if code in contest.relatives else TO_STRANGER
            for code in self.languages
        ]
        starting = own & set(self.languages) or set(self.languages)
        self._start = [
            0 if code in starting else cost for code, cost in zip(self.languages, self._change, strict=True)
        ]
        weigh = self._trigrams if script not in ("Hani", "Kana") else self._han_and_kana
        self._evidence = functools.lru_cache(maxsize=CACHED_WORDS)(weigh)

    def languages_of(self, words: Sequence[Word]) -> list[str]:
        """The language of each word that is not a break, in order. A change is cheaper at a break."""
        if len(self.languages) == 1:
            return [self.languages[0] for word in words if word.script != BREAK]
        after_break = [cost // 2 if cost == HOMEWARD else cost for cost in self._change]
        costs, change, history = self._start, self._change, []
        for word in words:
            if word.script == BREAK:
                change = after_break
                continue
            least = min(costs)
            history.append((costs, least, change))
            moved = [cost if cost <= least + fee else least + fee for cost, fee in zip(costs, change, strict=True)]
            costs = [cost + loss for cost, loss in zip(moved, self._evidence(word.text), strict=True)]
            change = self._change
        return [self.languages[state] for state in _path(costs, history)]

    def _trigrams(self, word: str) -> bytes:
        """What the word costs in each language: 0 in the likeliest one, WORST at most."""
        if len(word) < 3:  # no trigram, no evidence
            return bytes(len(self.languages))
        found = {v.language: v.value for v in self._detector.compute_language_confidence_values(word)}
        values = [found[language] for language in self._known]
        best = max(values)
        return bytes(
            0 if value == best else min(WORST, round(QUARTERS * math.log(best / value))) if value else WORST
            for value in values
        )

    def _han_and_kana(self, word: str) -> bytes:
        """Kana are Japanese. Chinese characters are either, and the more of them without kana, the less so."""
        han = "\u3400" <= word[0] <= "\u9fff"
        against = min(WORST, HAN_CHARACTER * len(word)) if han else 0
        return bytes(against if code == "ja" else 0 if han else WORST for code in self.languages)

    @functools.cached_property
    def _known(self) -> list:
        return [lingua_language(code) for code in self.languages]

    @functools.cached_property
    def _detector(self):
        from lingua import LanguageDetectorBuilder

        return LanguageDetectorBuilder.from_languages(*self._known).with_low_accuracy_mode().build()


def _path(costs: list[int], history: list[tuple[list[int], int, list[int]]]) -> list[int]:
    """The states of the cheapest path, first to last; where two cost the same, the earlier language wins."""
    if not history:
        return []
    state, states = costs.index(min(costs)), []
    for before, least, change in reversed(history):
        states.append(state)
        if before[state] > least + change[state]:
            state = before.index(least)
    return states[::-1]
