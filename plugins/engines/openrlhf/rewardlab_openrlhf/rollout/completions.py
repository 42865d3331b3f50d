"""Completions of the rollout engine: generated under a deadline, and turned into text beside the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeVar

from rewardlab.errors import JobError, one_line
from rewardlab_ray.ray_actors import Deadline

BROKEN_OFF = ("abort", "error")
"""vLLM's finish reasons of a completion that cannot be used"""

T = TypeVar("T")


class LostCompletion(JobError):
    """A completion that could not be generated."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GeneratedCompletion:
    """A completion as the trainer needs it; `ids` includes the token that ended it."""

    ids: list[int]
    log_probs: list[float] | None
    """one for each id, None if the sampling parameters ask for none"""
    text: str
    """without special tokens"""
    truncated: bool


class TextThread:
    """A thread for tokenizing and decoding.

    The event loop goes on meanwhile, and no tokenizer is used by two threads at once, which fast tokenizers refuse.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rewardlab-text")

    async def run(self, work: Callable[[], T]) -> T:
        """Return what `work` returns, called in the thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def tokens(self, tokenizer: Any, text: str) -> list[int]:
        """Return the token ids of a text that has all of its special tokens."""
        return await self.run(lambda: list(tokenizer(text=text, add_special_tokens=False)["input_ids"]))

    async def read_output(self, tokenizer: Any, params: Any, output: Any) -> GeneratedCompletion:
        """Return vLLM's CompletionOutput as a GeneratedCompletion; JobError if log-probabilities are missing."""
        return await self.run(lambda: _read(tokenizer, params, output))


async def generate(engine: Any, prompt_ids: list[int], params: Any, timeout: float, name: str) -> Any:
    """Return one completion (vLLM's CompletionOutput) of a prompt.

    Args:
        params: vLLM's sampling parameters.
        timeout: in seconds.
        name: of the completion, for messages.

    Raises LostCompletion if the engine fails, breaks off or takes longer than `timeout`.
    """
    try:
        async with Deadline(timeout, f"{name} took more than {timeout:g} s (completion_timeout)", LostCompletion):
            request = await engine.generate(list(prompt_ids), deepcopy(params))
    except LostCompletion:
        raise
    except Exception as error:  # whatever the engine raises concerns this completion
        raise LostCompletion(f"{name}: generation failed: {one_line(error)}") from error
    if request is None or not request.outputs:
        raise LostCompletion(f"{name}: the engine returned nothing")
    output = request.outputs[0]
    if output.finish_reason in BROKEN_OFF:
        raise LostCompletion(f"{name}: the engine broke off with {output.finish_reason!r}")
    return output


def _read(tokenizer: Any, params: Any, output: Any) -> GeneratedCompletion:
    ids = list(output.token_ids)
    return GeneratedCompletion(
        ids=ids,
        log_probs=None if params.logprobs is None else _log_probs(ids, output.logprobs),
        text=tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        truncated=output.finish_reason == "length",
    )


def _log_probs(ids: list[int], steps: Any) -> list[float]:
    if steps is None:
        raise JobError("the engine gave no log-probabilities, though the training asks for them")
    return [step[token].logprob for token, step in zip(ids, steps, strict=True)]
