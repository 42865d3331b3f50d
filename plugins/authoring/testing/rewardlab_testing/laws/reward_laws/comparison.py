"""The comparison of two answers of a reward, and the failing example if they differ."""

import json
from collections.abc import Sequence

from rewardlab import Completion, Score
from rewardlab.laws import Laws

from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.outcomes.messages import cut, quoted, violation

EXACT = 1e-9
"""a spec with a larger rounding has a model, whose info may differ in its last digits, too"""
OTHERS = 60
"""characters of each of the other completions of a group or call"""
FEW = 3
"""others of a call that are shown; of more only the number is given"""


def describe_score(score: Score) -> str:
    """Return a score in words: a value, an abstention, or a failure and its reason."""
    if score.error is not None:
        return f"a failure: {score.error}"
    return "an abstention" if score.value is None else repr(score.value)


def check_same(
    tested: ComponentUnderTest,
    completions: Sequence[Completion],
    first: Sequence[Score],
    then: Sequence[Score],
    *,
    how: str,
    expected: str,
    info: bool = True,
    together: bool = False,
) -> None:
    """Raise LawViolation at the first completion whose score differs between `first` and `then`.

    Args:
        how: in what way the reward was asked then.
        expected: "as ...", what the first score was.
        info: whether info must be the same, too.
        together: all were in one call, whose other completions the failing example shows.
    """
    for place, (score, other) in enumerate(zip(first, then, strict=True)):
        if (difference := _difference(score, other, tested.spec.laws, info)) is not None:
            got, wanted = difference
            beside = _beside(tested, completions, place) if together else ""
            raise violation(f"{describe_asked(tested, completions, place)}{how}{beside}", got, f"{wanted}, {expected}")


def describe_asked(tested: ComponentUnderTest, completions: Sequence[Completion], place: int) -> str:
    """Return the completion at this place in words; of group scope with the others of its group."""
    text = describe_completion(completions[place])
    if tested.spec.scope == "group" and len(completions) > 1:
        others = [describe_completion(completion, OTHERS) for at, completion in enumerate(completions) if at != place]
        return f"{text}\n  in a group at place {place}, beside {', '.join(others)}\n  "
    return f"{text} "


def _beside(tested: ComponentUnderTest, completions: Sequence[Completion], place: int) -> str:
    """Return the other completions of a call in words; "" of group scope, if `describe_asked` has them."""
    others = [describe_completion(completion, OTHERS) for at, completion in enumerate(completions) if at != place]
    if tested.spec.scope == "group" or not others:
        return ""
    more = [f"{len(others) - FEW} more"] if len(others) > FEW else []
    return f"\n  beside {', '.join([*others[:FEW], *more])}"


def describe_completion(completion: Completion, most: int = 160) -> str:
    """Return a completion's text, quoted, with its token count if it has one, and what else is known of it."""
    also = [] if completion.token_count is None else [f"token_count={completion.token_count}"]
    also += ["truncated"] if completion.truncated else []
    also += [f"the last answer of {len(completion.messages)} messages"] if completion.messages else []
    return quoted(completion.text, most) + (f" ({', '.join(also)})" if also else "")


def as_from_json(score: Score) -> Score:
    """Return a score as it comes back from another process: its info has been through JSON."""
    return Score(value=score.value, info=json.loads(json.dumps(dict(score.info))), error=score.error)


def _difference(score: Score, other: Score, laws: Laws, info: bool) -> tuple[str, str] | None:
    """Return the other score and the first in words; None if they are the same."""
    if score.error is not None and other.error is not None:
        return None
    kinds = [(score.error is not None, score.value is None) for score in (score, other)]
    near = score.value is not None and other.value is not None and abs(score.value - other.value) <= laws.rounding
    if kinds[0] != kinds[1] or not (near or score.value is None):
        return describe_score(other), describe_score(score)
    if info and laws.rounding <= EXACT and dict(score.info) != dict(other.info):
        return _with_info(other, score), _with_info(score, other)
    return None


def _with_info(score: Score, other: Score) -> str:
    """Return a score in words, with what differs in its info from the other's."""
    differing = {key: value for key, value in score.info.items() if key not in other.info or other.info[key] != value}
    return f"{describe_score(score)} with info {cut(differing)}"
