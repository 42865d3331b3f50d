"""Read a reply by a profile's reader, and the level that its score names."""

from collections.abc import Iterable
from dataclasses import replace

from rewardlab import Ask, Reply
from rewardlab_answers import thoughts_of

from rewardlab_rubric.levels import Levels
from rewardlab_rubric.replies.official import VerdictReading, read_mr3, read_r3
from rewardlab_rubric.replies.plain_forms import level_meant
from rewardlab_rubric.replies.strict import read_strict

THOUGHT, THOUGHT_END = "<think>", "</think>"


def read_text(
    profile: str, text: str, quoted: Iterable[str] = (), cut_off: bool = False, prose: bool = False
) -> VerdictReading:
    """Return the verdict in a text.

    Args:
        quoted: the texts that its writer was shown.
        cut_off: at the length limit.
        prose: whether `strict` reads a line `Score: 4` of a text without JSON.
    """
    if profile == "r3_official":
        return read_r3(text)
    if profile == "mr3_official":
        return read_mr3(text)
    return read_strict(text, quoted, cut_off, prose)


def read_reply(profile: str, reply: Reply, quoted: Iterable[str]) -> VerdictReading:
    """Return the verdict in a judge's reply."""
    return read_text(profile, reply.text, quoted, reply.cut_off, prose=True)


def read_answer(profile: str, reply: Reply, ask: Ask) -> VerdictReading:
    """Return the verdict in a judge's reply to a question.

    If the question began the judge's thoughts, the reply has a verdict only behind their end: what it says before
    that is a draft. A server may also send the thoughts separately.
    """
    shown = [*ask.parts.values(), *(message["content"] for message in ask.messages)]
    inside = ask.params.get("continue_final_message") and not reply.reasoning
    if not inside:
        return read_reply(profile, reply, shown)
    if THOUGHT_END not in reply.text:
        return VerdictReading()
    reading = read_reply(profile, replace(reply, text=f"{THOUGHT}{reply.text}"), shown)
    return reading if reading.start is None else replace(reading, start=reading.start - len(THOUGHT))


def level_read(profile: str, reading: VerdictReading, levels: Levels) -> str | None:
    """Return the level that a reading names, by the profile that read it; None if it names none."""
    return level_meant(levels, reading.raw) if profile == "strict" else levels.label_of(reading.raw)


def unreadable(levels: Levels, profile: str) -> str | None:
    """Return the first level that a profile's reader does not know; None if it knows all."""
    for label in levels.texts:
        if level_read(profile, read_text(profile, f'{{"explanation": "", "score": "{label}"}}'), levels) != label:
            return label
    return None


def why_unread(reading: VerdictReading, levels: Levels, reply: Reply) -> str:
    """Return why the reading of a reply names no level."""
    if reading.raw is None:
        return reply.fault or _thoughts_alone(reply.text) or "the reply has no readable score"
    shown = repr(reading.raw)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    return f"the score {shown} is not a level of the rubric: {levels.describe()}"


def _thoughts_alone(text: str) -> str | None:
    """Return why a text is nothing but thoughts; None if it says something."""
    thoughts = thoughts_of(text)
    if thoughts.unfinished:
        return "the reply does not end its thoughts"
    says_nothing = thoughts.ends and not text[thoughts.ends[-1][1] :].strip()
    return "the reply is thoughts alone" if says_nothing else None
