"""Licences as text that people read: each judge, what was measured of it, and what is missing."""

from collections.abc import Mapping, Sequence
from typing import Any

from rewardlab_training import columns
from rewardlab_training.licences import EVERY, JudgeLicence

TITLES = {"kept": "kept", "broken": "BROKEN", "undecided": "open"}


def format_licences(licences: Sequence[JudgeLicence]) -> str:
    """Return each licence: a line that says how it stands, and its bounds below."""
    return "\n\n".join("\n".join([str(licence), *_table(licence)]) for licence in licences)


def licence_data(licence: JudgeLicence) -> Mapping[str, Any]:
    """Return a licence as JSON values."""
    bounds = [
        {
            "bound": bound.bound,
            "limit": bound.limit,
            "of": bound.of,
            "state": bound.state,
            "more": bound.more,
            **({} if bound.measured is None else bound.measured.model_dump()),
        }
        for bound in licence.bounds
    ]
    names = ("judge", "component", "state", "why")
    return {name: getattr(licence, name) for name in names} | {"more": licence.more, "bounds": bounds}


def _table(licence: JudgeLicence) -> list[str]:
    lines = [["", "bound", "", "measured", "98%", "labels", "state", "more labels"]]
    for bound in licence.bounds:
        measured = bound.measured
        known = measured is not None and measured.low is not None
        lines.append(
            [
                "all" if bound.of == EVERY else bound.of,
                bound.bound,
                f"{bound.limit:g}",
                "-" if measured is None else f"{measured.value:.2f}",
                f"{measured.low:.2f} to {measured.high:.2f}" if known and measured is not None else "-",
                "0" if measured is None else str(measured.labels),
                TITLES[bound.state],
                "" if bound.more is None else f"about {bound.more}",
            ]
        )
    return list(columns(lines, align="<<>>><<<")) if licence.bounds else []
