"""What the host adds around any judge: a limit on questions at once, a deadline, tries after a failure.

A judge that cannot answer gives a Reply with `error`; what that means for a score is the asking reward's policy.
"""

import asyncio
import random
from collections.abc import Iterator, Mapping
from typing import Any

from rewardlab.errors import UserError, nearest, one_line
from rewardlab.loops import LoopThread
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
        """The judge's reply; never raises for what the judge does."""
        return await self._home.here(self._ask(ask))

    async def _ask(self, ask: Ask) -> Reply:
        error = ""
        for attempt in range(self._tries):
            if attempt:
                pause = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (attempt - 1))
                await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # spreads retries; touches no score
            try:
                async with self._places:
                    reply = await asyncio.wait_for(self._judge.ask(ask), self._timeout)
            except TimeoutError:
                error = f"judge {self.name!r} gave no answer within {self._timeout:g} s"
            except Exception as raised:  # the one place where a judge's exception becomes a reply
                error = f"judge {self.name!r}: {one_line(raised)}"
            else:
                if isinstance(reply, Reply):
                    return reply
                return Reply(error=f"judge {self.name!r} returned {type(reply).__name__}, not a Reply")
        return Reply(error=error)


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
