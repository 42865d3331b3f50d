"""The processes of a job that others started (accelerate, torchrun), each of which sees its part of a batch."""

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

from rewardlab.errors import JobError, RewardlabError, UserError

T = TypeVar("T")
R = TypeVar("R")


def rank_count() -> int:
    """Return the number of processes that train together."""
    return int(os.environ.get("WORLD_SIZE") or 1)


def rank() -> int:
    """Return this process's number among them, from 0 on."""
    return int(os.environ.get("RANK") or 0)


def local_device(device: str) -> str:
    """Return the torch device of this process's models: of several processes, each has the GPU of its own number."""
    from rewardlab.workers import AUTO_DEVICE, resolve_device

    if device != AUTO_DEVICE or rank_count() == 1 or not resolve_device(device).startswith("cuda"):
        return device
    return f"cuda:{os.environ.get('LOCAL_RANK') or 0}"


def gather(values: list[T]) -> list[T]:
    """Return the values of all processes, in their order. Each of them must call it."""
    if rank_count() == 1:
        return values
    from accelerate.utils import gather_object

    gathered: list[T] = gather_object(values)
    return gathered


def shared_work(items: Sequence[T], work: Callable[[list[T]], Sequence[R]]) -> list[R]:
    """Return `work` of all items, of which each process does its part; raise in all of them if it fails in one."""
    count, number = rank_count(), rank()
    own = range(number, len(items), count)
    done: list[tuple[int, R] | RewardlabError]
    try:
        done = list(zip(own, work([items[index] for index in own]) if own else [], strict=True))
    except RewardlabError as error:
        if count == 1:
            raise
        kind = UserError if isinstance(error, UserError) else JobError
        done = [kind(f"{error} (in process {number} of {count})")]
    results: dict[int, R] = {}
    for outcome in gather(done):
        if isinstance(outcome, RewardlabError):
            raise outcome
        results[outcome[0]] = outcome[1]
    return [results[index] for index in range(len(items))]
