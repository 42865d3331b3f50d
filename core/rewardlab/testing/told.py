"""Outcomes of laws as people read them."""

from collections.abc import Sequence
from textwrap import indent

from rewardlab.laws import OF_KIND
from rewardlab.testing.outcome import Tried


def broken_text(tried: Sequence[Tried]) -> str:
    """What is broken, by component and example, each with the law in words; empty where nothing is."""
    parts = []
    for one in tried:
        for outcome in one.of("broken"):
            named = f"{one.use}{f' ({one.example})' if one.example else ''}"
            law = OF_KIND[one.kind][outcome.law]
            parts.append(f"{named} breaks `{outcome.law}`: {law}\n{indent(outcome.why, '    ')}")
    return "\n".join(parts)
