"""The checks of instructions, by what they look at; importing the room registers all of them."""

from rewardlab_constraints.checks import (
    capitals,
    keywords,
    layout,
    lengths,
    letters,
    listing,
    marks,
    repeating,
    sentence_kinds,
    spoken_language,
    tasks,
    word_kinds,
)

__all__ = [
    "capitals",
    "keywords",
    "layout",
    "lengths",
    "letters",
    "listing",
    "marks",
    "repeating",
    "sentence_kinds",
    "spoken_language",
    "tasks",
    "word_kinds",
]
