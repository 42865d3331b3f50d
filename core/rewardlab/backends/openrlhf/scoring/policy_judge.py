"""The judge `policy/self`: the model in training answers, on the rollout engines and with the weights they have now.

Its answers change with the weights, so none is kept for later. This module imports no Ray: a plan names its SPEC.
"""

import asyncio
import json
import threading
import time
from typing import Annotated, Any

from pydantic import Field, NonNegativeFloat, PositiveInt

from rewardlab.errors import JobError, RewardlabError, TryAgain, one_line
from rewardlab.specs import Config, Context, JudgeSpec
from rewardlab.types import Ask, Reply

FIRST_ENGINE_S = 45.0
"""how long a question waits for the first engine, which makes itself known at its first rollout"""
LOOK_S = 0.1
SAMPLING = ("temperature", "top_p", "max_tokens", "thinking")


class Options(Config):
    """How the policy answers; a question's own parameters come first."""

    temperature: NonNegativeFloat = 0.0
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    max_tokens: PositiveInt = 1024
    """of one answer"""
    thinking: bool | None = None
    """`enable_thinking` of the chat template"""


class Engines:
    """The rollout engines of a job that can be asked, and what each is doing; used from any thread."""

    def __init__(self) -> None:
        self._under_way: dict[Any, int] = {}
        self._lock = threading.Lock()

    def add(self, engine: Any) -> None:
        """An engine's actor handle; again is nothing new."""
        with self._lock:
            self._under_way.setdefault(engine, 0)

    def take(self) -> Any | None:
        """The engine with the fewest questions under way, for `give_back`; None where there is none yet."""
        with self._lock:
            if not self._under_way:
                return None
            engine = min(self._under_way, key=self._under_way.__getitem__)
            self._under_way[engine] += 1
            return engine

    def give_back(self, engine: Any) -> None:
        """Its question is over."""
        with self._lock:
            if engine in self._under_way:
                self._under_way[engine] -= 1

    def lost(self, engine: Any) -> None:
        """It is dead; one that is started in its place makes itself known."""
        with self._lock:
            self._under_way.pop(engine, None)


class PolicyJudge:
    """Asks the engine with the least to do."""

    def __init__(self, options: Options, engines: Engines):
        self._options = options
        self._engines = engines

    async def ask(self, ask: Ask) -> Reply:
        """The policy's answer. TryAgain where no engine is there (yet), or the one that was asked has died."""
        from ray.exceptions import RayActorError, RayTaskError

        sampling = self._options.model_dump() | dict(ask.params)
        if "max_completion_tokens" in sampling:
            sampling["max_tokens"] = sampling.pop("max_completion_tokens")
        if strange := sorted(sampling.keys() - set(SAMPLING)):
            return Reply(error=f"policy/self takes no {', '.join(strange)}; it takes {', '.join(SAMPLING)}")
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


def _build(options: Options, context: Context) -> PolicyJudge:
    if not isinstance(context.policy, Engines):
        raise JobError("policy/self answers only inside of a training job with the openrlhf backend")
    return PolicyJudge(options, context.policy)


SPEC = JudgeSpec(
    name="self",
    summary="the policy in training, asked on its rollout engines",
    config=Options,
    build=_build,
    identity=lambda options: {"model": "policy/self", "params": options.model_dump()},
    most_tokens=lambda options: options.max_tokens,
)
