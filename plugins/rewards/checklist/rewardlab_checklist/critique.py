"""A critique: what it says of one part of a work by dimension, and whether that stands in the work."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rewardlab_checklist.checklist import Checklist, name_key
from rewardlab_checklist.critique_form import recognised, score_of
from rewardlab_checklist.evidence import Grounds, quotations


@dataclass(frozen=True, kw_only=True)
class Critique:
    """A critic's scores and evidence for one part of a work.

    Args:
        scores: dimension -> its worth in [0, 1]; those without a usable one are in `missing`, and in `lacking` if
            the reply gives none of their scale.
        unsupported: quotations that stand neither in the work nor in the question, by dimension.
        quoted: all quotations.
        unquoted: dimensions with more than the least score and without a quotation that says something.
        extra: names that the checklist does not have.
        task: the label that it recognises, if the checklist asks for one.
        tokens: of question and reply.
    """

    checklist: Checklist
    scores: Mapping[str, float]
    missing: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    unsupported: Mapping[str, int] = field(default_factory=dict)
    quoted: int = 0
    unquoted: tuple[str, ...] = ()
    extra: int = 0
    task: str | None = None
    tokens: int = 0


class EvidencePolicy(NamedTuple):
    """A policy for evidence: whether a score counts only if its quotations are in the work, and only if it has one."""

    supported: bool = False
    quoted: bool = False


def examined(
    checklist: Checklist, entries: Mapping[str, Any], grounds: Grounds, policy: EvidencePolicy, tokens: int = 0
) -> Critique:
    """Return what a reply says by dimension, in terms of its checklist. grounds: all that may be quoted."""
    given = by_name(entries)
    scores: dict[str, float] = {}
    unsupported: dict[str, int] = {}
    lacking: list[str] = []
    unquoted: list[str] = []
    quoted = 0
    for dimension in checklist.scored:
        entry = given.get(name_key(dimension.name))
        evidence = quotations(entry.get("evidence")) if isinstance(entry, dict) else []
        quoted += len(evidence)
        if lost := sum(not grounds.have(quotation) for quotation in evidence):
            unsupported[dimension.name] = lost
        worth = dimension.worth_of(score_of(entry))
        if worth is None:
            lacking.append(dimension.name)
        bare = worth is not None and worth > 0 and not any(grounds.say(quotation) for quotation in evidence)
        if bare:
            unquoted.append(dimension.name)
        if worth is not None and not (lost and policy.supported) and not (bare and policy.quoted):
            scores[dimension.name] = worth
    known = {name_key(dimension.name) for dimension in checklist.dimensions}
    asked = checklist.recognised
    return Critique(
        checklist=checklist,
        scores=scores,
        missing=tuple(dimension.name for dimension in checklist.scored if dimension.name not in scores),
        lacking=tuple(lacking),
        unsupported=unsupported,
        quoted=quoted,
        unquoted=tuple(unquoted),
        extra=sum(name not in known for name in given),
        task=None if asked is None else recognised(asked, given.get(name_key(asked.name))),
        tokens=tokens,
    )


def by_name(entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is said by dimension, whose names are as they are compared."""
    return {name_key(name): value for name, value in entries.items()}
