"""Completions of the rollout engine: generated under a deadline, and turned into text beside the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeVar

from rewardlab.backends.openrlhf.rollout.actors import Limit
from rewardlab.errors import JobError, one_line

BROKEN_OFF = ("abort", "error")
"""reasons with which vLLM ends a completion that is none"""

T = TypeVar("T")


class CompletionLost(JobError):
    """One completion could not be generated."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Generated:
    """One completion as the trainer needs it; `ids` includes the token that ended it."""

    ids: list[int]
    log_probs: list[float] | None
    """one for each id, None where the sampling parameters ask for none"""
    text: str
    """without special tokens"""
    truncated: bool


class TextThread:
    """Tokenizing and decoding in one thread of its own.

    The event loop goes on meanwhile, and no tokenizer is used by two threads at once, which fast ones refuse.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rewardlab-text")

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` returns."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def tokens(self, tokenizer: Any, text: str) -> list[int]:
        """Token ids of a text that has all of its special tokens."""
        return await self.run(lambda: list(tokenizer(text=text, add_special_tokens=False)["input_ids"]))

    async def generated(self, tokenizer: Any, params: Any, output: Any) -> Generated:
        """A vLLM completion, read."""
        return await self.run(lambda: _read(tokenizer, params, output))


async def generate(engine: Any, prompt_ids: list[int], params: Any, timeout: float, what: str) -> Any:
    """One completion (vLLM's CompletionOutput) of a prompt.

    `what` names it in messages. CompletionLost where the engine fails or breaks off, or after `timeout` seconds.
    """
    try:
        async with Limit(timeout, f"{what} took more than {timeout:g} s (completion_timeout)", CompletionLost):
            request = await engine.generate(list(prompt_ids), deepcopy(params))
    except CompletionLost:
        raise
    except Exception as error:  # whatever the engine raises, it is this completion's
        raise CompletionLost(f"{what}: generation failed: {one_line(error)}") from error
    if request is None or not request.outputs:
        raise CompletionLost(f"{what}: the engine returned nothing")
    output = request.outputs[0]
    if output.finish_reason in BROKEN_OFF:
        raise CompletionLost(f"{what}: the engine broke off with {output.finish_reason!r}")
    return output


def _read(tokenizer: Any, params: Any, output: Any) -> Generated:
    ids = list(output.token_ids)
    return Generated(
        ids=ids,
        log_probs=None if params.logprobs is None else _log_probs(ids, output.logprobs),
        text=tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        truncated=output.finish_reason == "length",
    )


def _log_probs(ids: list[int], steps: Any) -> list[float]:
    if steps is None:
        raise JobError("the engine gave no log-probabilities, though the training asks for them")
    return [step[token].logprob for token, step in zip(ids, steps, strict=True)]
