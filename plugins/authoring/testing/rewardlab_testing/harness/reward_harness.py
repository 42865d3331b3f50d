"""A built reward, asked as a host asks it, whose answers are checked as a host checks them.

Unlike a host the bench gathers nothing into larger calls, and a call that fails as a whole fails each of its items:
some laws look at what the size of a call changes.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from typing import Any

from rewardlab import Config, Group, GroupStream, RewardSpec, Score
from rewardlab.concurrency import LoopThread
from rewardlab.scoring import Item, awaiting, checked_scores, describe_failure, describe_place
from rewardlab.workers import WorkerStartError, WorkerTimeout

from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.harness.deadline import time_limit
from rewardlab_testing.harness.hang import Hang, HangRecord, hang_of
from rewardlab_testing.harness.reward_in_environment import RewardInEnvironment
from rewardlab_testing.outcomes.outcome import BuildFailure

LIMIT = 300.0
"""seconds that coroutines may take for one set of calls, and a function for one call"""
INLINE_LIMIT = 10.0
"""seconds for one call of a reward that runs inline, which claims to take microseconds"""
SHARE_ALONE = 0.1
"""the share of a limit that each item of a call that hangs gets alone, so that the one that hangs can be named"""
AT_ONCE = 4
"""threads, if several calls are made at once"""

Call = Sequence[Item]
"""the items that one call of `score` is given; of group scope: the completions of one group, hence of one sample"""


class Bench:
    """A built reward and the means to ask it. Its coroutines run on a loop in a thread of their own, ended by `close`.

    answered: whether any Score so far is more than a failure. ended: item -> whether it is `endless`; benches of one
    spec may share it. hang: likewise; after a call that hangs each further one raises that Hang at once.
    """

    def __init__(
        self, spec: RewardSpec, reward: Any, ended: dict[str, bool] | None = None, hang: HangRecord | None = None
    ) -> None:
        self.spec = spec
        self.reward = reward
        self.answered = False
        self._ended = {} if ended is None else ended
        self._hang = HangRecord() if hang is None else hang
        self.awaits = spec.scope == "group" or spec.runs == "async"
        self._home = LoopThread("rewardlab-laws") if self.awaits else None

    def score(self, items: Call) -> list[Score]:
        """Return one Score for each item of one call."""
        return self.score_all([items])[0]

    def score_all(self, calls: Iterable[Call]) -> list[list[Score]]:
        """Return the Scores of each call.

        Plain functions are called one after the other; coroutine functions are all under way at once.
        """
        return self._score_calls([(call, self._asking(call)) for call in calls])

    def endless(self, item: Item) -> bool:
        """Return whether a host would kill the reward's worker over this item: alone it takes longer than `timeout`.

        Only rewards that run in workers have such items. They are not scored again; like hosts, the bench gives them
        the score of `on_timeout`.
        """
        if self.spec.runs != "worker" or self.awaits:
            return False
        if (key := repr(item)) not in self._ended:
            self._ended[key] = self._ends(item)
        return self._ended[key]

    def _ends(self, item: Item) -> bool:
        if isinstance(self.reward, RewardInEnvironment):
            try:
                self.reward.score([item])
            except WorkerTimeout:
                return True
            except Exception:
                return False
            return False
        began = time.monotonic()
        with suppress(Exception, SystemExit), time_limit(self.spec.timeout):
            self.reward.score([item])
        return time.monotonic() - began >= self.spec.timeout

    def raw(self, items: Call) -> Any:
        """Return what `score` returns, unchecked; what it raises is raised."""
        ask = self._asking(items)
        return self._in_time(items, ask if self._home is None else partial(self._wait, self._home.submit(ask())))

    def score_arriving(self, items: Call, order: Sequence[int]) -> list[Score]:
        """Return the Scores of a group whose completions arrive in this order, one a turn of the loop.

        Only rewards of group scope can be asked so.
        """
        return self._score_calls([(items, lambda: _score_arriving(self.reward, items, order))])[0]

    def score_off_main(self, calls: Sequence[Call], at_once: bool) -> list[list[Score]]:
        """Return the Scores of each call of a plain function, made in threads: several at once, or all in one."""
        with ThreadPoolExecutor(AT_ONCE if at_once else 1) as threads:
            return list(threads.map(lambda call: self._accepted(call, lambda: self.reward.score(call)), calls))

    def score_on_main(self, calls: Sequence[Call]) -> list[list[Score]]:
        """Return the Scores of each call of a coroutine function, on a loop in this thread."""
        with asyncio.Runner() as runner:

            def score(call: Call) -> list[Score]:
                return self._accepted(call, lambda: runner.run(self._asking(call)()))

            return [score(call) for call in calls]

    def close(self) -> None:
        """End the loop, if there is one, and the process of a reward in another environment."""
        if self._home is not None:
            self._home.close()
        if isinstance(self.reward, RewardInEnvironment):
            self.reward.close()

    def _asking(self, call: Call) -> Callable[[], Any]:
        """Return a function that makes this call of the reward."""
        if self.spec.scope == "group":
            group = Group(sample=call[0][0], completions=tuple(completion for _, completion in call))
            return lambda: awaiting(self.reward.score)(GroupStream.of(group))
        score = awaiting(self.reward.score) if self.awaits else self.reward.score
        return lambda: score(call)

    def _score_calls(self, calls: Sequence[tuple[Call, Callable[[], Any]]]) -> list[list[Score]]:
        if self._home is None:
            return [self._without_endless(call, ask) for call, ask in calls]
        futures = [(call, self._home.submit(ask())) for call, ask in calls]
        return [self._accepted(call, partial(self._wait, future)) for call, future in futures]

    def _without_endless(self, call: Call, ask: Callable[[], Any]) -> list[Score]:
        """Return the Scores of a call in which only those items are asked that are not `endless`."""
        endless = [self.endless(item) for item in call]
        if not any(endless):
            return self._accepted(call, ask)
        rest = [item for item, over in zip(call, endless, strict=True) if not over]
        scores = iter(self._accepted(rest, self._asking(rest)) if rest else [])
        return [self._score_of_killed() if over else next(scores) for over in endless]

    def _score_of_killed(self) -> Score:
        on_timeout = self.spec.on_timeout
        if on_timeout == "fail":
            return Score(error=f"not done within {self.spec.timeout:g} s, its `timeout`")
        return Score(value=float(on_timeout), info={"timed_out": True})

    def _wait(self, future: "Future[Any]") -> Any:
        """Return a future's result, or raise TimeoutError after LIMIT."""
        try:
            return future.result(LIMIT)
        finally:
            future.cancel()

    @property
    def _seconds(self) -> float:
        return INLINE_LIMIT if self.spec.runs == "inline" and not self.awaits else LIMIT

    def _limit(self, seconds: float) -> AbstractContextManager[None]:
        if self.awaits or isinstance(self.reward, RewardInEnvironment):
            return nullcontext()  # waiting for the future has a limit, and so has a worker
        return time_limit(seconds)

    def _in_time(self, call: Call, ask: Callable[[], Any]) -> Any:
        """Return what `ask` gives; what it raises is raised. Hang if it takes longer than its limit."""
        self._hang.refuse()
        where, began = "", time.monotonic()
        try:
            with self._limit(self._seconds):
                return ask()
        except Exception as error:
            where = describe_place(error)
            raise
        finally:
            if time.monotonic() - began >= self._seconds and not isinstance(self.reward, RewardInEnvironment):
                alone = None if self.awaits or len(call) == 1 else self._first_that_hangs(call)
                self._hang.hang = hang_of(call, alone, self._seconds, where)
                self._hang.refuse()

    def _first_that_hangs(self, call: Call) -> Item | None:
        for item in call:
            began, seconds = time.monotonic(), self._seconds * SHARE_ALONE
            with suppress(Exception, SystemExit), self._limit(seconds):
                self._asking([item])()
            if time.monotonic() - began >= seconds:
                return item
        return None

    def _accepted(self, call: Call, ask: Callable[[], Any]) -> list[Score]:
        """Return the Scores that a host makes of what the call gives or raises."""
        try:
            scores = checked_scores(self._in_time(call, ask), len(call), self.spec)
            self.answered = self.answered or any(score.error is None for score in scores)
            return scores
        except Hang:
            raise
        except WorkerStartError as error:  # hosts end the job
            raise BuildFailure(str(error)) from error
        except (Exception, SystemExit) as error:
            return [Score(error=describe_failure(error))] * len(call)


def bench(tested: ComponentUnderTest) -> Bench:
    """Return the bench that the laws of a trial share; it is closed with the trial. Raises what its `build` does."""
    shared = tested.shared
    if "bench" not in shared:
        shared["bench"] = Bench(tested.spec, tested.build(), shared.setdefault("ended", {}), tested.hang)
        tested.closing.callback(shared["bench"].close)
    return shared["bench"]


@contextmanager
def fresh_bench(
    tested: ComponentUnderTest, options: Config | None = None, judges: Mapping[str, Any] | None = None
) -> Iterator[Bench]:
    """Yield a bench with the reward built anew.

    It has judges of its own, since judges may belong to the loop on which they were asked first.

    Args:
        judges: by name, instead of the example's.
    """
    make = getattr(tested.example, "judges", None)
    given = judges if judges is not None else make() if make else {}
    another = Bench(
        tested.spec, tested.build(options, judges=given), tested.shared.setdefault("ended", {}), tested.hang
    )
    try:
        yield another
    finally:
        another.close()


async def _score_arriving(reward: Any, items: Call, order: Sequence[int]) -> Any:
    stream = GroupStream(items[0][0], len(items))
    asked = asyncio.ensure_future(awaiting(reward.score)(stream))
    for index in order:
        await asyncio.sleep(0)
        stream.put(index, items[index][1])
    return await asked
