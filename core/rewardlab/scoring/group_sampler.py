"""Group samplers collect more completions of a prompt than they train on, and choose among them."""

import reprlib
from collections.abc import Callable
from typing import Any

from rewardlab.errors import PLUGIN_FAULTS, JobError, one_line
from rewardlab.plan.component import Component, build
from rewardlab.specs import Context
from rewardlab.types import Candidates, Sample


class CheckedGroupSampler:
    """A built group sampler, whose answers are checked; the one place where its exceptions get their name."""

    def __init__(self, planned: Component, context: Context) -> None:
        self._use = planned.use.use
        self._planned = planned
        self._sampler = build(planned, context, f"sampler {self._use}", "more")
        if not callable(getattr(self._sampler, "select", None)):
            kind = type(self._sampler).__name__
            raise JobError(f"sampler {self._use} could not be built: `build` gave {kind} without `select`")

    def most(self, size: int) -> int:
        """Return the most completions that it may collect for a group of `size`; never fewer than `size`."""
        most: int = self._planned.ask("how many it may collect", self._planned.spec.most, self._planned.options, size)
        return max(size, most)

    def more(self, pool: Candidates) -> int:
        """Return how many further completions it wants, up to what it may collect."""
        wanted = self._ask(pool.sample, self._sampler.more, pool)
        if not isinstance(wanted, int) or isinstance(wanted, bool) or wanted < 0:
            raise self._wrong(pool.sample, f"more gave {reprlib.repr(wanted)}, not a whole number of 0 or above")
        return max(0, min(wanted, self.most(pool.size) - len(pool)))

    def select(self, pool: Candidates) -> tuple[int, ...]:
        """Return the places in the pool of the completions to train on, in the order in which they are scored."""
        given: tuple[int, ...] = self._ask(pool.sample, self._selected, pool)
        places = {place for place in given if type(place) is int and 0 <= place < len(pool)}
        if len(given) != pool.size or len(places) != pool.size:
            wanted = f"{pool.size} different indices below {len(pool)}"
            raise self._wrong(pool.sample, f"select gave {reprlib.repr(list(given))}; it must give {wanted}")
        return given

    def _selected(self, pool: Candidates) -> tuple[Any, ...]:
        return tuple(self._sampler.select(pool, pool.size))

    def _ask(self, sample: Sample, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except PLUGIN_FAULTS as error:
            raise self._wrong(sample, one_line(error)) from error

    def _wrong(self, sample: Sample, problem: str) -> JobError:
        return JobError(f"sampler {self._use} on {sample.place()}: {problem}")
