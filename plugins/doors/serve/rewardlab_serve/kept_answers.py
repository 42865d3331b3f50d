"""Answers that are kept, so that a repeated request gets the same numbers and costs nothing."""

import math
import time
from collections import OrderedDict
from dataclasses import dataclass, field

from rewardlab_serve.cohort import GroupIdentity

OVERHEAD, DIGEST = 500, 170
"""bytes of an answer's own objects, and of each completion's digest, as Python 3.11 allocates them"""


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """A group's answer as JSON, what it answers, and since when it is kept (seconds of the monotonic clock)."""

    identity: GroupIdentity
    line: bytes
    since: float = field(default_factory=time.monotonic)

    @property
    def bytes(self) -> int:
        """Return how much memory it takes, about."""
        return OVERHEAD + len(self.line) + DIGEST * self.identity.size


class KeptAnswers:
    """The newest answers by the group's id, up to a number of bytes; an answer that is read counts as new."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes, self._bytes = max_bytes, 0
        self._answers: OrderedDict[str, KeptAnswer] = OrderedDict()

    def __len__(self) -> int:
        return len(self._answers)

    def get(self, key: str, age: float = math.inf) -> KeptAnswer | None:
        """Return a group's answer; None if it is not kept. One that is older than `age` seconds is forgotten."""
        answer = self._answers.get(key)
        if answer is not None and time.monotonic() - answer.since > age:
            self.forget(key)
            return None
        if answer is not None:
            self._answers.move_to_end(key)
        return answer

    def put(self, key: str, answer: KeptAnswer) -> None:
        """Keep a group's answer, and forget the oldest that have no room."""
        self._answers[key] = answer
        self._bytes += answer.bytes
        while self._bytes > self._max_bytes:
            self.forget(next(iter(self._answers)))

    def forget(self, key: str) -> None:
        """Forget an answer that is kept."""
        self._bytes -= self._answers.pop(key).bytes
