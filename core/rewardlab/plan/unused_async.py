"""Find each `async def` that nobody awaits or that awaits nothing, and say what to write instead."""

import dis
import inspect
from collections.abc import Callable
from typing import Any

from rewardlab.specs import RewardSpec, Spec

PLAIN = {
    "reward": ("score",),
    "dataset": ("__iter__",),
    "curriculum": ("order", "more", "select"),
    "normalizer": ("shape",),
}
"""kind -> the methods that hosts call as plain functions, but for `score` if the spec says otherwise"""
AWAITING = {"GET_AWAITABLE", "GET_AITER", "GET_ANEXT", "BEFORE_ASYNC_WITH"}
"""what `await`, `async for` and `async with` become in Python's bytecode"""


def unawaited(spec: Spec, built: Any) -> str | None:
    """Return what is wrong if a built component has a coroutine function that no host awaits; else None."""
    if inspect.iscoroutine(built):
        built.close()
        return "`build` is a coroutine function, and it is never awaited; write `def`"
    for method in PLAIN.get(spec.kind, ()):
        if not inspect.iscoroutinefunction(getattr(built, method, None)):
            continue
        if method != "score":
            return f"`{method}` is a coroutine function, and it is never awaited; write `def {method}`"
        if isinstance(spec, RewardSpec) and spec.scope != "group" and spec.runs != "async":
            problem = f"`score` is a coroutine function, which runs={spec.runs!r} does not await"
            return f"{problem}; declare runs='async', or write `def score`"
    return None


def awaits_nothing(spec: Spec, built: Any) -> str | None:
    """Return a warning if a reward runs as a coroutine and never lets anything else run meanwhile; else None."""
    score = getattr(built, "score", None)
    if not isinstance(spec, RewardSpec) or spec.runs != "async" or spec.scope == "group":
        return None
    if not inspect.iscoroutinefunction(score) or _awaits(score):
        return None
    return (
        "its `score` is an `async def` that awaits nothing, so all other rewards and judges wait while it runs; "
        "write `def score`, and declare runs='thread', or 'worker' if it is slow or can hang"
    )


def _awaits(function: Callable[..., Any]) -> bool:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code is None or any(instruction.opname in AWAITING for instruction in dis.get_instructions(code))
