"""Instructions about given words: that they are there, how often, and where."""

import re
from functools import lru_cache

from rewardlab_constraints.arguments import holds, positive, relation, text, texts, whole
from rewardlab_constraints.instruction_check import check
from rewardlab_constraints.judged_text import JudgedText
from rewardlab_constraints.language_rules import LanguageRules
from rewardlab_constraints.treebank import tokens
from rewardlab_constraints.visible import marks

PERSON_NAMES = """
Emma Liam Sophia Jackson Olivia Noah Ava Lucas Isabella Mason Mia Ethan Charlotte Alexander Amelia Benjamin Harper Leo
Zoe Daniel Chloe Samuel Lily Matthew Grace Owen Abigail Gabriel Ella Jacob Scarlett Nathan Victoria Elijah Layla
Nicholas Audrey David Hannah Christopher Penelope Thomas Nora Andrew Aria Joseph Claire Ryan Stella Jonathan
"""
TIMES = (1, 2, 3, 5, 7)
"""how often count:keywords_multiple asks for its five words"""
_CLITICS = "[وف]?(?:ال|لل|[بكل](?:ال)?)?"
"""what Arabic writes on to a word: and, then; the; in, like, for"""


@lru_cache(maxsize=1 << 12)
def whole_word(word: str, language: LanguageRules) -> re.Pattern[str]:
    """Return the pattern of a word as one in a language, in a folded text.

    Chinese, Japanese and Thai put no spaces around it, Korean writes particles behind, Arabic "and" and "the" before.
    """
    letter, pattern = rf"[\w{marks()}]", re.escape(language.folded(word.strip()))
    if language.words != "spaced":
        return re.compile(pattern)
    before = _CLITICS if language.code == "ar" else ""
    behind = "" if language.code == "ko" else f"(?!{letter})"
    return re.compile(f"(?<!{letter}){before}{pattern}{behind}")


@check("keywords:existence", keywords=texts)
def existence(answer: JudgedText, keywords: tuple[str, ...]) -> bool:
    """Return whether each keyword is there, also within a longer word."""
    return all(answer.language.folded(keyword.strip()) in answer.folded for keyword in keywords)


@check("keywords:frequency", keyword=text, frequency=whole, relation=relation)
def frequency(answer: JudgedText, keyword: str, frequency: int, relation: str) -> bool:
    """Return whether a keyword is there often enough, or seldom enough."""
    return holds(answer.folded.count(answer.language.folded(keyword.strip())), relation, frequency)


@check("keywords:forbidden_words", forbidden_words=texts)
def forbidden_words(answer: JudgedText, forbidden_words: tuple[str, ...]) -> bool:
    """Return whether none of the words is there as a word."""
    return not any(whole_word(word, answer.language).search(answer.folded) for word in forbidden_words)


@check("count:keywords_multiple", keyword1=text, keyword2=text, keyword3=text, keyword4=text, keyword5=text)
def keywords_multiple(answer: JudgedText, **keywords: str) -> bool:
    """Return whether the five keywords are there once, twice, three, five and seven times."""
    counts = (answer.folded.count(answer.language.folded(keywords[name].strip())) for name in sorted(keywords))
    return all(count == times for count, times in zip(counts, TIMES, strict=True))


@check("sentence:keyword", needs="sentences", word=text, N=positive)
def keyword_in_sentence(answer: JudgedText, word: str, N: int) -> bool:  # noqa: N803 (the name of the data set)
    """Return whether the N-th sentence has a word."""
    if len(answer.sentences) < N:
        return False
    return whole_word(word, answer.language).search(answer.language.folded(answer.sentences[N - 1])) is not None


@check("words:keywords_specific_position", needs="words sentences", keyword=text, n=positive, m=positive)
def keyword_position(answer: JudgedText, keyword: str, n: int, m: int) -> bool:
    """Return whether the m-th word of the n-th sentence is a keyword."""
    if len(answer.sentences) < n:
        return False
    words = [token for token in tokens(answer.sentences[n - 1]) if any(map(str.isalnum, token))]
    return len(words) >= m and answer.language.folded(words[m - 1]) == answer.language.folded(keyword.strip())


@check("words:words_position", needs="words", keyword=text)
def second_words(answer: JudgedText, keyword: str) -> bool:
    """Return whether the second word and the last but one are a keyword."""
    words = [token for token in tokens(answer.folded) if any(map(str.isalnum, token))]
    return len(words) > 2 and words[1] == words[-2] == answer.language.folded(keyword.strip())


@check("count:person_names", needs="latin", N=whole)
def person_names(answer: JudgedText, N: int) -> bool:  # noqa: N803
    """Return whether N different names of IFBench's list are there."""
    return sum(re.search(rf"\b{name}\b", answer.text) is not None for name in PERSON_NAMES.split()) >= N
