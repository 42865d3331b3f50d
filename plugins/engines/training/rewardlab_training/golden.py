"""A golden: an example of a rubric, whose value is known."""

from collections.abc import Sequence
from dataclasses import dataclass

from rewardlab import Group


@dataclass(frozen=True, kw_only=True)
class Golden:
    """Completions of a prompt, and the interval that each one's value must lie in. place: where it stands."""

    place: str
    group: Group
    values: Sequence[tuple[float, float]]
