"""A spec's declarations about the laws of its kind: examples, and laws that do not apply.

`rewardlab.testing` has the laws and tries them. This file is cheap to import, so that every spec can carry a `Laws`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rewardlab.references import Function
from rewardlab.types import Ask, Completion, Sample

__all__ = [
    "CurriculumExample",
    "DatasetExample",
    "Example",
    "ExampleOptions",
    "JudgeExample",
    "JudgeFactory",
    "Laws",
    "NormalizerExample",
    "RewardExample",
]

ExampleOptions = Mapping[str, Any] | Callable[[Path], Mapping[str, Any]]
"""Options as under `with`; or a function of an empty folder that makes them and may write files there for them."""
JudgeFactory = Callable[[], Mapping[str, Any]]
"""A function that makes the judges that the options name: name -> an object with `async ask(Ask) -> Reply`."""


@dataclass(frozen=True, kw_only=True)
class Example:
    """Options with which a component is tried.

    Args:
        needs: options that only the user can give, such as a model's folder.
        off: law -> why it does not apply under these options, though it does under others; what the spec switches
            off is off in every example.
    """

    title: str = ""
    options: ExampleOptions = field(default_factory=dict)
    needs: Sequence[str] = ()
    off: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_reasons("off", self.off)


@dataclass(frozen=True, kw_only=True)
class RewardExample(Example):
    """A sample with completions whose rank is known.

    good, bad: every good completion earns more than every bad one. ladder: worst first; none earns less than the one
    before. hedge: a right and a wrong answer as completions have them, such as two boxes: both together earn less than
    the right one. judges: makes the judges that the options name; the reward asks them directly,
    without limits or cassette.
    """

    sample: Sample
    good: Sequence[Completion | str]
    bad: Sequence[Completion | str]
    ladder: Sequence[Completion | str] = ()
    hedge: tuple[str, str] | None = None
    judges: JudgeFactory | None = None


@dataclass(frozen=True, kw_only=True)
class JudgeExample(Example):
    """Questions that a judge understands.

    Args:
        other_options: options that change its answers, hence its identity.
        says: for each question, in order, the text that the judge answers, verbatim; None if nobody knows.
    """

    asks: Sequence[Ask]
    other_options: Sequence[Mapping[str, Any]] = ()
    says: Sequence[str | None] = ()


@dataclass(frozen=True, kw_only=True)
class DatasetExample(Example):
    """The input of a data step: `source`, the samples that it starts from, and the judges that its options name.

    Args:
        sources: of a dataset that is made of several others, the samples of each, by its name.
    """

    source: Sequence[Sample] = ()
    sources: Mapping[str, Sequence[Sample]] = field(default_factory=dict)
    judges: JudgeFactory | None = None


@dataclass(frozen=True, kw_only=True)
class CurriculumExample(Example):
    """Samples to order; or, for a group sampler, pools (rewardlab.Candidates) to choose from."""

    samples: Sequence[Sample] = ()
    pools: Sequence[Any] = ()


@dataclass(frozen=True, kw_only=True)
class NormalizerExample(Example):
    """Options of a normalizer; totals, token counts and places are generated."""


@dataclass(frozen=True, kw_only=True)
class Laws:
    """A spec's declarations about the laws of its kind.

    Args:
        examples: a function without arguments, so that they are made only when somebody tries the laws; or where it
            is, as "package.module:name", which is imported only then.
        off: law -> why it does not apply. `rewardlab plugins` shows it.
        tolerance: the excess that a reward may give to a copy of the prompt, a repetition or padding.
        rounding: values this close count as equal; for models, whose last digits depend on their batch.
        pairwise: whether a reward of group scope shares a fixed amount between two completions.
    """

    examples: Function[Callable[[], Sequence[Example]] | None] = Function(None)
    off: Mapping[str, str] = field(default_factory=dict)
    tolerance: float = 0.0
    rounding: float = 1e-9
    pairwise: bool = False

    def __post_init__(self) -> None:
        for name in ("tolerance", "rounding"):
            if not (math.isfinite(value := getattr(self, name)) and value >= 0):
                raise ValueError(f"laws.{name} must be a number of at least 0, not {value!r}")
        _check_reasons("laws.off", self.off)


def _check_reasons(where: str, off: Mapping[str, str]) -> None:
    for law, why in off.items():
        if not isinstance(why, str) or not why.strip():
            raise ValueError(f"{where}[{law!r}] needs the reason why the law does not apply")
