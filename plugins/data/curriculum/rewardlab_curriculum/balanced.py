"""Make groups with as much contrast as a prompt offers: correct and wrong reasoning, correct and wrong answers.

Non-zero variance sampling (SGCM, appendix B), in the manner of Reinforce-Ada: sample a prompt until both kinds are
there, then train on n of all the samples, n / 4 from each quadrant of reasoning x answer. The paper gives no threshold,
cap or size of a round; those here are ours.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from rewardlab import Context

from rewardlab_curriculum.options import BalancedOptions

Quadrant = tuple[bool, bool]
"""Whether the reasoning is correct, and whether the answer is."""
BOTH, NEITHER = (True, True), (False, False)
ORDER_OF_SELECTION: tuple[Quadrant, ...] = (BOTH, NEITHER, (True, False), (False, True))


class Balanced:
    """A group sampler over the components `reasoning` and `answer`; a value of at least `threshold` is correct.

    A completion without a value for one of them belongs to no quadrant: a failure is never a low score. It is used only
    if the others do not fill a group.
    """

    def __init__(self, options: BalancedOptions, _context: Context | None = None) -> None:
        self._options = options

    def more(self, pool: Any) -> int:
        """Return how many more completions to sample: a round, or 0 once the exit condition holds or `cap` are there.

        positive: one completion with both correct. balanced: n / 4 with both correct and n / 4 with neither.
        Raises ValueError if the recipe has no such component of completion or batch scope.
        """
        quadrants = [self._quadrant(entry) for entry in pool]
        both, neither = quadrants.count(BOTH), quadrants.count(NEITHER)
        enough = both >= 1 if self._options.exit == "positive" else 4 * min(both, neither) >= pool.size
        return 0 if enough else max(0, min(self._options.round, self._options.cap - len(quadrants)))

    def select(self, pool: Any, n: int) -> list[int]:
        """Return n indices of the pool, one of each quadrant in turn, so that n / 4 are of each as long as they last.

        Within a quadrant the rank of sha256(sample id, text) decides; which completion came first does not matter.
        """
        ranked = sorted(range(len(pool)), key=lambda index: _rank(pool.sample.id, pool[index].completion.text))
        by_quadrant: dict[Quadrant | None, list[int]] = {}
        for index in ranked:
            by_quadrant.setdefault(self._quadrant(pool[index]), []).append(index)
        queues = [by_quadrant.get(quadrant, []) for quadrant in ORDER_OF_SELECTION]
        return [*_interleave(queues), *by_quadrant.get(None, [])][:n]

    def _quadrant(self, entry: Any) -> Quadrant | None:
        reasoning = self._value(entry, "reasoning")
        answer = self._value(entry, "answer")
        if reasoning is None or answer is None:
            return None
        return reasoning >= self._options.threshold, answer >= self._options.threshold

    def _value(self, entry: Any, option: str) -> float | None:
        name = getattr(self._options, option)
        if name not in entry.scores:
            known = ", ".join(entry.scores) or "none"
            raise ValueError(f"{option}: no component {name!r} that scores each completion by itself; there is {known}")
        return entry.scores[name].value


def _interleave(queues: Sequence[Sequence[int]]) -> list[int]:
    longest = max(map(len, queues))
    return [queue[turn] for turn in range(longest) for queue in queues if turn < len(queue)]


def _rank(sample: str, text: str) -> bytes:
    return hashlib.sha256(json.dumps([sample, text]).encode()).digest()
