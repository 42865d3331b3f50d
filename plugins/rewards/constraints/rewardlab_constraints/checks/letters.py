"""Instructions about the letters of words."""

import re
import unicodedata
from itertools import pairwise

from rewardlab_constraints.arguments import holds, letter, relation, whole
from rewardlab_constraints.instruction_check import check
from rewardlab_constraints.judged_text import JudgedText
from rewardlab_constraints.language_rules import LanguageRules
from rewardlab_constraints.words import bare, first_letter, letters

PALINDROMES, PALINDROME = 10, 5
"""how many palindromes words:palindrome asks for, and how many letters each has at least"""
VOWELS = 3
"""how many kinds of vowels words:vowel allows"""


@check("keywords:letter_frequency", letter=letter, let_frequency=whole, let_relation=relation)
def letter_frequency(answer: JudgedText, letter: str, let_frequency: int, let_relation: str) -> bool:
    """Return whether a letter, or another character, is there often enough, or seldom enough."""
    return holds(answer.folded.count(answer.language.folded(letter)), let_relation, let_frequency)


@check("words:alphabet", needs="words alphabet")
def alphabet(answer: JudgedText) -> bool:
    """Return whether each word begins with the next letter of the alphabet, after the last one with the first."""
    order = answer.language.alphabet
    firsts = [_plain(first_letter(word), answer.language) for word in answer.bare]
    if not firsts or not set(firsts) <= answer.language.letters:
        return False
    place = order.index(firsts[0])
    return all(first == order[(place + step) % len(order)] for step, first in enumerate(firsts))


def _plain(letter: str, language: LanguageRules) -> str:
    """Return a letter without accents that the alphabet does not have: é is e, and ç is ç in Turkish."""
    return letter if letter in language.letters else unicodedata.normalize("NFD", letter)[:1]


@check("words:no_consecutive", needs="words")
def no_consecutive(answer: JudgedText) -> bool:
    """Return whether no two words in a row begin with the same letter."""
    firsts = [first_letter(word) for word in answer.bare]
    return len(firsts) > 1 and all(before != after for before, after in pairwise(firsts))


@check("words:vowel", needs="vowels")
def vowel(answer: JudgedText) -> bool:
    """Return whether a single paragraph has words, and no more than three kinds of vowels."""
    vowels = answer.language.vowels
    kinds = {char if char in vowels else unicodedata.normalize("NFD", char)[:1] for char in answer.folded}
    return "\n" not in answer.text and 0 < len(kinds & set(vowels)) <= VOWELS


@check("words:consonants", needs="words vowels")
def consonants(answer: JudgedText) -> bool:
    """Return whether each word has two consonants in a row."""
    cluster = re.compile(f"[{''.join(sorted(answer.language.letters - set(answer.language.vowels)))}]{{2}}")
    return all(cluster.search(word) for word in answer.folded.split() if any(map(str.isalnum, word)))


@check("words:palindrome", needs="words")
def palindrome(answer: JudgedText) -> bool:
    """Return whether there are ten palindromes of five letters or more."""
    words = (letters(word) for word in answer.bare if len(word) >= PALINDROME)
    return sum(len(word) >= PALINDROME and word == word[::-1] for word in words) >= PALINDROMES


@check("sentence:alliteration_increment", needs="words sentences")
def alliteration_increment(answer: JudgedText) -> bool:
    """Return whether each sentence has more words in alliteration than the one before."""
    counts = [_alliterating(answer.language.folded(sentence)) for sentence in answer.sentences]
    return len(counts) > 1 and all(before < after for before, after in pairwise(counts))


def _alliterating(sentence: str) -> int:
    """Return how many words begin with the first letter of a neighbour."""
    firsts = [first_letter(word) for word in bare(sentence)]
    same = [before == after for before, after in pairwise(firsts)]
    return sum(before or after for before, after in zip([False, *same], [*same, False], strict=True))


@check("words:odd_even_syllables", needs="words syllables")
def odd_even_syllables(answer: JudgedText) -> bool:
    """Return whether words with odd and with even numbers of syllables alternate."""
    odd = [syllables(word, answer.language) % 2 for word in answer.bare]
    return len(odd) > 1 and all(before != after for before, after in pairwise(odd))


def syllables(word: str, language: LanguageRules) -> int:
    """Return the number of syllables of a word in small letters; of an English one as its spelling says."""
    if language.syllables == "blocks":
        return sum("가" <= char <= "힣" for char in word) or 1
    if language.code in ("ru", "tr", "sw"):
        return sum(char in language.vowels for char in word) or 1
    groups = len(re.findall(f"[{language.vowels}y]+", word))
    return max(1, groups - (language.code == "en" and _has_silent_e(word)))


def _has_silent_e(word: str) -> bool:
    """Return whether the last e is silent, as in "made", "makes" and "baked", and not in "table", "wanted", "boxes"."""
    return bool(re.search(r"[^aeiouyl]es?$|[^aeiouytd]ed$", word)) and not re.search(r"(?:[sxzcg]|[cs]h)es$", word)
