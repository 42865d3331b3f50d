"""Groups with as much contrast as a prompt gives: correct and wrong reasoning, each with correct and wrong answers.

Non-zero variance sampling (SGCM, appendix B), in the manner of Reinforce-Ada: go on sampling a prompt until both kinds
are there, then train on n of all that was sampled, n / 4 from each quadrant of reasoning x answer. The paper gives
neither threshold, cap nor the size of a round; those here are ours.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from rewardlab_curriculum import BalancedOptions

Quadrant = tuple[bool, bool]
BOTH, NEITHER = (True, True), (False, False)
IN_TURN: tuple[Quadrant, ...] = (BOTH, NEITHER, (True, False), (False, True))


class Balanced:
    """Group sampler over the components `reasoning` and `answer`; a value of `threshold` or above is correct.

    A completion without a value for either is in no quadrant: a failure is never a low score. It fills a group
    only where all others do not suffice.
    """

    def __init__(self, options: BalancedOptions):
        self._options = options

    def more(self, pool: Any) -> int:
        """A round of completions, until the exit condition holds or `cap` are there.

        positive: one completion with both correct. balanced: n / 4 with both correct and n / 4 with neither.
        A ValueError where the recipe has no such component of completion or batch scope.
        """
        quadrants = [self._quadrant(entry) for entry in pool]
        both, neither = quadrants.count(BOTH), quadrants.count(NEITHER)
        enough = both >= 1 if self._options.exit == "positive" else 4 * min(both, neither) >= pool.size
        return 0 if enough else max(0, min(self._options.round, self._options.cap - len(quadrants)))

    def select(self, pool: Any, n: int) -> list[int]:
        """n indices of the pool: one of each quadrant in turn, so that n / 4 are of each as long as they last.

        Within a quadrant by the rank of sha256(sample id, text): whichever completion came first does not matter.
        """
        ranked = sorted(range(len(pool)), key=lambda index: _rank(pool.sample.id, pool[index].completion.text))
        left: dict[Quadrant | None, list[int]] = {}
        for index in ranked:
            left.setdefault(self._quadrant(pool[index]), []).append(index)
        queues = [left.get(quadrant, []) for quadrant in IN_TURN]
        return [*_in_turn(queues), *left.get(None, [])][:n]

    def _quadrant(self, entry: Any) -> Quadrant | None:
        reasoning = self._value(entry, "reasoning")
        answer = self._value(entry, "answer")
        if reasoning is None or answer is None:
            return None
        return reasoning >= self._options.threshold, answer >= self._options.threshold

    def _value(self, entry: Any, option: str) -> float | None:
        name = getattr(self._options, option)
        if name not in entry.scores:
            there = ", ".join(entry.scores) or "none"
            raise ValueError(f"{option}: no component {name!r} that scores each completion by itself; there is {there}")
        return entry.scores[name].value


def _in_turn(queues: Sequence[Sequence[int]]) -> list[int]:
    longest = max(map(len, queues))
    return [queue[turn] for turn in range(longest) for queue in queues if turn < len(queue)]


def _rank(sample: str, text: str) -> bytes:
    return hashlib.sha256(json.dumps([sample, text]).encode()).digest()
