"""The levels of a rubric: the possible scores, their names in a prompt, and their values."""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from rewardlab_answers import without_format_marks

Kind = Literal["scale", "binary", "pair"]
"""scale: whole numbers. binary: true and false. pair: which of two responses is better."""

_NUMBER = re.compile(r"(?:score_)?(-?[0-9]{1,9})")
_EXPONENT = re.compile(r"[+-]?[0-9]{1,9}(?:\.[0-9]{1,9})?e[+-]?[0-9]")
_SPACES = re.compile(r"[\s_-]+")
PAIRS = (("response 1", "response 2"), ("assistant a", "assistant b"), ("a", "b"))
"""the names that two responses may have in a rubric; those of a pair belong together"""
NAMES = {"a": "Assistant A", "b": "Assistant B", "tie": "Tie", "both bad": "Both Bad"}


@dataclass(frozen=True)
class Levels:
    """The levels of one rubric. A judge writes the label of a level as its score.

    Args:
        kind: what sort of levels they are.
        texts: label -> what it stands for, in the order of the prompt.
    """

    kind: Kind
    texts: Mapping[str, str]

    @cached_property
    def labels(self) -> dict[str, str]:
        """Return {a label without case: the label}."""
        return {label.casefold(): label for label in self.texts}

    @cached_property
    def ends(self) -> tuple[int, int]:
        """Return the lowest and the highest number of a scale."""
        numbers = [int(label) for label in self.texts]
        return min(numbers), max(numbers)

    @property
    def sides(self) -> tuple[str, str]:
        """The names of the two responses, as the prompt has them."""
        if self.kind != "pair":
            return "Response 1", "Response 2"
        first, second = list(self.texts)[:2]
        return first, second

    def describe(self) -> str:
        """Return the possible scores, in words."""
        if self.kind == "scale":
            return "a whole number from {} to {}".format(*self.ends)
        names = list(self.texts)
        return f"{', '.join(names[:-1])} or {names[-1]}"

    def label_of(self, raw: Any) -> str | None:
        """Return the level that a score names, as a number or as a text in any case; None for anything else."""
        return self.labels.get(canonical(raw))

    def mirrored(self, label: str) -> str:
        """Return the level of a pair that says the same of the two responses in each other's place."""
        if self.kind == "scale":
            low, high = self.ends
            return str(low + high - int(label))
        first, second = self.sides
        return {first: second, second: first}.get(label, label)

    def worth(self, label: str) -> float:
        """Return the value of a level of a scale or of true and false, in [0, 1]."""
        if self.kind == "binary":
            return float(label == "true")
        low, high = self.ends
        return (int(label) - low) / (high - low)

    def shares(self, label: str, both_bad: str) -> tuple[float, float]:
        """Return (the first text's share by a level of a pair or a scale, the share that neither gets)."""
        if self.kind == "scale":
            return 1.0 - self.worth(label), 0.0
        if label == "Both Bad" and both_bad == "zero":
            return 0.0, 1.0
        if label in ("Tie", "Both Bad"):
            return 0.5, 0.0
        return float(label == self.sides[0]), 0.0


def levels_of(scoring: Any, kinds: Iterable[Kind]) -> Levels:
    """Return the levels in a mapping of levels. Raises ValueError that says what is wrong with them."""
    wanted = tuple(kinds)
    if not isinstance(scoring, Mapping) or not scoring:
        raise ValueError(f"levels map {_wanted(wanted)} to what each stands for; this is {_short(scoring)}")
    texts: dict[str, str] = {}
    for key, text in scoring.items():
        label = label_of_key(key)
        if label is None:
            raise ValueError(f"{_short(key)} is not a level; levels are {_wanted(wanted)}")
        if label in texts:
            raise ValueError(f"level {label} appears twice")
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"level {label} needs a text that says what it stands for, not {_short(text)}")
        texts[label] = text.strip()
    kind = _kind(texts)
    if kind not in wanted:
        raise ValueError(f"levels {', '.join(texts)} do not fit here; levels are {_wanted(wanted)}")
    return Levels(kind, _in_order(kind, texts))


def label_of_key(key: Any) -> str | None:
    """Return the label of a level that a rubric calls `key`, such as score_1 or response_1; None for no level."""
    if isinstance(key, bool):
        return str(key).lower()
    text = str(key).strip().casefold()
    if (number := _NUMBER.fullmatch(text)) is not None:
        return str(int(number[1]))
    name = _SPACES.sub(" ", text)
    if name in ("true", "false"):
        return name
    if name in NAMES:
        return NAMES[name]
    return name.title() if any(name in pair for pair in PAIRS) else None


def as_json(raw: Any) -> Any:
    """Return a score for `info`: unchanged, unless it is a number that JSON lacks."""
    if isinstance(raw, float) and not math.isfinite(raw):
        return "NaN" if math.isnan(raw) else "Infinity" if raw > 0 else "-Infinity"
    return raw


def canonical(raw: Any) -> str:
    """Return a score as a text without case; whole numbers have one form, and a value that is not a score is ""."""
    if isinstance(raw, bool):
        return str(raw).lower()
    if isinstance(raw, float) and raw.is_integer() and abs(raw) < 1e15:
        raw = int(raw)
    if isinstance(raw, int):
        return str(raw) if abs(raw) < 10**15 else ""
    if not isinstance(raw, str):
        return ""
    text = " ".join(raw[:64].split()).casefold()
    if _EXPONENT.fullmatch(text) and float(text).is_integer():  # 4e0
        return str(int(float(text)))
    return re.sub(r"\A([+-]?)0*([0-9]+)(?:\.0+)?\Z", _whole, text)


def with_plain_digits(text: str) -> str:
    """Return a text with 0 to 9 in the place of the digits of other scripts, and without marks of direction."""
    return "".join(str(unicodedata.decimal(s)) if s.isdecimal() else s for s in without_format_marks(text))


def _whole(match: re.Match[str]) -> str:
    return str(int(match[0].partition(".")[0]))


def _kind(texts: Mapping[str, str]) -> Kind:
    names = set(texts)
    if names == {"true", "false"}:
        return "binary"
    numbers = {int(name) for name in names if re.fullmatch(r"-?[0-9]+", name)}
    if len(numbers) == len(names):
        return _scale(numbers)
    if numbers or names & {"true", "false"}:
        raise ValueError(f"levels {', '.join(texts)} are of several sorts")
    for pair in (("Response 1", "Response 2"), ("Assistant A", "Assistant B")):
        if names & set(pair):
            return _pair(names, pair)
    raise ValueError(f"levels {', '.join(texts)} name neither response; they need Response 1 and Response 2")


def _scale(numbers: set[int]) -> Kind:
    low, high = min(numbers), max(numbers)
    if len(numbers) == 1:
        raise ValueError(f"level {low} stands alone; a scale has at least two levels")
    if high - low + 1 != len(numbers):
        missing = next(number for number in range(low, high) if number not in numbers)
        raise ValueError(f"the scale from {low} to {high} has no level {missing}; give each whole number a text")
    return "scale"


def _pair(names: set[str], pair: tuple[str, str]) -> Kind:
    if missing := [name for name in pair if name not in names]:
        raise ValueError(f"level {missing[0]} is missing; the two responses need one each")
    if others := sorted(names - {*pair, "Tie", "Both Bad"}):
        raise ValueError(f"levels {pair[0]} and {others[0]} are of several sorts")
    return "pair"


def _in_order(kind: Kind, texts: Mapping[str, str]) -> dict[str, str]:
    if kind == "scale":
        return dict(sorted(texts.items(), key=lambda item: int(item[0])))
    order = ("true", "false") if kind == "binary" else (*sorted({*texts} - {"Tie", "Both Bad"}), "Tie", "Both Bad")
    return {name: texts[name] for name in order if name in texts}


def _wanted(kinds: tuple[Kind, ...]) -> str:
    ways = {
        "scale": "whole numbers (1 or score_1) without gaps",
        "binary": "true and false",
        "pair": "response_1 and response_2 (or assistant_a and assistant_b) with tie and both_bad if it has them",
    }
    return ", or ".join(ways[kind] for kind in kinds)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
