"""Instructions about numbers of words, sentences and paragraphs, and about their lengths."""

from collections import Counter
from itertools import pairwise

from rewardlab_constraints.arguments import holds, positive, relation, text, whole
from rewardlab_constraints.instruction_check import check
from rewardlab_constraints.judged_text import JudgedText
from rewardlab_constraints.visible import says_something
from rewardlab_constraints.words import bare, letters, number_of_words, stripped


@check("length_constraints:number_words", num_words=whole, relation=relation)
def number_words(answer: JudgedText, num_words: int, relation: str) -> bool:
    """Return whether there are fewer, or at least as many words; a Chinese or Japanese character is one."""
    return holds(number_of_words(answer.text), relation, num_words)


@check("count:word_count_range", min_words=whole, max_words=whole)
def word_count_range(answer: JudgedText, min_words: int, max_words: int) -> bool:
    """Return whether the number of words is within a range."""
    return min_words <= number_of_words(answer.text) <= max_words


@check("length_constraints:number_sentences", needs="sentences", num_sentences=whole, relation=relation)
def number_sentences(answer: JudgedText, num_sentences: int, relation: str) -> bool:
    """Return whether there are fewer, or at least as many sentences."""
    return holds(len(answer.sentences), relation, num_sentences)


@check("length_constraints:number_paragraphs", num_paragraphs=whole)
def number_paragraphs(answer: JudgedText, num_paragraphs: int) -> bool:
    """Return whether dividers *** part so many paragraphs, none of them blank."""
    paragraphs = answer.text.split("***")
    inner, ends = paragraphs[1:-1], [part for part in (paragraphs[0], paragraphs[-1]) if says_something(part)]
    if len(paragraphs) == 1:
        return num_paragraphs == len(ends[:1])
    return all(map(says_something, inner)) and len(inner) + len(ends) == num_paragraphs


@check("length_constraints:nth_paragraph_first_word", num_paragraphs=positive, nth_paragraph=positive, first_word=text)
def nth_paragraph_first_word(answer: JudgedText, num_paragraphs: int, nth_paragraph: int, first_word: str) -> bool:
    """Return whether blank lines part so many paragraphs, of which one begins with a word."""
    paragraphs = [part for part in answer.text.split("\n\n") if says_something(part)]
    if len(paragraphs) != num_paragraphs or nth_paragraph > num_paragraphs:
        return False
    start, word = answer.language.folded(paragraphs[nth_paragraph - 1]).split(), answer.language.folded(first_word)
    if answer.language.words != "spaced":
        return stripped("".join(start)).startswith(word.strip())
    return stripped(start[0]).startswith(word.strip()) and _first(start[0]) == word.strip()


def _first(word: str) -> str:
    """Return a word up to a mark in it: "don't" is "don"."""
    return "".join(part + "-" for part in stripped(word).split("-"))[:-1].split("'")[0].split("’")[0]


@check("count:unique_word_count", needs="words", N=whole)
def unique_word_count(answer: JudgedText, N: int) -> bool:  # noqa: N803
    """Return whether there are N different words."""
    return len({stripped(word) for word in answer.folded.split()} - {""}) >= N


@check("words:repeats", needs="words", small_n=positive)
def repeats(answer: JudgedText, small_n: int) -> bool:
    """Return whether no word is there more often than small_n times."""
    return max(Counter(answer.bare).values(), default=0) <= small_n


@check("words:prime_lengths", needs="words")
def prime_lengths(answer: JudgedText) -> bool:
    """Return whether the number of letters of each word is prime."""
    return all(_is_prime(len(letters(word))) for word in answer.bare)


def _is_prime(number: int) -> bool:
    return 1 < number < 1_000 and all(number % factor for factor in range(2, int(number**0.5) + 1))


@check("ratio:sentence_words", needs="words sentences")
def sentence_words(answer: JudgedText) -> bool:
    """Return whether three sentences have the same number of characters and no word in common."""
    if len(answer.sentences) != 3 or len({len(sentence) for sentence in answer.sentences}) > 1:
        return False
    return max(Counter(answer.bare).values(), default=0) <= 1


@check("sentence:increment", needs="words sentences", small_n=positive)
def increment(answer: JudgedText, small_n: int) -> bool:
    """Return whether each of several sentences has small_n words more than the one before."""
    counts = [len(bare(sentence)) for sentence in answer.sentences]
    steps = [after - before for before, after in pairwise(counts)]
    return bool(steps) and set(steps) == {small_n}
