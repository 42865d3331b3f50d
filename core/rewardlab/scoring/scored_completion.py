"""One completion of a scored group as people read it, and the group as a line or a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from rewardlab.text.plural import counted
from rewardlab.text.redaction import redact
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


MAX_SHOWN = 200
"""characters of a completion, or of a reason, in a table"""


def line_of(id: str, totals: Sequence[float | None]) -> str:
    """Return a group in one line: its id, how many completions it has, and between what their totals lie."""
    known = [total for total in totals if total is not None]
    totals_text = f"totals {min(known):.4g} to {max(known):.4g}" if known else "no totals"
    lacking = f", {len(totals) - len(known)} without one" if known and len(known) < len(totals) else ""
    return f"ScoredGroup {id[:40]!r}: {counted(len(totals), 'completion')}, {totals_text}{lacking}"


def table_of(line: str, completions: Sequence[ScoredCompletion]) -> str:
    """Return a group as HTML: its line, and a row for each completion; if a component has no value, its reason."""
    rows = [["completion", "total", "shaped", *(completions[0].components if completions else ())]]
    for scored in completions:
        parts = [_number(part.value, part.reason) for part in scored.components.values()]
        rows.append([scored.completion.text, _number(scored.total), _number(scored.shaped), *parts])
    lines = (f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<p>{escape(line)}</p><table>{''.join(lines)}</table>"


def _number(value: float | None, reason: str | None = None) -> str:
    return f"{value:.4g}" if value is not None else reason or "none"


def _cell(text: str) -> str:
    return escape(text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}...")
