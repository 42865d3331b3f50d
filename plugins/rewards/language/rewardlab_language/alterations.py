r"""Find what a translation altered: a lost number or box, a new answer, a question that is not a question."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rewardlab_language.faithful_words import asking_words
from rewardlab_language.numbers_in_text import explained_values, in_figures, lost_numbers, numbers_in

What = Literal["number", "box", "answer", "question"]
REASONS: dict[What, str] = {
    "number": "every candidate loses or changes a number",
    "box": "every candidate loses a box",
    "answer": "every candidate states the answer",
    "question": "every candidate lacks the question",
}
MIN_ANSWER_LETTERS = 4
"""A shorter answer that is not a number, such as B or x, may occur in any text."""
MAX_ANSWER = 100
"""characters of an answer that may be one number"""
SHOWN = 3
_BOX = re.compile(r"\\boxed\s*\{")
_QUESTION_MARKS = re.compile("[?？؟¿⁇]")
_SINGLE_NUMBER = re.compile(r"[-+−$\s]*[\d.,\s\\!{}]+[%$\s]*")


@dataclass(frozen=True)
class Alteration:
    """One change that a translation made to the meaning of a text."""

    kind: What
    description: str


def alterations(source: str, translation: str, target: str) -> list[Alteration]:
    """Return the numbers and boxes that the translation of a text lost. target: the code of its language."""
    altered: list[Alteration] = []
    if lost := lost_numbers(source, translation, target):
        more = f" and {len(lost) - SHOWN} more" if len(lost) > SHOWN else ""
        altered.append(Alteration("number", f"{', '.join(lost[:SHOWN])}{more} is not in it"))
    if len(_BOX.findall(translation)) < len(_BOX.findall(source)):
        altered.append(Alteration("box", "a box is not in it"))
    return altered


def question_alterations(source: str, translation: str, target: str, answer: str | None = None) -> list[Alteration]:
    """Return what the translation of a problem altered. answer: the problem's right answer, if known."""
    altered = alterations(source, translation, target)
    if answer is not None and _states(answer, source, translation):
        altered.append(Alteration("answer", f"the answer {answer[:40]} is in it"))
    if not _BOX.search(source) and _BOX.search(translation):
        altered.append(Alteration("question", "a box is in it"))
    elif not _asks(source, translation, target):
        altered.append(Alteration("question", "it asks nothing"))
    return altered


def reason_of(altered: Sequence[Alteration]) -> str:
    """Return one of a few texts that say why a problem with these alterations is dropped."""
    return REASONS[altered[0].kind]


def _states(answer: str, source: str, translation: str) -> bool:
    """Return whether an answer stands in a translation and not in its source."""
    numbers = numbers_in(answer) if len(answer) <= MAX_ANSWER else []
    if len(numbers) == 1 and _SINGLE_NUMBER.fullmatch(in_figures(answer)):
        [number] = numbers
        source_readings, readings = (
            {reading for n in numbers_in(text) for reading in n.readings} for text in (source, translation)
        )
        there = number.readings & readings and not number.readings & source_readings
        return bool(there) and not number.values & explained_values(source)
    bare = _bare(answer)
    return len(bare) >= MIN_ANSWER_LETTERS and bare in _bare(translation) and bare not in _bare(source)


def _bare(text: str) -> str:
    return re.sub(r"[\s$]", "", unicodedata.normalize("NFKC", text)).lower()


def _asks(source: str, translation: str, target: str) -> bool:
    """Return whether a translation has a question mark or a word that asks, if its source has a question mark."""
    if not _QUESTION_MARKS.search(source) or _QUESTION_MARKS.search(translation):
        return True
    words = asking_words(target)
    return words is None or words.search(translation.lower()) is not None
