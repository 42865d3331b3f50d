"""Instructions about capital and small letters."""

from rewardlab_constraints.arguments import holds, relation, whole
from rewardlab_constraints.checks.spoken_language import is_in
from rewardlab_constraints.instruction_check import check
from rewardlab_constraints.judged_text import JudgedText
from rewardlab_constraints.treebank import tokens


@check("change_case:capital_word_frequency", needs="capitals", capital_frequency=whole, capital_relation=relation)
def capital_word_frequency(answer: JudgedText, capital_frequency: int, capital_relation: str) -> bool:
    """Return whether there are enough words, or few enough, of capital letters alone."""
    return holds(sum(token.isupper() for token in tokens(answer.text)), capital_relation, capital_frequency)


@check("change_case:english_capital", needs="capitals detected")
def english_capital(answer: JudgedText) -> bool:
    """Return whether a text has capital letters alone and is in English, or in the row's language."""
    return answer.text.isupper() and is_in(answer.text, answer.language.code)


@check("change_case:english_lowercase", needs="capitals detected")
def english_lowercase(answer: JudgedText) -> bool:
    """Return whether a text has small letters alone and is in English, or in the row's language."""
    return answer.text.islower() and is_in(answer.text, answer.language.code)


@check("format:title_case", needs="words capitals")
def title_case(answer: JudgedText) -> bool:
    """Return whether each word begins with a capital and goes on in small letters, but for mixed ones such as eBay."""
    return not any(_breaks_title_case(token) for token in tokens(answer.text) if token[0].isalpha())


def _breaks_title_case(word: str) -> bool:
    return word[0].islower() and (len(word) == 1 or word[1:].islower() or word[1:].isupper())
