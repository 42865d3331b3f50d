"""format/boxed: whether a response has a boxed answer."""

from collections.abc import Sequence

from rewardlab import Completion, Context, Sample, Score
from rewardlab_answers import last_boxes, official_box

from rewardlab_format.blank import is_blank_latex
from rewardlab_format.options import BoxedOptions

CLOSE = "</think>"


class Boxed:
    r"""The reward 1.0 for a response with a boxed answer, else 0.0 with a `reason` in info.

    default: the last box after the last `</think>` (of the whole text without one) must print something. A box is what
    math/accuracy reads as one, `\boxed 42` and `\fbox{42}` among them.
    sp3f_official: SP3F's reader finds a box anywhere (reward_fn.py at ab306b4).
    """

    def __init__(self, options: BoxedOptions, _context: Context | None = None) -> None:
        self._official = options.profile == "sp3f_official"

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item; never abstains or fails."""
        score = _score_as_published if self._official else _score_by_default
        return [score(completion.text) for _, completion in items]


def _score_as_published(text: str) -> Score:
    return _pass() if official_box(text) != "None" else _fail("no box")


def _score_by_default(text: str) -> Score:
    boxes = last_boxes(text.rpartition(CLOSE)[2])
    if not boxes:
        return _fail("no closed box after the reasoning" if CLOSE in text else "no closed box")
    return _fail("an empty box") if all(map(is_blank_latex, boxes)) else _pass()


def _pass() -> Score:
    return Score(value=1.0)


def _fail(reason: str) -> Score:
    return Score(value=0.0, info={"reason": reason})
