"""A scored group as it is shown: one line for a terminal, a table for a notebook."""

from collections.abc import Sequence
from html import escape

from rewardlab.scoring.scored_completion import ScoredCompletion

MAX_SHOWN = 200
"""characters of a completion, or of a reason, in a table"""


def line_of(id: str, totals: Sequence[float | None]) -> str:
    """Return a group in one line: its id, how many completions it has, and between what their totals lie."""
    found = [total for total in totals if total is not None]
    told = f"totals {min(found):.4g} to {max(found):.4g}" if found else "no totals"
    lacking = f", {len(totals) - len(found)} without one" if found and len(found) < len(totals) else ""
    return f"ScoredGroup {id[:40]!r}: {len(totals)} completions, {told}{lacking}"


def table_of(line: str, completions: Sequence[ScoredCompletion]) -> str:
    """Return a group as HTML: its line, and a row for each completion; if a component has no value, its reason."""
    rows = [["completion", "total", "shaped", *(completions[0].components if completions else ())]]
    for one in completions:
        parts = [_number(part.value, part.reason) for part in one.components.values()]
        rows.append([one.completion.text, _number(one.total), _number(one.shaped), *parts])
    lines = (f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<p>{escape(line)}</p><table>{''.join(lines)}</table>"


def _number(value: float | None, reason: str | None = None) -> str:
    return f"{value:.4g}" if value is not None else reason or "none"


def _cell(text: str) -> str:
    return escape(text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}...")
