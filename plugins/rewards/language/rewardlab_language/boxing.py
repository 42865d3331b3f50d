r"""Make the last `\boxed{...}` of a solution hold the gold answer."""

import re

from rewardlab_answers import last_box

from rewardlab_language.wording import RowWording

_OPENING = re.compile(r"\\boxed\s*\{")


def fits_in_box(answer: str) -> bool:
    """Return whether `answer` reads back from a box behind another: not blank, without a box, braces in pairs."""
    return last_box(rf"\boxed{{0}} \boxed{{{answer}}}") == answer


def boxed(solution: str, answer: str, wording: RowWording) -> str:
    """Return `solution` with `answer` in its last closed box.

    A box that holds the answer up to white space stays as it is; other content is replaced; a solution without a
    closed box gets a sentence in the language of `wording` at its end. `answer` must be one that `fits_in_box`.
    """
    content = last_box(solution)
    if content is None:
        return f"{solution.rstrip()}\n\n{wording.conclude(answer)}"
    if content.split() == answer.split():
        return solution
    start = _start_of_last(solution, content)
    return solution[:start] + answer + solution[start + len(content) :]


def _start_of_last(solution: str, content: str) -> int:
    """Return the index at which the content of the last closed box starts.

    The braces in the content are in pairs, so every opening that is followed by the content and a brace is that of a
    closed box; the last of these is the last box.
    """
    starts = (opening.end() for opening in _OPENING.finditer(solution))
    return max(start for start in starts if solution.startswith(content + "}", start))
