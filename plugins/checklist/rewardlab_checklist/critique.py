"""A critique: what it says of one part of a work by dimension, and whether that stands in the work."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rewardlab_checklist.checklist import Checklist, Dimension
from rewardlab_checklist.checklist_choice import task_label
from rewardlab_checklist.evidence import is_in, quotations


@dataclass(frozen=True, kw_only=True)
class Critique:
    """What a critic says of one part of a work.

    scores: dimension -> its worth in [0, 1]; those without a usable one are in `missing`. unsupported: quotations that
    do not stand in the work, by dimension. quoted: all quotations. unquoted: scored dimensions without any. extra:
    names that the checklist does not have. task: the label that it recognises, where the checklist asks for one.
    tokens: of question and reply.
    """

    checklist: Checklist
    scores: Mapping[str, float]
    missing: tuple[str, ...] = ()
    unsupported: Mapping[str, int] = field(default_factory=dict)
    quoted: int = 0
    unquoted: int = 0
    extra: int = 0
    task: str | None = None
    tokens: int = 0


def examined(checklist: Checklist, said: Mapping[str, Any], work: str, supported: bool, tokens: int = 0) -> Critique:
    """Return what a reply says by dimension, in terms of its checklist.

    work: all that was shown, normalised. supported: a dimension with a quotation that is not in it has no score.
    """
    given = by_name(said)
    scores: dict[str, float] = {}
    unsupported: dict[str, int] = {}
    quoted = unquoted = 0
    for one in checklist.scored:
        entry = given.get(one.name.casefold())
        evidence = quotations(entry.get("evidence")) if isinstance(entry, dict) else []
        quoted += len(evidence)
        lost = sum(not is_in(quotation, work) for quotation in evidence)
        if lost:
            unsupported[one.name] = lost
        worth = one.worth_of(score_of(entry))
        if worth is None or (lost and supported):
            continue
        scores[one.name] = worth
        unquoted += not evidence
    known = {one.name.casefold() for one in checklist.dimensions}
    return Critique(
        checklist=checklist,
        scores=scores,
        missing=tuple(one.name for one in checklist.scored if one.name not in scores),
        unsupported=unsupported,
        quoted=quoted,
        unquoted=unquoted,
        extra=sum(name not in known for name in given),
        task=_recognised(checklist.recognised, given),
        tokens=tokens,
    )


def by_name(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is said by dimension, whose names are in one case."""
    return {str(name).strip().casefold(): value for name, value in said.items()}


def score_of(entry: Any) -> Any:
    """Return the score of a dimension's entry, which may be the score itself."""
    return entry.get("score") if isinstance(entry, dict) else entry


def _recognised(dimension: Dimension | None, given: Mapping[str, Any]) -> str | None:
    said = None if dimension is None else given.get(dimension.name.casefold())
    said = said.get("score", said.get("label")) if isinstance(said, dict) else said
    label = task_label(said) if isinstance(said, str) else None
    if dimension is None or label is None:
        return None
    return next((one for one in dimension.recognises if (task_label(one) or one) == label), None)
