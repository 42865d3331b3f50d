"""The judge `policy/self`: the model in training, which answers on the rollout engines with their current weights.

Its answers change with the weights, so none is kept for later.
"""

import asyncio
import json
import time
from typing import Any

from rewardlab import Ask, Reply
from rewardlab.errors import JobError, RewardlabError, TryAgain, one_line
from rewardlab_training import PolicyJudgeOptions

from rewardlab_ray.ray_actors import ActorClient

FIRST_ENGINE_S = 45.0
"""how long a question waits for the first engine, which registers itself at its first rollout"""
FIRST_LOOK_S, LOOK_S = 0.1, 1.0
"""between two looks for engines, while none is known and afterwards"""


class Engines:
    """The rollout engines of a job that can be asked, with their questions under way; on the judges' loop.

    coordinator: knows which engines there are.
    """

    def __init__(self, coordinator: ActorClient) -> None:
        self._coordinator = coordinator
        self._under_way: dict[Any, int] = {}
        self._next_look = 0.0

    def judge(self, options: PolicyJudgeOptions) -> "EnginePolicyJudge":
        """Return a judge that asks these engines."""
        return EnginePolicyJudge(options, self)

    async def take(self) -> Any | None:
        """Return the engine with the fewest questions under way, to be given back; None if there is none yet."""
        if (now := time.monotonic()) >= self._next_look:
            self._next_look = now + (LOOK_S if self._under_way else FIRST_LOOK_S)
            engines = await self._coordinator.call("engines")
            self._under_way = {engine: self._under_way.get(engine, 0) for engine in engines}
        if not self._under_way:
            return None
        engine = min(self._under_way, key=self._under_way.__getitem__)
        self._under_way[engine] += 1
        return engine

    def give_back(self, engine: Any) -> None:
        """Note that a question to the engine is over."""
        if engine in self._under_way:
            self._under_way[engine] -= 1

    async def lost(self, engine: Any) -> None:
        """Forget an engine that is dead; one that is started in its place registers itself."""
        self._under_way.pop(engine, None)
        await self._coordinator.call("engine_lost", engine)


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
            await self._engines.lost(engine)
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
        while (engine := await self._engines.take()) is None:
            if time.monotonic() >= until:
                raise TryAgain(f"found no rollout engine within {FIRST_ENGINE_S:g} s")
            await asyncio.sleep(FIRST_LOOK_S)
        return engine
