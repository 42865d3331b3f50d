"""Find the language of each word of a text: lingua's evidence for the word, made consistent over the text.

A hidden Markov model. A word's evidence is its likelihood in each language under lingua's models; a change of
language costs more than a stray word can pay for, and the cheapest path through the text (Viterbi) gives the
words their languages. A change to a twin of the row's language costs most, so that Indonesian is not taken
for Malay for the sake of a few words.

The models are those of up to three letters, which are all that lingua itself uses from 120 letters on. Those of four
and five letters take ten times the memory (1.1 GB against 110 MB for all languages), and since no word is judged alone
the same texts pass without them.

Costs are integers, in quarters of a nat, so that a text has the same result everywhere.
"""

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rewardlab_language.languages import lingua_language
from rewardlab_language.rivals import Contest
from rewardlab_language.words import BREAK, Word

if TYPE_CHECKING:
    from lingua import Language, LanguageDetector, LanguageDetectorBuilder

QUARTERS = 4  # of a nat
WORST = 8 * QUARTERS
"""The most that a word counts against a language."""
HOMEWARD, OUTWARD, TO_TWIN = 3 * QUARTERS, 8 * QUARTERS, 16 * QUARTERS
"""The cost of a change: to the row's language or to English, to any other language, to a twin."""
NAME = 1 * QUARTERS
"""The most that a capitalised word inside a sentence counts: names say little of the language around them."""
HAN_CHARACTER, FOREIGN_CHARACTER = 0.5, 3.0
"""Nats against Japanese for each Chinese character, until kana come; and against the one of the two languages whose
character sets lack it: Japanese lacks \u4eec and \u4e24 of simplified Chinese, and Chinese \u55b6 and \u5186."""
SHORT = 3
"""A word of up to so many letters is weighed by models of one to three letters; a longer one by trigrams alone."""
SHORT_WORD = 0.5
"""The weight of the former, which count each letter more than once."""
NEVER = 1000.0  # nats
CACHED_WORDS = 1 << 13


class Segmenter:
    """A segmenter that finds the languages of the words of one script, in one contest.

    Models load with the first word.
    """

    def __init__(self, contest: Contest, script: str) -> None:
        self.languages = contest.of_script(script)
        own = set(contest.target.codes)
        self._change = [
            HOMEWARD if code in own | {"en"} else TO_TWIN if code in contest.twins else OUTWARD
            for code in self.languages
        ]
        starting = own & set(self.languages) or set(self.languages)
        self._start = [0 if code in starting else cost for code, cost in zip(self.languages, self._change, strict=True)]
        self._weigh = self._han_and_kana if script == "Hani" else self._letter_sequences
        self._evidence = functools.lru_cache(maxsize=CACHED_WORDS)(self._cost_of)

    def languages_of(self, words: Sequence[Word]) -> list[str]:
        """Return the language of each word that is not a break, in order. A change is cheaper at a break."""
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
            costs = [
                (cost if cost <= (moved := least + fee) else moved) + loss
                for cost, fee, loss in zip(costs, change, self._evidence(word.text, word.name))  # noqa: B905  # hot
            ]
            change = self._change
        return [self.languages[state] for state in _path(costs, history)]

    def _cost_of(self, word: str, name: bool) -> bytes:
        """Return what the word costs in each language: 0 in the likeliest one, at most WORST or NAME."""
        costs = [round(QUARTERS * nats) for nats in self._weigh(word)]
        return bytes(min(cost - min(costs), NAME if name else WORST) for cost in costs)

    def _letter_sequences(self, word: str) -> list[float]:
        """Return negative log-likelihoods by lingua's models, up to a constant."""
        if len(word) > SHORT:
            return self._nats(self._trigrams, word, 1.0)
        return self._nats(self._all_orders, word, SHORT_WORD * len(set(word)))

    def _nats(self, detector: "LanguageDetector", word: str, scale: float) -> list[float]:
        confidences = {v.language: v.value for v in detector.compute_language_confidence_values(word)}
        values = [confidences[language] for language in self._known]
        if not any(values):
            return [0.0] * len(values)
        return [-scale * math.log(value) if value else NEVER for value in values]

    def _han_and_kana(self, word: str) -> list[float]:
        """Return the costs of a Han or kana word: kana are Japanese; Han alone, the more of it, the less Japanese."""
        japanese, chinese = 0.0, NEVER
        if "\u3400" <= word[0] <= "\u9fff":
            japanese = sum(HAN_CHARACTER + FOREIGN_CHARACTER * _lacks(character, "shift_jis") for character in word)
            chinese = FOREIGN_CHARACTER * sum(_lacks(character, "gb2312", "big5") for character in word)
        return [japanese if code == "ja" else chinese for code in self.languages]

    @functools.cached_property
    def _known(self) -> "list[Language]":
        return [lingua_language(code) for code in self.languages]

    @functools.cached_property
    def _trigrams(self) -> "LanguageDetector":
        return self._builder().with_low_accuracy_mode().build()

    @functools.cached_property
    def _all_orders(self) -> "LanguageDetector":
        return self._builder().build()

    def _builder(self) -> "LanguageDetectorBuilder":
        from lingua import LanguageDetectorBuilder

        return LanguageDetectorBuilder.from_languages(*self._known)


@functools.cache
def _lacks(character: str, *encodings: str) -> bool:
    return not any(character.encode(encoding, "ignore") for encoding in encodings)


def _path(costs: list[int], history: list[tuple[list[int], int, list[int]]]) -> list[int]:
    """Return the states of the cheapest path, first to last; of equal costs the earlier language wins."""
    if not history:
        return []
    state, states = costs.index(min(costs)), []
    for before, least, change in reversed(history):
        states.append(state)
        if before[state] > least + change[state]:
            state = before.index(least)
    return states[::-1]
