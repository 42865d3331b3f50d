"""One completion of a scored group as people read it: value, reason and contribution of each component together."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rewardlab.redaction import redact
from rewardlab.types import Completion, Sample, Score


@dataclass(frozen=True, kw_only=True, slots=True)
class ComponentScore:
    """The score of one component for one completion, and what it did to the reward.

    value: the component's own number; None if it abstains or failed. failed: whether it failed.
    reason: why it failed, or the `reason` that the component gives in `info`; None if it gives none.
    contribution: its part of the shaped reward; None if the total is not made of it. See docs/causes.md.
    """

    value: float | None
    failed: bool = False
    reason: str | None = None
    contribution: float | None = None
    info: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoredCompletion:
    """One completion with its reward.

    total: None if a completion without a value gets zero advantage. shaped: the number for a trainer; it is the sum
    of the contributions and `rest`, both None if they are not known any more.
    """

    sample: Sample
    completion: Completion
    total: float | None
    shaped: float
    components: Mapping[str, ComponentScore]
    rest: float | None


def component_score(score: Score, entry: Mapping[str, Any]) -> ComponentScore:
    """Return a component's score as people read it; entry: what `GroupAttribution.entry` gives for it."""
    given = score.info.get("reason")
    reason = redact(score.error) if score.error is not None else None if given is None else str(given)
    return ComponentScore(
        value=score.value,
        failed=score.error is not None,
        reason=reason,
        contribution=entry.get("contribution"),
        info=score.info,
    )
