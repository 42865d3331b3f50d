r"""A solution whose last `\boxed{...}` holds the gold answer."""

import re

from rewardlab.boxes import last_box

from rewardlab_language.wording import Wording

_OPENING = re.compile(r"\\boxed\s*\{")


def fits(answer: str) -> bool:
    """Whether `answer` reads back as it is once it stands in a box: braces in pairs, no box of its own."""
    return last_box(rf"\boxed{{{answer}}}") == answer


def boxed(solution: str, answer: str, wording: Wording) -> str:
    """`solution` with `answer` in its last closed box.

    A box that holds it but for white space stays as it is; another content is replaced; after a solution
    without a closed box comes a sentence in the language of `wording`. `answer` is one that `fits`.
    """
    content = last_box(solution)
    if content is None:
        return f"{solution.rstrip()}\n\n{wording.conclude(answer)}"
    if content.split() == answer.split():
        return solution
    start = _start_of_last(solution, content)
    return solution[:start] + answer + solution[start + len(content) :]


def _start_of_last(solution: str, content: str) -> int:
    """Where the content of the last closed box starts.

    Its braces are in pairs, so every opening that it follows, with a brace after it, is that of a closed box;
    the last of these is the last box.
    """
    starts = (opening.end() for opening in _OPENING.finditer(solution))
    return max(start for start in starts if solution.startswith(content + "}", start))
