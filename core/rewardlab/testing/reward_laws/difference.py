"""Whether two answers are the same, and what a person is told where they are not."""

import json
from collections.abc import Sequence

from rewardlab.laws import Laws
from rewardlab.testing.told import cut, failing, quoted
from rewardlab.testing.trial import Trial
from rewardlab.types import Completion, Score

EXACT = 1e-9
"""a larger rounding is a model's, whose info may differ in its last digits, too"""
OTHERS = 60
"""characters of each of the other completions of a group or call"""
FEW = 3
"""others of a call that are told in full"""


def in_words(score: Score) -> str:
    """A value, an abstention, or a failure and its reason."""
    if score.error is not None:
        return f"a failure: {score.error}"
    return "an abstention" if score.value is None else repr(score.value)


def check_same(
    tested: Trial,
    completions: Sequence[Completion],
    first: Sequence[Score],
    then: Sequence[Score],
    *,
    how: str,
    expected: str,
    info: bool = True,
    together: bool = False,
) -> None:
    """Broken at the first completion whose score differs. how: it was asked then. expected: "as ..." of the first.

    info: whether it must be the same, too. together: all were in one call, whose others are told.
    """
    for place, (one, other) in enumerate(zip(first, then, strict=True)):
        if (what := _difference(one, other, tested.spec.laws, info)) is not None:
            came, wanted = what
            beside = _beside(tested, completions, place) if together else ""
            raise failing(f"{asked(tested, completions, place)}{how}{beside}", came, f"{wanted}, {expected}")


def asked(tested: Trial, completions: Sequence[Completion], place: int) -> str:
    """The completion at this place; of group scope with the others of its group."""
    text = told(completions[place])
    if tested.spec.scope == "group" and len(completions) > 1:
        others = [told(one, OTHERS) for at, one in enumerate(completions) if at != place]
        return f"{text}\n  in a group at place {place}, beside {', '.join(others)}\n  "
    return f"{text} "


def _beside(tested: Trial, completions: Sequence[Completion], place: int) -> str:
    """The others of a call; those of a group stand elsewhere."""
    others = [told(one, OTHERS) for at, one in enumerate(completions) if at != place]
    if tested.spec.scope == "group" or not others:
        return ""
    more = [f"{len(others) - FEW} more"] if len(others) > FEW else []
    return f"\n  beside {', '.join([*others[:FEW], *more])}"


def told(completion: Completion, most: int = 160) -> str:
    """A completion's text, its token count where it has one, and that it was cut if so."""
    also = [] if completion.token_count is None else [f"token_count={completion.token_count}"]
    also += ["truncated"] if completion.truncated else []
    return quoted(completion.text, most) + (f" ({', '.join(also)})" if also else "")


def jsonable(score: Score) -> Score:
    """As it comes back from another process."""
    return Score(value=score.value, info=json.loads(json.dumps(dict(score.info))), error=score.error)


def _difference(one: Score, other: Score, laws: Laws, info: bool) -> tuple[str, str] | None:
    """What came then and at first, in words; None where they are the same."""
    if one.error is not None and other.error is not None:
        return None
    kinds = [(score.error is not None, score.value is None) for score in (one, other)]
    near = one.value is not None and other.value is not None and abs(one.value - other.value) <= laws.rounding
    if kinds[0] != kinds[1] or not (near or one.value is None):
        return in_words(other), in_words(one)
    if info and laws.rounding <= EXACT and dict(one.info) != dict(other.info):
        return _with_info(other, one), _with_info(one, other)
    return None


def _with_info(score: Score, other: Score) -> str:
    """The value, and what of its info the other does not have."""
    told = {key: value for key, value in score.info.items() if key not in other.info or other.info[key] != value}
    return f"{in_words(score)} with info {cut(told)}"
