"""format/boxed: is there a boxed answer?"""

from collections.abc import Sequence

from rewardlab import Completion, Sample, Score
from rewardlab.boxes import last_box, official_box

from rewardlab_format import BoxedOptions
from rewardlab_format.blank import is_blank_latex

CLOSE = "</think>"


class Boxed:
    """1.0 for a response with a boxed answer, else 0.0 with a `reason` in info.

    default: the last closed box after the last `</think>` (of the whole text where there is none) must print
    something. sp3f_official: SP3F's reader finds a box anywhere (reward_fn.py at ab306b4).
    """

    def __init__(self, options: BoxedOptions):
        self._official = options.profile == "sp3f_official"

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """One Score an item; never abstains or fails."""
        judge = self._as_published if self._official else self._as_asked
        return [judge(completion.text) for _, completion in items]

    def _as_published(self, text: str) -> Score:
        return _right() if official_box(text) != "None" else _wrong("no box")

    def _as_asked(self, text: str) -> Score:
        box = last_box(text.rpartition(CLOSE)[2])
        if box is None:
            return _wrong("no closed box after the reasoning" if CLOSE in text else "no closed box")
        return _wrong("an empty box") if is_blank_latex(box) else _right()


def _right() -> Score:
    return Score(value=1.0)


def _wrong(reason: str) -> Score:
    return Score(value=0.0, info={"reason": reason})
