"""Outcomes of laws and failing examples as text for people."""

import unicodedata
from collections.abc import Sequence
from textwrap import indent, shorten

from rewardlab_testing.outcomes.law_words import LAWS_OF_KIND
from rewardlab_testing.outcomes.outcome import LawOutcome, LawViolation, TrialResult

MAX_OF_TEXT = 160
"""characters of a text in a failing example"""
MAX_OF_VALUE = 300
"""characters of another value, such as a row of a dataset"""
STATES = ("broken", "unbuilt", "held", "off", "untried", "nothing")
"""of the outcomes of a law under several examples, the one whose state stands first is what is reported"""
NOT_MEANT_FOR = {
    "empty": "a penalty, which has nothing to punish in an empty text",
    "prompt_copy": "a penalty, nor for a reward of length, novelty or likeness to what the prompt says",
    "repetition": "a reward of length",
    "padding": "a reward of length or layout",
}
"""law of rewards -> the rewards for which its premise need not hold"""
HIDDEN = ("Mn", "Me", "Cf")
"""combining marks, and what directs or joins: repr leaves combining marks as they are"""


def quoted(text: str, most: int = MAX_OF_TEXT) -> str:
    """Return a text as Python's repr, with what a terminal hides escaped; a long one is cut in the middle."""
    form = ascii if any(unicodedata.category(c) in HIDDEN for c in text[:most] + text[-most:]) else repr
    if len(text) <= most:
        return form(text)
    return f"{form(text[: most // 2])} ... {form(text[-(most // 2) :])} ({len(text):,} characters)"


def cut(value: object, most: int = MAX_OF_VALUE) -> str:
    """Return a value as Python's repr; of a long one the beginning and the end, and how long it is."""
    text = repr(value)
    if len(text) <= most:
        return text
    return f"{text[: most * 2 // 3]} ... {text[-most // 3 :]} ({len(text):,} characters)"


def violation(asked: str, got: str, expected: str) -> LawViolation:
    """Return the failing example of a law, in three lines (the first may be several)."""
    return LawViolation(f"asked: {asked}\ngot: {got}\nexpected: {expected}")


def broken_text(results: Sequence[TrialResult]) -> str:
    """Return what is broken, by component and example, each law in words; "" if nothing is."""
    parts = []
    for result in results:
        for outcome in result.of("broken"):
            law = LAWS_OF_KIND[result.kind][outcome.law]
            parts.append(f"{result.title} breaks `{outcome.law}`: {law}\n{indent(outcome.why, '    ')}")
    return "\n".join(parts)


def build_failures(results: Sequence[TrialResult]) -> list[str]:
    """Return a line for each component and example that could not be built, with the reason."""
    failed = [(result, unbuilt[0]) for result in results if (unbuilt := result.of("unbuilt"))]
    return [
        outcome.why if not result.example else f"{outcome.why} (example {result.example!r})"
        for result, outcome in failed
    ]


def remedy_text(results: Sequence[TrialResult]) -> str:
    """Return what to do if a broken law has a premise that need not hold for every reward; "" if none has."""
    laws = dict.fromkeys(
        outcome.law for result in results if result.kind == "reward" for outcome in result.of("broken")
    )
    with_premise = [law for law in laws if law in NOT_MEANT_FOR]
    if not with_premise:
        return ""
    lines = [f"  {law}: not for {NOT_MEANT_FOR[law]}" for law in with_premise]
    if any(law != "empty" for law in with_premise):
        lines.append("  a little more than it should be can be tolerated: Laws(tolerance=...)")
    off = f"Laws(off={{{with_premise[0]!r}: 'why'}})"
    return "\n".join([f"fix the reward; or, if a law is not meant for it, say why in its spec: {off}", *lines])


def untried_laws(results: Sequence[TrialResult]) -> list[str]:
    """Return a line for each component that has laws off or untried, with the reasons; none for the others."""
    lines = []
    for use, kind in dict.fromkeys((result.use, result.kind) for result in results):
        outcomes = _by_law([result for result in results if (result.use, result.kind) == (use, kind)])
        reasons: dict[str, list[str]] = {}
        for outcome in outcomes:
            if outcome.state in ("off", "untried"):
                words = "off" if outcome.state == "off" else "not tried"
                reasons.setdefault(f"{words} ({shorten(outcome.why, MAX_OF_TEXT)})", []).append(outcome.law)
        if reasons:
            held = sum(outcome.state == "held" for outcome in outcomes)
            parts = [f"{', '.join(laws)} {reason}" for reason, laws in reasons.items()]
            lines.append(f"{use} ({kind}): {'; '.join([f'{held} held', *parts] if held else reasons)}")
    return lines


def _by_law(results: Sequence[TrialResult]) -> list[LawOutcome]:
    """Return one outcome for each law: over all examples, the one whose state stands first in STATES."""
    outcomes = [outcome for result in results for outcome in result.outcomes]
    return [
        min((outcome for outcome in outcomes if outcome.law == law), key=lambda outcome: STATES.index(outcome.state))
        for law in dict.fromkeys(outcome.law for outcome in outcomes)
    ]
