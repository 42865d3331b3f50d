"""A checklist: the dimensions by which something is judged, how each is scored, and how much it weighs."""

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rewardlab_answers import without_format_marks

_AROUND = " \t\n.*_`'\"“”"
"""what may stand around a score that is written as a text"""
_OF_ONE = re.compile(r"\s*/\s*1(?:\.0)?\Z")
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")


def name_key(name: object) -> str:
    """Return a dimension's name as names are compared: in one case, with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", without_format_marks(str(name))).replace("_", " ").casefold().split())


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
        key = label_key(str(raw)[:200])
        if isinstance(key, float) and self.continuous:
            return repr(key).removesuffix(".0") if 0 <= key <= 1 else None
        return next((label for label in self.labels if label_key(label) == key), None)

    def worth_of(self, raw: Any) -> float | None:
        """Return what a judge's score is worth, in [0, 1]; None if the dimension has no such score."""
        label = self.label_of(raw)
        return None if label is None else self.labels[label] if label in self.labels else float(label)


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


def label_key(label: str) -> str | float:
    """Return a label as labels are compared: as a number if it is one, else in one case and without marks around."""
    text = unicodedata.normalize("NFKC", without_format_marks(label)).strip(_AROUND).casefold()
    try:
        number = float(_DECIMAL_COMMA.sub(".", _OF_ONE.sub("", text)))
    except ValueError:
        return text
    return number if math.isfinite(number) else text
