"""A checklist: the dimensions by which something is judged, how each is scored, and how much it weighs."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_AROUND = " \t\n.*_`'\"“”"
"""what may stand around a score that is written as a text"""
_OF_ONE = re.compile(r"\s*/\s*1(?:\.0)?\Z")
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")


def name_key(name: object) -> str:
    """Return a dimension's name as names are compared: in one case, with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", str(name)).replace("_", " ").casefold().split())


@dataclass(frozen=True, kw_only=True)
class Dimension:
    """One question of a checklist.

    Args:
        asks: what is asked, in a sentence or two.
        weight: of its score, of all 1.
        labels: label -> worth in [0, 1], in the order of the file.
        continuous: any number in [0, 1] is a score, too.
        recognises: the labels of a dimension that is not scored, but says what kind of task it is.
    """

    name: str
    asks: str
    weight: float
    labels: Mapping[str, float]
    continuous: bool = False
    recognises: tuple[str, ...] = ()

    def label_of(self, raw: Any) -> str | None:
        """Return a judge's score as the checklist writes it; None if the dimension has no such score.

        A text may have marks around it, a decimal comma, or `/1` behind it.
        """
        if isinstance(raw, bool) or not isinstance(raw, str | int | float):
            return None
        text = unicodedata.normalize("NFKC", str(raw)[:200]).strip(_AROUND)
        for label in self.labels:
            if unicodedata.normalize("NFKC", label).strip(_AROUND).casefold() == text.casefold():
                return label
        text = _DECIMAL_COMMA.sub(".", _OF_ONE.sub("", text))
        if (number := _number(text)) is None:
            return None
        if self.continuous:
            return f"{number:g}" if 0 <= number <= 1 else None
        return next((label for label in self.labels if _number(label) == number), None)

    def worth_of(self, raw: Any) -> float | None:
        """Return what a judge's score is worth, in [0, 1]; None if the dimension has no such score."""
        label = self.label_of(raw)
        return None if label is None else self.labels.get(label, _number(label))


@dataclass(frozen=True, kw_only=True)
class Checklist:
    """A checklist for answers to one kind of task, or for reasoning.

    Args:
        name: the file's, without its ending.
        source: "sgcm", "ours" or a user's own words.
    """

    name: str
    task: str
    subtask: str | None
    source: str
    dimensions: tuple[Dimension, ...]

    @property
    def scored(self) -> tuple[Dimension, ...]:
        """The dimensions that have a score; their weights sum to 1."""
        return tuple(dimension for dimension in self.dimensions if not dimension.recognises)

    def dimension(self, name: object) -> Dimension | None:
        """Return the dimension of a name, whatever its case; None without one."""
        wanted = name_key(name)
        return next((dimension for dimension in self.dimensions if name_key(dimension.name) == wanted), None)

    def describe(self) -> str:
        """Return what it is for and how large it is, in one line."""
        purpose = self.task if self.subtask is None else f"{self.task}, {self.subtask}"
        words = {"sgcm": "", "ours": ", not the paper's"}.get(self.source, "")
        return f"{purpose}: {len(self.dimensions)} dimensions{words}"

    @property
    def recognised(self) -> Dimension | None:
        """The dimension that says which kind of task it is; None without one."""
        return next((dimension for dimension in self.dimensions if dimension.recognises), None)


def _number(label: str) -> float | None:
    try:
        return float(label)
    except ValueError:
        return None
