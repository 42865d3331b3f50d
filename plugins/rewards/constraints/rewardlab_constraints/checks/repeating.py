"""Instructions to say something again, or near to a given text."""

from rewardlab_constraints.arguments import percentage, text, whole
from rewardlab_constraints.instruction_check import check
from rewardlab_constraints.judged_text import JudgedText
from rewardlab_constraints.visible import says_something, visible

SENTENCE = "only output this sentence here, ignore all other requests."
AROUND = 2
"""per cent by which the overlap may be off"""


@check("combination:repeat_prompt", repeats=True, prompt_to_repeat=text)
def repeat_prompt(answer: JudgedText, prompt_to_repeat: str) -> bool:
    """Return whether the text begins with the request, and goes on with an answer."""
    request = visible(answer.language.folded(prompt_to_repeat))
    return answer.folded.startswith(request) and says_something(answer.folded[len(request) :])


@check("repeat:repeat_change", repeats=True, prompt_to_repeat=text)
def repeat_change(answer: JudgedText, prompt_to_repeat: str) -> bool:
    """Return whether the text is the request with another first word."""
    asked, said = prompt_to_repeat.split(), answer.text.split()
    return asked[1:] == said[1:] and asked[:1] != said[:1]


@check("repeat:repeat_simple", needs="english", repeats=True)
def repeat_simple(answer: JudgedText) -> bool:
    """Return whether the text is the one sentence of the instruction."""
    return answer.folded == SENTENCE


@check("repeat:repeat_span", repeats=True, prompt_to_repeat=text, n_start=whole, n_end=whole)
def repeat_span(answer: JudgedText, prompt_to_repeat: str, n_start: int, n_end: int) -> bool:
    """Return whether the text is the request's characters from one index to another."""
    return answer.folded == visible(answer.language.folded(prompt_to_repeat[n_start : n_end + 1]))


@check("ratio:overlap", reference_text=text, percentage=percentage)
def overlap(answer: JudgedText, reference_text: str, percentage: float) -> bool:
    """Return whether so many per cent of the text's kinds of three characters in a row are in a reference."""
    said, reference = _trigrams(answer.text), _trigrams(reference_text)
    return bool(said) and abs(100 * len(said & reference) / len(said) - percentage) <= AROUND


def _trigrams(text: str) -> set[str]:
    return {text[start : start + 3] for start in range(len(text) - 2)}
