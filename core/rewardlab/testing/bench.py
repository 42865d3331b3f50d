"""A built reward, asked as a host asks it, with its answers judged as a host judges them.

Calls are made as they are given: nothing is gathered, and what fails as a whole fails every item, since how a call's
size matters is what some laws look at.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from typing import Any

from rewardlab.errors import RewardlabError, one_line
from rewardlab.grouping import GroupStream
from rewardlab.lanes import Item, accept, awaiting, what_failed
from rewardlab.loops import LoopThread
from rewardlab.specs import Config, RewardSpec
from rewardlab.testing.deadline import no_longer_than
from rewardlab.testing.outcome import Untried
from rewardlab.testing.trial import Trial
from rewardlab.types import Group, Score

LIMIT = 300.0
"""seconds that coroutines may take for one set of calls, and a function for one call"""
INLINE_LIMIT = 10.0
"""seconds that one call may take of what says that it takes microseconds"""
AT_ONCE = 4
"""threads, where several calls are made at once"""

Call = Sequence[Item]
"""what goes to `score` at once; of group scope: the completions of one group, hence all of one sample"""


class Bench:
    """The reward of a spec. Coroutines run on a loop in a thread of its own, ended by `close`.

    answered: whether any Score so far is more than a failure. ended: item -> whether it is `endless`, which benches of
    one spec may share.
    """

    def __init__(self, spec: RewardSpec, reward: Any, ended: dict[str, bool] | None = None):
        self.spec = spec
        self.reward = reward
        self.answered = False
        self._ended = {} if ended is None else ended
        self.awaits = spec.scope == "group" or spec.runs == "async"
        self._home = LoopThread("rewardlab-laws") if self.awaits else None

    def score(self, items: Call) -> list[Score]:
        """One Score an item, of one call."""
        return self.score_all([items])[0]

    def score_all(self, calls: Iterable[Call]) -> list[list[Score]]:
        """The Scores of each call: one after the other, those of coroutine functions all under way at once."""
        return self._all([(call, self._asking(call)) for call in calls])

    def endless(self, item: Item) -> bool:
        """Of what runs in workers, whether one is killed over this item: alone it takes longer than `timeout`.

        Such an item is not asked of the reward again; its score is that of `on_timeout`, as hosts have it.
        """
        if self.spec.runs != "worker" or self.awaits:
            return False
        if (key := repr(item)) not in self._ended:
            began = time.monotonic()
            with suppress(Exception, SystemExit), no_longer_than(self.spec.timeout):
                self.reward.score([item])
            self._ended[key] = time.monotonic() - began >= self.spec.timeout
        return self._ended[key]

    def raw(self, items: Call) -> Any:
        """What `score` returned, as it is; what it raises is raised."""
        ask = self._asking(items)
        return ask() if self._home is None else self._home.submit(ask()).result(LIMIT)

    def score_arriving(self, items: Call, order: Sequence[int]) -> list[Score]:
        """Of group scope: the Scores of a group whose completions arrive in this order, one a turn of the loop."""
        return self._all([(items, lambda: _arriving(self.reward, items, order))])[0]

    def score_off_main(self, calls: Sequence[Call], at_once: bool) -> list[list[Score]]:
        """Of a plain function: the Scores of each call, made in threads; several at once, or all in one thread."""
        with ThreadPoolExecutor(AT_ONCE if at_once else 1) as threads:
            return list(threads.map(lambda call: self._judged(call, lambda: self.reward.score(call)), calls))

    def score_on_main(self, calls: Sequence[Call]) -> list[list[Score]]:
        """Of a coroutine function: the Scores of each call, on a loop in this thread."""
        with asyncio.Runner() as runner:

            def judged(call: Call) -> list[Score]:
                return self._judged(call, lambda: runner.run(self._asking(call)()))

            return [judged(call) for call in calls]

    def close(self) -> None:
        """End the loop, if there is one."""
        if self._home is not None:
            self._home.close()

    def _asking(self, call: Call) -> Callable[[], Any]:
        if self.spec.scope == "group":
            group = Group(sample=call[0][0], completions=tuple(completion for _, completion in call))
            return lambda: awaiting(self.reward.score)(GroupStream.of(group))
        score = awaiting(self.reward.score) if self.awaits else self.reward.score
        return lambda: score(call)

    def _all(self, asked: Sequence[tuple[Call, Callable[[], Any]]]) -> list[list[Score]]:
        if self._home is None:
            return [self._spared(call, ask) for call, ask in asked]
        futures = [(call, self._home.submit(ask())) for call, ask in asked]
        return [self._judged(call, partial(future.result, LIMIT)) for call, future in futures]

    def _spared(self, call: Call, ask: Callable[[], Any]) -> list[Score]:
        """The Scores, where only those items are asked that are not `endless`."""
        ended = [self.endless(item) for item in call]
        if not any(ended):
            return self._judged(call, ask)
        rest = [item for item, over in zip(call, ended, strict=True) if not over]
        scores = iter(self._judged(rest, self._asking(rest)) if rest else [])
        return [self._killed() if over else next(scores) for over in ended]

    def _killed(self) -> Score:
        on_timeout = self.spec.on_timeout
        if on_timeout == "fail":
            return Score(error=f"not done within {self.spec.timeout:g} s, its `timeout`")
        return Score(value=float(on_timeout), info={"timed_out": True})

    def _limit(self) -> AbstractContextManager[None]:
        if self.awaits:
            return nullcontext()  # the future's
        return no_longer_than(INLINE_LIMIT if self.spec.runs == "inline" else LIMIT)

    def _judged(self, call: Call, ask: Callable[[], Any]) -> list[Score]:
        try:
            with self._limit():
                given = ask()
            scores = accept(given, len(call), self.spec)
            self.answered = self.answered or any(score.error is None for score in scores)
            return scores
        except (Exception, SystemExit) as error:  # what a host makes of it
            return [Score(error=what_failed(error))] * len(call)


def bench(tested: Trial) -> Bench:
    """The one that the laws of a trial share; it ends with the trial. Untried where it was tried before, in vain."""
    shared = tested.shared
    if "bench" not in shared:
        if "failed" in shared:
            raise Untried(f"it cannot be built: {shared['failed']}")
        try:
            shared["bench"] = Bench(tested.spec, tested.built(), shared.setdefault("ended", {}))
        except RewardlabError as error:
            shared["failed"] = one_line(error)
            raise
        tested.closing.callback(shared["bench"].close)
    return shared["bench"]


@contextmanager
def another_bench(
    tested: Trial, options: Config | None = None, judges: Mapping[str, Any] | None = None
) -> Iterator[Bench]:
    """The reward built anew, with judges of its own: these may belong to the loop on which they were asked first.

    judges: by name, instead of the example's.
    """
    make = getattr(tested.example, "judges", None)
    given = judges if judges is not None else make() if make else {}
    built = Bench(tested.spec, tested.built(options, judges=given), tested.shared.setdefault("ended", {}))
    try:
        yield built
    finally:
        built.close()


async def _arriving(reward: Any, items: Call, order: Sequence[int]) -> Any:
    stream = GroupStream(items[0][0], len(items))
    asked = asyncio.ensure_future(awaiting(reward.score)(stream))
    for index in order:
        await asyncio.sleep(0)
        stream.put(index, items[index][1])
    return await asked
