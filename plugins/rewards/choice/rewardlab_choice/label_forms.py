"""The letters that stand for a row's labels: its own, look-alikes, and those in the same place of another script."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import yaml

from rewardlab_choice.folding import CIRCLED, plain
from rewardlab_choice.values import values


@cache
def scripts() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Return each script's letters in order, each with its forms."""
    return {
        name: tuple(tuple(map(plain, letter.split("|"))) for letter in line.split())
        for name, line in _read()[0].items()
    }


@cache
def look_alikes() -> Mapping[str, str]:
    """Return letter -> the letter of another script that it looks like."""
    return {plain(letter): plain(other) for letter, other in _read()[1].items()}


@cache
def _read() -> tuple[Mapping[str, str], Mapping[str, str]]:
    text = files("rewardlab_choice").joinpath("label_scripts.yaml").read_text(encoding="utf-8")
    tree = yaml.load(text, Loader=yaml.BaseLoader)
    return tree["scripts"], tree["look_alikes"]


def other_forms(choices: Mapping[str, str]) -> dict[str, str]:
    """Return form -> label for letters that are not among the row's labels but stand for one.

    A form that two ways of reading give to different labels is in none, and a script counts only if no choice is
    one of its letters: in a question about letters they are answers.
    """
    labels = {plain(label): label for label in choices}
    texts = {plain(text) for text in choices.values()}
    own = _script_of(list(labels))
    if own is None:
        return {}
    forms: dict[str, set[str]] = {}
    for name, letters in scripts().items():
        known = {form for letter in letters for form in letter}
        if name == own or known & texts or (name == "circled" and any(map(values, choices.values()))):
            continue
        if name == "digits" and own != "circled":
            continue
        for letter, label in zip(letters, choices, strict=False):
            for form in letter:
                forms.setdefault(form, set()).add(label)
    for look, other in look_alikes().items():
        if own == "latin" and other in labels and not {look, other} & texts:
            forms[look] = {labels[other]}
        elif look in labels and other not in texts:  # B in a row of А, Б, В: the second, or what looks like the third
            forms.setdefault(other, set()).add(labels[look])
    return {form: min(named) for form, named in forms.items() if len(named) == 1 and form not in labels}


def _script_of(labels: list[str]) -> str | None:
    """Return the script whose first letters the labels are, in order."""
    for name, letters in scripts().items():
        if len(labels) <= len(letters) and all(label in letter for label, letter in zip(labels, letters, strict=False)):
            return name
    return None


def is_circled(form: str) -> bool:
    """Return whether a form is a circled number."""
    return form in CIRCLED
