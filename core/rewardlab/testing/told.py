"""Outcomes of laws and failing examples as people read them."""

import unicodedata
from collections.abc import Sequence
from textwrap import indent, shorten

from rewardlab.laws import NOT_SO_OF, OF_KIND
from rewardlab.testing.outcome import Broken, Outcome, Tried

SHOWN = 160
"""characters of a text in a failing example"""
LONGEST = 300
"""characters of another value, as a row of a dataset"""
STATES = ("broken", "held", "off", "untried", "nothing")
"""the first that happened is what is told of a law"""
HIDDEN = ("Mn", "Me", "Cf")
"""combining marks, and what directs or joins: repr leaves combining marks as they are"""


def quoted(text: str, most: int = SHOWN) -> str:
    """A text as Python's repr; a long one cut in the middle, with its length. What a terminal hides is escaped."""
    form = ascii if any(unicodedata.category(c) in HIDDEN for c in text[:most] + text[-most:]) else repr
    if len(text) <= most:
        return form(text)
    return f"{form(text[: most // 2])} ... {form(text[-(most // 2) :])} ({len(text):,} characters)"


def cut(value: object, most: int = LONGEST) -> str:
    """A value as Python's repr; of a long one the beginning and the end, and how long it is."""
    text = repr(value)
    if len(text) <= most:
        return text
    return f"{text[: most * 2 // 3]} ... {text[-most // 3 :]} ({len(text):,} characters)"


def failing(asked: str, came: str, expected: str) -> Broken:
    """The failing example of a law, in three lines (the first may be several)."""
    return Broken(f"asked: {asked}\ncame: {came}\nexpected: {expected}")


def broken_text(tried: Sequence[Tried]) -> str:
    """What is broken, by component and example, each with the law in words; empty where nothing is."""
    parts = []
    for one in tried:
        for outcome in one.of("broken"):
            named = f"{one.use}{f' ({one.example})' if one.example else ''}"
            law = OF_KIND[one.kind][outcome.law]
            parts.append(f"{named} breaks `{outcome.law}`: {law}\n{indent(outcome.why, '    ')}")
    return "\n".join(parts)


def remedy_text(tried: Sequence[Tried]) -> str:
    """What to do where a law is broken that takes for granted what is not so of every reward; empty where none is."""
    laws = dict.fromkeys(outcome.law for one in tried if one.kind == "reward" for outcome in one.of("broken"))
    named = [law for law in laws if law in NOT_SO_OF]
    if not named:
        return ""
    lines = [f"  {law}: not for {NOT_SO_OF[law]}" for law in named]
    if any(law != "empty" for law in named):
        lines.append("  a little more than it should be can be tolerated: Laws(tolerance=...)")
    off = f"Laws(off={{{named[0]!r}: 'why'}})"
    return "\n".join([f"mend the reward; or, where a law is not for it, say why in its spec: {off}", *lines])


def remarks(tried: Sequence[Tried]) -> list[str]:
    """A line a component of which a law was off or untried, with why; none of others."""
    lines = []
    for use, kind in dict.fromkeys((one.use, one.kind) for one in tried):
        outcomes = _by_law([one for one in tried if (one.use, one.kind) == (use, kind)])
        reasons: dict[str, list[str]] = {}
        for outcome in outcomes:
            if outcome.state in ("off", "untried"):
                words = "off" if outcome.state == "off" else "not tried"
                reasons.setdefault(f"{words} ({shorten(outcome.why, SHOWN)})", []).append(outcome.law)
        if reasons:
            held = sum(outcome.state == "held" for outcome in outcomes)
            told = [f"{', '.join(laws)} {reason}" for reason, laws in reasons.items()]
            lines.append(f"{use} ({kind}): {'; '.join([f'{held} held', *told] if held else reasons)}")
    return lines


def _by_law(tried: Sequence[Tried]) -> list[Outcome]:
    """What became of each law under all examples: broken by one, held by another, or neither by any."""
    outcomes = [outcome for one in tried for outcome in one.outcomes]
    return [
        min((outcome for outcome in outcomes if outcome.law == law), key=lambda one: STATES.index(one.state))
        for law in dict.fromkeys(outcome.law for outcome in outcomes)
    ]
