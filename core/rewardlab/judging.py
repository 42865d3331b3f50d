"""What the host adds around any judge: a limit on questions at once, a deadline, tries after a failure.

A judge that cannot answer gives a Reply with `error`; what that means for a score is the policy of the reward
that asked.
"""

import asyncio
import inspect
import random
from collections.abc import Iterator, Mapping
from typing import Any

from rewardlab.errors import UserError, nearest, one_line
from rewardlab.loops import LoopThread, is_ours
from rewardlab.recipe import JudgeUse
from rewardlab.specs import JudgeSpec
from rewardlab.types import Ask, Reply

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 20.0


class HostedJudge:
    """A declared judge as rewards see it: `await judge.ask(Ask(...))`, from any event loop."""

    def __init__(self, name: str, judge: Any, spec: JudgeSpec, settings: JudgeUse, home: LoopThread):
        self.name = name
        self._judge = judge
        self._timeout = settings.timeout
        self._tries = 1 if spec.local else 1 + settings.retries
        self._places = asyncio.Semaphore(settings.concurrency)
        self._home = home

    async def ask(self, ask: Ask) -> Reply:
        """The judge's reply; never raises for what the judge does.

        A judge that raises or takes too long is asked again; a Reply with `error` is its last word.
        """
        return await self._home.here(self._ask(ask))

    async def _ask(self, ask: Ask) -> Reply:
        reply: Reply | str = ""
        for attempt in range(self._tries):
            if attempt:
                pause = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (attempt - 1))
                await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # spreads retries; touches no score
            async with self._places:
                reply = await self._try(ask)
            if isinstance(reply, Reply):
                return reply
        tries = f", {self._tries} tries" if self._tries > 1 else ""
        return Reply(error=f"judge {self.name!r} {reply}{tries}")

    async def _try(self, ask: Ask) -> Reply | str:
        """A reply, or why there is none that another try may bring."""
        limit = asyncio.timeout(self._timeout)
        try:
            async with limit:
                answer = self._judge.ask(ask)
                reply = await answer if inspect.isawaitable(answer) else answer
        except BaseException as error:  # the one place where a judge's exception becomes a reply
            if is_ours(error):
                raise
            late = f"gave no answer within {self._timeout:g} s"
            return late if limit.expired() else f"raised {one_line(error)}"
        problem = None
        if reply is answer:
            problem = "has an `ask` that is no coroutine function; write `async def ask`"
        elif not isinstance(reply, Reply):
            problem = f"returned {type(reply).__name__}, not a Reply"
        elif not isinstance(reply.text, str):
            problem = f"returned a text that is {type(reply.text).__name__}, not str"
        return reply if problem is None else Reply(error=f"judge {self.name!r} {problem}")


class Judges(Mapping[str, HostedJudge]):
    """The judges that a recipe declares; an unknown name is a clear error."""

    def __init__(self, judges: Mapping[str, HostedJudge]):
        self._judges = dict(judges)

    def __getitem__(self, name: str) -> HostedJudge:
        try:
            return self._judges[name]
        except KeyError:
            raise UserError(f"no judge {name!r}{nearest(str(name), self._judges)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._judges

    def __iter__(self) -> Iterator[str]:
        return iter(self._judges)

    def __len__(self) -> int:
        return len(self._judges)
