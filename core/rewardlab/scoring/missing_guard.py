"""A guard against jobs that go on although too large a share of a component's scores is missing."""

from collections import deque
from collections.abc import Mapping
from typing import Protocol

from rewardlab.errors import JobError
from rewardlab.recipe.use import ComponentUse
from rewardlab.scoring.composition import ScoredGroup
from rewardlab.text.redaction import redact

ROWS_WINDOW, ROWS_LEAST = 1000, 50
"""scores of a component, of a long list of rows"""
MAX_CAUSE_LENGTH = 500
"""characters of a failure that are kept"""


class ComponentFailures(Protocol):
    """The completions of a group that a component failed on, and the last failure in words."""

    @property
    def failed(self) -> tuple[int, ...]: ...
    @property
    def cause(self) -> str: ...


class GroupFailures(Protocol):
    """The failures of each component in a group of `size` completions."""

    @property
    def size(self) -> int: ...
    @property
    def components(self) -> Mapping[str, ComponentFailures]: ...


def failures_of(scored: ScoredGroup, name: str) -> tuple[tuple[int, ...], str]:
    """Return the completions that a component failed on, and the last one's place and error without secrets, or ""."""
    scores = scored.components[name]
    failed = tuple(at for at, score in enumerate(scores) if score.value is None and score.error is not None)
    cause = f"{scored.sample.place(failed[-1])}: {scores[failed[-1]].error}" if failed else ""
    return failed, redact(cause)[:MAX_CAUSE_LENGTH]


class MissingGuard:
    """A guard that stops a job when too large a share of a component's scores is missing.

    It looks at the last `window` scores of each component, once there are `least`; with window None, at all since the
    last `reset`. Under `on_missing: fail` only rollouts that failed get here, and it stops when all of them are.
    """

    def __init__(self, uses: Mapping[str, ComponentUse], window: int | None = None, least: int = 1) -> None:
        self._uses = dict(uses)
        self._least = least
        self._failed: dict[str, deque[bool]] = {name: deque(maxlen=window) for name in self._uses}
        self._causes: dict[str, str] = {}

    @classmethod
    def over_rows(cls, uses: Mapping[str, ComponentUse]) -> "MissingGuard":
        """Return the guard of a long list of rows: it looks at the last 1,000 scores of each, once there are 50."""
        return cls(uses, window=ROWS_WINDOW, least=ROWS_LEAST)

    def reset(self) -> None:
        """Forget all counts."""
        for failed in self._failed.values():
            failed.clear()
        self._causes.clear()

    def add(self, scored: ScoredGroup) -> None:
        """Count one group's failures, and raise what `check` raises."""
        self.count(scored)
        self.check()

    def count(self, group: ScoredGroup | GroupFailures) -> None:
        """Count one group's failures; abstentions do not count."""
        size = len(group.totals) if isinstance(group, ScoredGroup) else group.size
        for name, counted in self._failed.items():
            if isinstance(group, ScoredGroup):
                failed, cause = failures_of(group, name)
            else:
                failed, cause = group.components[name].failed, group.components[name].cause
            counted.extend(index in failed for index in range(size))
            self._causes[name] = cause or self._causes.get(name, "")

    def check(self) -> None:
        """Raise a JobError with the component, the share and the last cause, if the share is too large."""
        for name, failed in self._failed.items():
            if len(failed) < self._least:
                continue
            use, share = self._uses[name], sum(failed) / len(failed)
            of_rollouts = use.on_missing == "fail"
            if share == 1 > use.max_missing if of_rollouts else share > use.max_missing:
                bound = "" if of_rollouts else f"; max_missing is {use.max_missing:.1%}"
                problem = f"component {name!r} ({use.use}) has no value for {sum(failed)} of the last {len(failed)}"
                raise JobError(f"{problem} completions ({share:.1%}{bound}); last: {self._causes[name]}")

    def check_end(self) -> None:
        """Raise a JobError if a component gave nothing but failures, however few were counted."""
        for name, failed in self._failed.items():
            use = self._uses[name]
            if failed and all(failed) and use.max_missing < 1 and use.on_missing != "fail":
                problem = f"component {name!r} ({use.use}) has no value for any of {len(failed)} completions"
                raise JobError(f"{problem}; last: {self._causes[name]}")
