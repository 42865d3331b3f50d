"""Instructions about kinds of sentences and the words at their edges."""

from itertools import pairwise

from rewardlab_constraints.instruction_check import check
from rewardlab_constraints.judged_text import JudgedText
from rewardlab_constraints.sentences import CLOSING
from rewardlab_constraints.words import stripped

_STATES, _ASKS, _EXCLAIMS = ".。．｡।۔", "?？؟", "!！"


def _kinds(answer: JudgedText) -> tuple[int, int, int]:
    """Return the numbers of sentences that state, ask and exclaim."""
    ends = [sentence.rstrip(CLOSING)[-1:] for sentence in answer.sentences]
    states, asks, exclaims = (sum(end in marks for end in ends if end) for marks in (_STATES, _ASKS, _EXCLAIMS))
    return states, asks, exclaims


@check("ratio:sentence_type", needs="sentences")
def sentence_type(answer: JudgedText) -> bool:
    """Return whether two sentences state something for each that asks."""
    states, asks, _ = _kinds(answer)
    return states == 2 * asks > 0


@check("ratio:sentence_balance", needs="sentences")
def sentence_balance(answer: JudgedText) -> bool:
    """Return whether as many sentences state as ask and as exclaim."""
    states, asks, exclaims = _kinds(answer)
    return states == asks == exclaims > 0


@check("words:last_first", needs="words sentences")
def last_first(answer: JudgedText) -> bool:
    """Return whether each sentence begins with the last word of the one before."""
    words = [
        [stripped(word) for word in sentence.split()] for sentence in map(answer.language.folded, answer.sentences)
    ]
    edges = [[word for word in sentence if word] for sentence in words]
    return len(edges) > 1 and all(before and after and before[-1] == after[0] for before, after in pairwise(edges))


@check("words:paragraph_last_first", needs="words")
def paragraph_last_first(answer: JudgedText) -> bool:
    """Return whether each line ends with the word with which it begins."""
    lines = [[stripped(word) for word in line.split()] for line in answer.folded.split("\n")]
    edges = [[word for word in line if word] for line in lines]
    return all(words[0] == words[-1] for words in edges if words)
