"""The judge `policy/self`: the model in training, which answers on the rollout engines with their current weights.

Its answers change with the weights, so none is kept for later.
"""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from rewardlab import Ask, Reply
from rewardlab.errors import JobError, RewardlabError, TryAgain, one_line
from rewardlab.training import PolicyJudgeOptions

FIRST_ENGINE_S = 45.0
"""how long a question waits for the first engine, which registers itself at its first rollout"""
LOOK_S = 0.1


class Engines:
    """The rollout engines of a job that can be asked, with their questions under way; usable from any thread.

    on_lost: called with an engine that was found dead.
    """

    def __init__(self, on_lost: Callable[[Any], None] = lambda engine: None) -> None:
        self._on_lost = on_lost
        self._under_way: dict[Any, int] = {}
        self._lock = threading.Lock()

    def judge(self, options: PolicyJudgeOptions) -> "EnginePolicyJudge":
        """Return a judge that asks these engines."""
        return EnginePolicyJudge(options, self)

    def replace(self, engines: Iterable[Any]) -> None:
        """Know these engines, by their actor handles, and no others."""
        with self._lock:
            self._under_way = {engine: self._under_way.get(engine, 0) for engine in engines}

    def take(self) -> Any | None:
        """Return the engine with the fewest questions under way, to be given back; None if there is none yet."""
        with self._lock:
            if not self._under_way:
                return None
            engine = min(self._under_way, key=self._under_way.__getitem__)
            self._under_way[engine] += 1
            return engine

    def give_back(self, engine: Any) -> None:
        """Note that a question to the engine is over."""
        with self._lock:
            if engine in self._under_way:
                self._under_way[engine] -= 1

    def lost(self, engine: Any) -> None:
        """Forget an engine that is dead; one that is started in its place registers itself."""
        with self._lock:
            self._under_way.pop(engine, None)
        self._on_lost(engine)


class EnginePolicyJudge:
    """A judge that asks the engine with the fewest questions under way."""

    def __init__(self, options: PolicyJudgeOptions, engines: Engines) -> None:
        self._options = options
        self._engines = engines

    async def ask(self, ask: Ask) -> Reply:
        """Return the policy's answer. TryAgain if there is no engine (yet), or the one that was asked has died."""
        from ray.exceptions import RayActorError, RayTaskError

        try:
            sampling = self._options.sampling(ask)
        except JobError as error:  # asking again would not help
            return Reply(error=str(error))
        question = {"messages": [dict(message) for message in ask.messages], **sampling}
        engine = await self._engine()
        try:
            [answer] = await engine.generate_responses.remote(
                prompt="",
                label=json.dumps({"ask": question}),
                sampling_params=None,
                max_length=0,
                hf_tokenizer=None,
                num_samples=1,
            )
        except RayActorError as error:
            self._engines.lost(engine)
            raise TryAgain(f"lost the rollout engine that it asked: {one_line(error)}") from error
        except RayTaskError as error:
            cause = error.cause
            raise JobError(str(cause) if isinstance(cause, RewardlabError) else one_line(cause)) from error
        finally:
            self._engines.give_back(engine)
        return Reply(
            text=answer["text"],
            finish_reason=answer["finish_reason"],
            prompt_tokens=answer["prompt_tokens"],
            completion_tokens=answer["completion_tokens"],
        )

    async def _engine(self) -> Any:
        until = time.monotonic() + FIRST_ENGINE_S
        while (engine := self._engines.take()) is None:
            if time.monotonic() >= until:
                raise TryAgain(f"found no rollout engine within {FIRST_ENGINE_S:g} s")
            await asyncio.sleep(LOOK_S)
        return engine
