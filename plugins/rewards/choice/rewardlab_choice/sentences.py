"""The ends of sentences and clauses, and whether one of them is negated."""

import re

from rewardlab_choice import answer_words

MAX_SENTENCE = 300
"""characters behind a lead in which its choice stands"""
CLAUSE = 80
"""characters before a statement in which a "not" is looked for"""

MAX_ARTICLE = 8
"""characters of an article between a question and its answer"""

_QUESTION_MARKS = str.maketrans("？؟", "??")
CLAUSE_END = re.compile(r"[.;:!?,\n。，；：！？،؛።፣፤]")
SENTENCE = re.compile(r"[^\n]*?(?:[.!](?=\s|$)|[。！।۔።](?!\d)|\n|\Z)")
SENTENCE_END = re.compile(r"[.!?\n。！？።]")
STOP = re.compile(r"\s{0,3}(?:\Z|\n|[.!:,;)\]}](?![A-Za-z0-9\u00c0-\u024f])|[。！，；、।۔：።፣،؛]|[-–—]\s|\()")


def ends(text: str, start: int, languages: tuple[str, ...]) -> bool:
    """Return whether a sentence ends in a place, or goes on with "because"."""
    return (STOP.match(text, start) or answer_words.behind(languages).match(text, start)) is not None


def is_negated(text: str, end: int, languages: tuple[str, ...] = (), from_start: bool = False) -> bool:
    """Return whether the clause that ends in a place has a "not", an "if" or a "wrong"."""
    clause = text[max(0, end - CLAUSE) : end]
    if from_start:
        clause = CLAUSE_END.split(clause, maxsplit=1)[0]
        words = clause.split()[:2]
        clause = " ".join(words) if words and clause[:1].isspace() else clause[:6]
    else:
        clause = CLAUSE_END.split(clause)[-1]
    return answer_words.negation(languages).search(clause) is not None


def is_negative_question(before: str) -> bool:
    """Return whether a text ends with a question that denies: behind "Which is wrong? The" nobody knows what A is."""
    asked, mark, article = before[-MAX_SENTENCE:].translate(_QUESTION_MARKS).rpartition("?")
    if not mark or len(article) > MAX_ARTICLE or len(article.split()) > 1:
        return False
    return answer_words.negation().search(SENTENCE_END.split(asked)[-1]) is not None
